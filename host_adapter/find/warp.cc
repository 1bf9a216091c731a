#include "warp.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vedette::host {
namespace {

constexpr double kSigma = 2;
constexpr int kRadius = 6;  // three sigmas
// Least share of the pattern that must count.
constexpr double kLeastCounted = 0.5;

std::vector<float> kernel() {
    std::vector<float> taps(2 * kRadius + 1);
    double sum = 0;
    for (int i = -kRadius; i <= kRadius; ++i) sum += std::exp(-i * i / (2 * kSigma * kSigma));
    for (int i = -kRadius; i <= kRadius; ++i)
        taps[static_cast<std::size_t>(i + kRadius)] =
            static_cast<float>(std::exp(-i * i / (2 * kSigma * kSigma)) / sum);
    return taps;
}

// Both directions; what lies outside has no weight.
void blur(std::vector<float>& plane, std::uint32_t width, std::uint32_t height, const Workers& workers) {
    const std::vector<float> taps = kernel();
    std::vector<float> across(plane.size());
    const auto w = static_cast<int>(width);
    const auto h = static_cast<int>(height);
    workers.run(height, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t y = begin; y < end; ++y) {
            const float* in = plane.data() + std::size_t{y} * width;
            float* out = across.data() + std::size_t{y} * width;
            for (int i = -kRadius; i <= kRadius; ++i) {
                const float tap = taps[static_cast<std::size_t>(i + kRadius)];
                for (int x = std::max(0, -i); x < std::min(w, w - i); ++x) out[x] += tap * in[x + i];
            }
        }
    });
    std::fill(plane.begin(), plane.end(), 0.0F);
    workers.run(height, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t y = begin; y < end; ++y) {
            float* out = plane.data() + std::size_t{y} * width;
            for (int i = std::max(-kRadius, -static_cast<int>(y)); i <= std::min(kRadius, h - 1 - static_cast<int>(y));
                 ++i) {
                const float tap = taps[static_cast<std::size_t>(i + kRadius)];
                const float* in = across.data() + (static_cast<std::size_t>(y) + static_cast<std::size_t>(i)) * width;
                for (std::uint32_t x = 0; x < width; ++x) out[x] += tap * in[x];
            }
        }
    });
}

}  // namespace

double warped_correlation(const PixelView& screen, const PixelView& pattern, const PixelView& mask,
                          const Homography& pattern_to_screen, const Workers& workers) {
    const std::uint32_t width = pattern.width;
    const std::uint32_t height = pattern.height;
    const std::uint32_t channels = pattern.channels;
    const std::size_t pixels = std::size_t{width} * height;
    std::vector<float> weight(pixels);
    std::vector<std::vector<float>> seen(channels, std::vector<float>(pixels));
    std::vector<std::vector<float>> wanted(channels, std::vector<float>(pixels));
    workers.run(height, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t y = begin; y < end; ++y) {
            for (std::uint32_t x = 0; x < width; ++x) {
                if (!mask.empty() && mask.row(y)[x] == 0) continue;
                Point at;
                if (!transform(pattern_to_screen, {x + 0.5, y + 0.5}, at)) continue;
                // Between pixel centres.
                const double left = at.x - 0.5;
                const double top = at.y - 0.5;
                if (!(left >= 0 && top >= 0 && left <= screen.width - 1.0 && top <= screen.height - 1.0)) continue;
                const auto column = static_cast<std::uint32_t>(left);
                const auto row = static_cast<std::uint32_t>(top);
                const auto right = static_cast<float>(left - column);
                const auto down = static_cast<float>(top - row);
                const std::uint8_t* above = screen.row(row);
                const std::uint8_t* below = screen.row(std::min(row + 1, screen.height - 1));
                const std::size_t p = std::size_t{column} * channels;
                const std::size_t q = std::size_t{std::min(column + 1, screen.width - 1)} * channels;
                const std::size_t index = std::size_t{y} * width + x;
                weight[index] = 1;
                for (std::uint32_t c = 0; c < channels; ++c) {
                    seen[c][index] = (1 - down) * ((1 - right) * static_cast<float>(above[p + c]) +
                                                   right * static_cast<float>(above[q + c])) +
                                     down * ((1 - right) * static_cast<float>(below[p + c]) +
                                             right * static_cast<float>(below[q + c]));
                    wanted[c][index] = pattern.row(y)[std::size_t{x} * channels + c];
                }
            }
        }
    });
    const std::vector<float> counts = weight;
    std::size_t counted = 0;
    std::size_t possible = 0;
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            counted += counts[std::size_t{y} * width + x] != 0 ? 1 : 0;
            possible += mask.empty() || mask.row(y)[x] != 0 ? 1 : 0;
        }
    if (static_cast<double>(counted) < kLeastCounted * static_cast<double>(possible)) return 0;
    blur(weight, width, height, workers);
    double seen_variance = 0, wanted_variance = 0, both = 0;
    for (std::uint32_t c = 0; c < channels; ++c) {
        blur(seen[c], width, height, workers);
        blur(wanted[c], width, height, workers);
        double s = 0, t = 0, ss = 0, tt = 0, st = 0;
        for (std::size_t i = 0; i < pixels; ++i) {
            if (counts[i] == 0) continue;
            const double p = static_cast<double>(seen[c][i] / weight[i]);
            const double q = static_cast<double>(wanted[c][i] / weight[i]);
            s += p;
            t += q;
            ss += p * p;
            tt += q * q;
            st += p * q;
        }
        const double n = static_cast<double>(counted);
        seen_variance += std::max(0.0, ss - s * s / n);
        wanted_variance += std::max(0.0, tt - t * t / n);
        both += st - s * t / n;
    }
    // Below that there is only rounding.
    constexpr double kLeastVariance = 1e-3;
    const double least = kLeastVariance * static_cast<double>(counted);
    if (seen_variance <= least || wanted_variance <= least) return 0;
    return std::clamp(both / std::sqrt(seen_variance * wanted_variance), -1.0, 1.0);
}

}  // namespace vedette::host
