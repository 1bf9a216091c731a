#include "appearance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vedette::host {
namespace {

// Values and ranges take up to 36 bytes a pixel. Larger patterns have few places to be compared at, so they are
// converted at each instead.
constexpr std::size_t kMostStoredPixels = std::size_t{1} << 20U;

}  // namespace

Appearance::Appearance(const PixelView& pattern, const PixelView& mask)
    : pattern_(pattern), mask_(mask), pitch_(row_pitch(pattern.width)) {
    if (!mask.empty()) {
        weight_.resize(pitch_ * height());
        for (std::uint32_t y = 0; y < height(); ++y)
            for (std::uint32_t x = 0; x < width(); ++x) weight_[y * pitch_ + x] = mask.row(y)[x] != 0 ? 1.0F : 0.0F;
    }
    measure();
}

void Appearance::measure() {
    const bool store = std::size_t{width()} * height() <= kMostStoredPixels;
    std::vector<float> stored;
    if (store) stored.reserve(pitch_ * height() * channels() * 3);
    std::array<double, 3> sum{}, squares{};
    std::array<float, 3> least, most;
    least.fill(std::numeric_limits<float>::infinity());
    most.fill(-std::numeric_limits<float>::infinity());
    AppearanceRows rows;
    rows.begin(*this);
    for (std::uint32_t y = 0; y < height(); ++y) {
        const FindKernels::Side side = rows.next();
        const float* counts = weight(y);
        for (std::uint32_t x = 0; x < width(); ++x) counted_ += counts == nullptr || counts[x] != 0 ? 1 : 0;
        for (std::uint32_t channel = 0; channel < channels(); ++channel) {
            for (std::uint32_t x = 0; x < width(); ++x) {
                if (counts != nullptr && counts[x] == 0) continue;
                const float value = side.value[channel][x];
                sum[channel] += static_cast<double>(value);
                squares[channel] += static_cast<double>(value) * static_cast<double>(value);
                least[channel] = std::min(least[channel], value);
                most[channel] = std::max(most[channel], value);
            }
            for (const float* row : {side.value[channel], side.low[channel], side.high[channel]})
                if (store) stored.insert(stored.end(), row, row + pitch_);
        }
    }
    stored_ = std::move(stored);
    uniform_ = true;
    const double n = static_cast<double>(counted_);
    double variance = 0;
    for (std::uint32_t channel = 0; channel < channels(); ++channel) {
        const bool same = least[channel] == most[channel];
        uniform_ = uniform_ && same;
        mean_[channel] = same ? static_cast<double>(least[channel]) : sum[channel] / n;
        if (!same) variance += std::max(0.0, squares[channel] / n - mean_[channel] * mean_[channel]);
    }
    deviation_ = std::sqrt(variance);
}

void AppearanceRows::begin(const Appearance& appearance) {
    appearance_ = &appearance;
    y_ = 0;
    if (appearance.stored_.empty()) rows_.begin(appearance.pattern_, {0, 0, appearance.width(), appearance.height()});
}

FindKernels::Side AppearanceRows::next() {
    const std::uint32_t y = y_++;
    if (!appearance_->stored_.empty()) {
        FindKernels::Side side{};
        const std::size_t pitch = appearance_->pitch_;
        const float* row = appearance_->stored_.data() + y * pitch * appearance_->channels() * 3;
        for (std::uint32_t channel = 0; channel < appearance_->channels(); ++channel, row += 3 * pitch) {
            side.value[channel] = row;
            side.low[channel] = row + pitch;
            side.high[channel] = row + 2 * pitch;
        }
        return side;
    }
    if (y > 0) rows_.advance();
    rows_.compute();
    if (appearance_->masked()) forget_beside_ignored(y);
    return rows_.side();
}

// Its neighbours were mixed with a colour that means nothing.
void AppearanceRows::forget_beside_ignored(std::uint32_t y) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::uint32_t width = appearance_->width();
    const std::uint32_t last = std::min(y + 1, appearance_->height() - 1);
    for (std::uint32_t v = y > 0 ? y - 1 : 0; v <= last; ++v) {
        const float* counts = appearance_->weight(v);
        for (std::uint32_t x = 0; x < width; ++x) {
            if (counts[x] != 0) continue;
            for (std::uint32_t u = x > 0 ? x - 1 : 0; u <= std::min(x + 1, width - 1); ++u) {
                for (std::uint32_t channel = 0; channel < appearance_->channels(); ++channel) {
                    rows_.low(channel)[u] = -kInfinity;
                    rows_.high(channel)[u] = kInfinity;
                }
            }
        }
    }
}

}  // namespace vedette::host
