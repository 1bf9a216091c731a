#include "kernels/template_coarse_pattern.h"

#include "kernels/template_coarse.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace vedette::cuda {

namespace {

double block_sum(const Pattern& pattern, int step, int block_x, int block_y) {
    double sum = 0;
    for (int y = step * block_y; y < step * (block_y + 1); ++y)
        for (int x = step * block_x; x < step * (block_x + 1); ++x) sum += pattern.pixel(x, y, 0);
    return sum;
}

}  // namespace

CoarsePattern coarse_pattern(const Pattern& pattern, int step) {
    CoarsePattern coarse;
    coarse.step = step;
    coarse.width = pattern.width() / step;
    coarse.height = pattern.height() / step;
    const auto count = static_cast<std::size_t>(coarse.width) * static_cast<std::size_t>(coarse.height);
    if (count < 2) return coarse;
    std::vector<double> wanted;
    wanted.reserve(count);
    double mean = 0;
    for (int y = 0; y < coarse.height; ++y)
        for (int x = 0; x < coarse.width; ++x) {
            wanted.push_back(block_sum(pattern, step, x, y));
            mean += wanted.back() / static_cast<double>(count);
        }
    double energy = 0;
    double largest = 0;
    for (double& value : wanted) {
        value -= mean;
        energy += value * value;
        largest = std::max(largest, std::abs(value));
    }
    if (largest < 0.5) return coarse;  // sums of integers differ by 1 at least
    const double scale = zero_sum_scale(std::sqrt(energy / static_cast<double>(count)), largest);
    std::vector<double> scaled = wanted;
    for (double& value : scaled) value *= scale;
    coarse.blocks = rounded_to_zero_sum(scaled);
    double product = 0;
    double norm = 0;
    double magnitudes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = coarse.blocks[i];
        product += value * wanted[i];
        norm += value * value;
        magnitudes += std::abs(value);
    }
    if (norm == 0) {
        coarse.blocks.clear();
        return coarse;
    }
    // sum (t - mean)^2 of the whole pattern; pixels without a block count here only.
    const TemplateSums& sums = pattern.sums();
    const double pattern_energy = static_cast<double>(sums.square) - static_cast<double>(sums.sum[0]) *
                                                                         static_cast<double>(sums.sum[0]) /
                                                                         static_cast<double>(sums.area);
    coarse.spread.norm = step * std::sqrt(norm);
    coarse.spread.cosine = product / (coarse.spread.norm * std::sqrt(pattern_energy));
    coarse.spread.values.assign(static_cast<std::size_t>(pattern.width()) * static_cast<std::size_t>(pattern.height()),
                                0);
    for (int y = 0; y < step * coarse.height; ++y)
        for (int x = 0; x < step * coarse.width; ++x)
            coarse.spread.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(pattern.width()) +
                                 static_cast<std::size_t>(x)] =
                coarse.blocks[static_cast<std::size_t>(y / step) * static_cast<std::size_t>(coarse.width) +
                              static_cast<std::size_t>(x / step)];
    coarse.slack = static_cast<int>(std::ceil(coarse_rounding(step) * magnitudes));
    return coarse;
}

}  // namespace vedette::cuda
