#include "tiling.h"

#include <algorithm>

namespace vedette::host {

namespace {

constexpr int ramp = 12;
// Beside twice the reach: what iterations carry further than one blur does.
constexpr int more_margin = 8;
// Tiles of 256 take the least time for each pixel that is used unless margins eat them up (2-core Zen 3, AVX2).
constexpr int usual_side = 256;
constexpr int largest_side = 512;

// Coordinate inside 0 .. size - 1 that `at` stands for: cba|abc|cba and so on.
int mirrored(int at, int size) {
    const int period = 2 * size;
    at %= period;
    at = at < 0 ? at + period : at;
    return at < size ? at : period - 1 - at;
}

}  // namespace

Tiling::Tiling(int width, int height, int reach) : width_(width), height_(height), margin_(2 * reach + more_margin) {
    const int frame = 2 * (margin_ + ramp);
    side_ = frame <= usual_side / 2 ? usual_side : largest_side;
    while (side_ > 32 && std::max(width, height) <= side_ / 2 - frame) {
        side_ /= 2;
    }
    const int stride = side_ - 2 * margin_ - ramp;
    const auto count = [&](int size) { return 1 + std::max(0, size - (side_ - frame) + stride - 1) / stride; };
    columns_ = count(width);
    rows_ = count(height);
    weight_.resize(static_cast<std::size_t>(side_));
    for (int i = margin_; i < side_ - margin_; ++i) {
        const int inside = std::min(i - margin_, side_ - margin_ - 1 - i);
        weight_[static_cast<std::size_t>(i)] =
            std::min(1.0F, (static_cast<float>(inside) + 0.5F) / static_cast<float>(ramp));
    }
}

void Tiling::read(const FloatPlanes& image, int channel, int column, int row, float* tile) const {
    const int stride = side_ - 2 * margin_ - ramp;
    const int left = column * stride - margin_ - ramp, top = row * stride - margin_ - ramp;
    for (int y = 0; y < side_; ++y) {
        const int from = mirrored(top + y, height_);
        for (int x = 0; x < side_; ++x) {
            tile[y * side_ + x] = image.at(channel, mirrored(left + x, width_), from);
        }
    }
    // Half and half at the very edge, nothing of the other side at `fade` pixels from it.
    const int fade = margin_ / 2;
    const auto mix = [&](float& a, float& b, int distance) {
        const float share = 0.5F * (1 - static_cast<float>(distance) / static_cast<float>(fade));
        const float first = a, second = b;
        a = first + share * (second - first);
        b = second + share * (first - second);
    };
    for (int y = 0; y < side_; ++y) {
        for (int x = 0; x < fade; ++x) {
            mix(tile[y * side_ + x], tile[y * side_ + side_ - 1 - x], x);
        }
    }
    for (int y = 0; y < fade; ++y) {
        for (int x = 0; x < side_; ++x) {
            mix(tile[y * side_ + x], tile[(side_ - 1 - y) * side_ + x], y);
        }
    }
}

void Tiling::add(const float* tile, int channel, int column, int row, FloatPlanes& sum) const {
    const int stride = side_ - 2 * margin_ - ramp;
    const int left = column * stride - margin_ - ramp, top = row * stride - margin_ - ramp;
    for (int y = std::max(margin_, -top); y < std::min(side_ - margin_, height_ - top); ++y) {
        for (int x = std::max(margin_, -left); x < std::min(side_ - margin_, width_ - left); ++x) {
            sum.at(channel, left + x, top + y) +=
                tile[y * side_ + x] * weight_[static_cast<std::size_t>(x)] * weight_[static_cast<std::size_t>(y)];
        }
    }
}

}  // namespace vedette::host
