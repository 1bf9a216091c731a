// Filtering of bytes to bytes in fixed point: for symmetric kernels of odd sides with weights that are not negative and
// add up to one. Every backend that takes this way gives the same values.
#pragma once

#include <vector>

#include "filter/weights.h"

namespace vedette::imaging {

// The first half of each line in units of 2^-byte_weight_bits, the middle weight last. Empty where the lines do not
// allow it.
struct FixedWeights {
    std::vector<std::int16_t> across, down;

    explicit operator bool() const noexcept { return !across.empty(); }
};

// For a filter without delta whose border, if constant, is a whole number that a byte holds, from GRAY8 or another
// eight-bit format to the same; empty for any other filter and for kernels other than Gaussian ones: their weights may
// not be small.
FixedWeights fixed_weights(const vdt_filter_params& params, const FilterWeights& weights, vdt_format in,
                           vdt_format out);

// Largest difference from the exact value before that is rounded, in gray levels: each weight is off by at most 2^-16
// but for the middle one, which makes up for all others; and the words between are rounded once.
double fixed_point_error(const FilterWeights& weights) noexcept;

}  // namespace vedette::imaging
