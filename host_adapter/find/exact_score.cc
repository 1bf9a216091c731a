#include "exact_score.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {
namespace {

// n * sum of squares takes up to 32 + 48 bits.
__extension__ typedef __int128 Wide;

}  // namespace

double exact_score(const PixelView& screen, const PixelView& pattern, const PixelView& mask, std::uint32_t x,
                   std::uint32_t y) noexcept {
    Wide covariance = 0;
    Wide screen_variance = 0;
    Wide pattern_variance = 0;
    for (std::uint32_t channel = 0; channel < pattern.channels; ++channel) {
        std::int64_t n = 0, s = 0, t = 0, ss = 0, tt = 0, st = 0;
        for (std::uint32_t v = 0; v < pattern.height; ++v) {
            const std::uint8_t* screen_row = screen.row(y + v) + std::size_t{x} * screen.channels + channel;
            const std::uint8_t* pattern_row = pattern.row(v) + channel;
            for (std::uint32_t u = 0; u < pattern.width; ++u) {
                if (!mask.empty() && mask.row(v)[u] == 0) continue;
                const std::int64_t a = screen_row[std::size_t{u} * screen.channels];
                const std::int64_t b = pattern_row[std::size_t{u} * pattern.channels];
                ++n;
                s += a;
                t += b;
                ss += a * a;
                tt += b * b;
                st += a * b;
            }
        }
        covariance += Wide{n} * st - Wide{s} * t;
        screen_variance += Wide{n} * ss - Wide{s} * s;
        pattern_variance += Wide{n} * tt - Wide{t} * t;
    }
    if (screen_variance == 0 || pattern_variance == 0) return 0;
    const double product = static_cast<double>(screen_variance) * static_cast<double>(pattern_variance);
    return std::clamp(static_cast<double>(covariance) / std::sqrt(product), -1.0, 1.0);
}

}  // namespace vedette::host
