#include "point_spread.h"

#include "../core/failure.h"

#include <vedette/vedette.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace vedette::host {

namespace {

PointSpread empty_spread(double farthest) {
    PointSpread spread;
    spread.reach = std::max(1, static_cast<int>(std::ceil(farthest)));
    spread.weights.assign(static_cast<std::size_t>(spread.side()) * static_cast<std::size_t>(spread.side()), 0.0);
    return spread;
}

// Each weight is the share of `density` on its pixel: the mean over samples inside.
template <class Density>
PointSpread sampled(double farthest, const Density& density) {
    constexpr int samples = 16;
    PointSpread spread = empty_spread(farthest);
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            for (int j = 0; j < samples; ++j) {
                for (int i = 0; i < samples; ++i) {
                    spread.at(x, y) += density(x + (i + 0.5) / samples - 0.5, y + (j + 0.5) / samples - 0.5);
                }
            }
        }
    }
    spread.normalise();
    return spread;
}

PointSpread gaussian(double sigma) {
    return sampled(3 * sigma, [sigma](double x, double y) { return std::exp(-(x * x + y * y) / (2 * sigma * sigma)); });
}

PointSpread disk(double radius) {
    return sampled(radius, [radius](double x, double y) { return x * x + y * y <= radius * radius ? 1.0 : 0.0; });
}

// A straight, even movement: points along the way, each shared by the four pixels around it.
PointSpread motion(double length, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    PointSpread spread = empty_spread(length / 2 + 1);
    const int points = 1 + 32 * static_cast<int>(std::ceil(length));
    for (int i = 0; i < points; ++i) {
        const double along = ((i + 0.5) / points - 0.5) * length;
        const double x = along * std::cos(angle), y = -along * std::sin(angle);
        const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
        const double right_share = x - left, low_share = y - top;
        spread.at(left, top) += (1 - right_share) * (1 - low_share);
        spread.at(left + 1, top) += right_share * (1 - low_share);
        spread.at(left, top + 1) += (1 - right_share) * low_share;
        spread.at(left + 1, top + 1) += right_share * low_share;
    }
    spread.normalise();
    return spread;
}

}  // namespace

SpreadRange spread_range(std::uint32_t kind) noexcept {
    switch (kind) {
        case VDT_SPREAD_GAUSSIAN:
            return {0.2, kMostReach / 3.0};
        case VDT_SPREAD_DISK:
            return {0.5, kMostReach};
        default:
            return {0.5, 2.0 * (kMostReach - 1)};
    }
}

PointSpread spread_of_kind(std::uint32_t kind, double size, double angle) {
    if (kind < VDT_SPREAD_GAUSSIAN || kind > VDT_SPREAD_MOTION)
        throw Failure(VDT_E_ARGUMENT, "`spread` is " + std::to_string(kind) + "; it must be a VDT_SPREAD_... value.");
    const SpreadRange range = spread_range(kind);
    // Written so that NaN fails.
    if (!(size >= range.least && size <= range.most)) {
        char text[128];
        std::snprintf(text, sizeof text, "The point-spread function's size is %g; it must be from %g to %.4g pixels.",
                      size, range.least, range.most);
        throw Failure(VDT_E_ARGUMENT, text);
    }
    if (kind == VDT_SPREAD_MOTION && !std::isfinite(angle))
        throw Failure(VDT_E_ARGUMENT, "The point-spread function's angle is no finite number of degrees.");
    return kind == VDT_SPREAD_GAUSSIAN ? gaussian(size) : (kind == VDT_SPREAD_DISK ? disk(size) : motion(size, angle));
}

PointSpread spread_of_weights(const double* weights, std::uint32_t width, std::uint32_t height) {
    constexpr std::uint32_t most = 2 * kMostReach + 1;
    if (weights == nullptr || width == 0 || height == 0 || width > most || height > most)
        throw Failure(VDT_E_ARGUMENT, "The point-spread function has " + std::to_string(width) + " x " +
                                          std::to_string(height) + " weights; it must be 1 x 1 to " +
                                          std::to_string(most) + " x " + std::to_string(most) + ".");
    const auto w = static_cast<int>(width), h = static_cast<int>(height);
    PointSpread spread = empty_spread(std::max(w, h) / 2);
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            const double weight = weights[y * w + x];
            if (!(weight >= 0) || !std::isfinite(weight))
                throw Failure(VDT_E_ARGUMENT,
                              "The point-spread function's weights must be finite numbers of at least 0.");
            spread.at(x - w / 2, y - h / 2) = weight;
        }
    }
    if (!spread.normalise()) throw Failure(VDT_E_ARGUMENT, "The point-spread function's weights are all 0.");
    return spread;
}

bool PointSpread::normalise() {
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
    }
    if (sum <= 0) {
        return false;
    }
    for (double& weight : weights) {
        weight /= sum;
    }
    return true;
}

double PointSpread::width() const {
    double mean_x = 0, mean_y = 0, squares = 0;
    for (int y = -reach; y <= reach; ++y) {
        for (int x = -reach; x <= reach; ++x) {
            mean_x += x * at(x, y);
            mean_y += y * at(x, y);
            squares += (x * x + y * y) * at(x, y);
        }
    }
    return std::sqrt(std::max(0.0, squares - mean_x * mean_x - mean_y * mean_y) / 2);
}

std::vector<float> wrapped_spread(const PointSpread& spread, int side) {
    std::vector<float> square(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            square[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)] =
                static_cast<float>(spread.at(x, y));
        }
    }
    return square;
}

PointSpread unwrapped_spread(const std::vector<float>& square, int side, int reach) {
    PointSpread spread = empty_spread(reach);
    for (int y = -spread.reach; y <= spread.reach; ++y) {
        for (int x = -spread.reach; x <= spread.reach; ++x) {
            spread.at(x, y) = double{square[static_cast<std::size_t>((y + side) % side * side + (x + side) % side)]};
        }
    }
    spread.normalise();
    return spread;
}

}  // namespace vedette::host
