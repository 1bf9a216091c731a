#include "residual.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {
namespace {}  // namespace

void ResidualMeter::begin(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y) {
    y_ = 0;
    screen_rows_.begin(screen, {x, y, pattern.width(), pattern.height()});
    pattern_rows_.begin(pattern);
}

void ResidualMeter::next_row(const Appearance& pattern, float* out) {
    if (y_ > 0) screen_rows_.advance();
    screen_rows_.compute();
    find_kernels().differences(screen_rows_.side(), pattern_rows_.next(), pattern.channels(), pattern.weight(y_),
                               pattern.width(), out);
    ++y_;
}

Residual ResidualMeter::measure(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                                double enough) {
    const std::uint32_t width = pattern.width();
    const std::uint32_t height = pattern.height();
    const std::uint32_t block_width = std::min(width, kResidualBlock);
    const std::uint32_t block_height = std::min(height, kResidualBlock);
    const std::size_t pitch = row_pitch(width);
    ring_.assign(pitch * kResidualBlock, 0.0F);  // a row that a low pattern lacks adds nothing
    columns_.resize(std::max(columns_.size(), pitch * 2));
    const float* rows[kResidualBlock];
    for (std::uint32_t i = 0; i < kResidualBlock; ++i) rows[i] = ring_.data() + i * pitch;
    float* const sums = columns_.data() + pitch;
    const float divisor = static_cast<float>(block_width * block_height);
    float worst = -1;
    Residual result;
    result.worst = {0, 0, block_width, block_height};
    begin(pattern, screen, x, y);
    for (std::uint32_t row = 0; row < height && static_cast<double>(worst / divisor) <= enough; ++row) {
        next_row(pattern, ring_.data() + row % kResidualBlock * pitch);
        if (row + 1 < block_height) continue;
        // Summed anew in every row: a running sum would gather rounding errors.
        const float row_worst = find_kernels().block_sums(rows, width, block_width, columns_.data(), sums);
        if (row_worst > worst) {
            worst = row_worst;
            const float* const end = sums + (width - block_width + 1);
            result.worst.x = static_cast<std::uint32_t>(std::find(static_cast<const float*>(sums), end, worst) - sums);
            result.worst.y = row + 1 - block_height;
        }
    }
    result.value = static_cast<double>(worst / divisor);
    return result;
}

void ResidualMeter::differences(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                                const DifferenceRow& take_row) {
    ring_.resize(std::max(ring_.size(), row_pitch(pattern.width())));
    begin(pattern, screen, x, y);
    for (std::uint32_t row = 0; row < pattern.height(); ++row) {
        next_row(pattern, ring_.data());
        take_row(row, ring_.data());
    }
}

double share_that_differs(const Appearance& pattern, const PixelView& screen, std::uint32_t x, std::uint32_t y,
                          double difference, ResidualMeter& meter) {
    double contrast = 0;
    double differing_contrast = 0;
    std::uint64_t differing = 0;
    AppearanceRows rows;
    rows.begin(pattern);
    meter.differences(pattern, screen, x, y, [&](std::uint32_t row, const float* differences) {
        const FindKernels::Side side = rows.next();
        const float* counts = pattern.weight(row);
        for (std::uint32_t column = 0; column < pattern.width(); ++column) {
            if (counts != nullptr && counts[column] == 0) continue;
            double squares = 0;
            for (std::uint32_t channel = 0; channel < pattern.channels(); ++channel) {
                const double from_mean = static_cast<double>(side.value[channel][column]) - pattern.mean()[channel];
                squares += from_mean * from_mean;
            }
            contrast += squares;
            if (static_cast<double>(differences[column]) <= difference) continue;
            differing_contrast += squares;
            ++differing;
        }
    });
    const double by_pixels = static_cast<double>(differing) / static_cast<double>(pattern.counted());
    return pattern.flat() ? by_pixels : std::max(by_pixels, differing_contrast / contrast);
}

}  // namespace vedette::host
