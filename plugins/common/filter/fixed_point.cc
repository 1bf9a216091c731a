#include "filter/fixed_point.h"

#include <vedette/plugin/cpp/format.hpp>

#include <algorithm>
#include <cmath>

namespace vedette::imaging {

namespace {

constexpr std::int32_t one = 1 << byte_weight_bits;

std::vector<std::int16_t> halved(const LineWeights& line) {
    if (!line.symmetric || line.taps % 2 == 0 || line.taps > byte_most_taps) return {};
    double sum = 0;
    for (std::uint32_t i = 0; i < line.taps; ++i) sum += static_cast<double>(line.weight[i]);
    // Rounded to single precision, the weights of a Gaussian add up to one no more exactly than this.
    if (!(std::abs(sum - 1) <= line.taps * 0x1p-23)) return {};
    std::vector<std::int32_t> fixed((line.taps + 1) / 2);
    std::int32_t rest = one;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (!(line.weight[i] >= 0)) return {};
        fixed[i] = static_cast<std::int32_t>(std::lrint(static_cast<double>(line.weight[i]) * one));
        rest -= fixed[i] * (i + 1 == fixed.size() ? 1 : 2);
    }
    fixed.back() += rest;
    if (fixed.back() < 0 || *std::max_element(fixed.begin(), fixed.end()) >= one) return {};
    return {fixed.begin(), fixed.end()};
}

}  // namespace

FixedWeights fixed_weights(const vdt_filter_params& params, const FilterWeights& weights, vdt_format in,
                           vdt_format out) {
    if (params.kind != VDT_FILTER_GAUSSIAN || params.delta != 0) return {};
    if (in != out || plugin::layout_of(in)->element_bytes != 1) return {};
    const float border = params.border == VDT_BORDER_CONSTANT ? params.border_value : 0;
    if (!(border >= 0 && border <= 255 && border == std::floor(border))) return {};
    FixedWeights fixed{halved(weights.across_line()), halved(weights.down_line())};
    if (fixed.across.empty() || fixed.down.empty()) return {};
    return fixed;
}

double fixed_point_error(const FilterWeights& weights) noexcept {
    // Two pixels at the same distance share a weight; what the middle one makes up for doubles the error.
    const double of_weights = 255.0 * (weights.width + weights.height) * 0x1p-16;
    return of_weights + 0.5 / (1 << byte_word_bits);
}

}  // namespace vedette::imaging
