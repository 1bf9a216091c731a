// The weights of a filter.
#pragma once

#include <vedette/plugin/ops.h>

#include <vector>

#include "filter/lines.h"

namespace vedette::imaging {

constexpr std::uint32_t most_kernel_side = 1023;  // a larger one costs minutes, not a filter's milliseconds

// Either one matrix (`matrix` filled) or a row and a column of weights whose product it is.
struct FilterWeights {
    std::uint32_t width, height;
    std::uint32_t anchor_x, anchor_y;
    std::vector<float> matrix;
    std::vector<float> across, down;
    double gain;  // sum of the weights' absolute values: how far pixels can be amplified

    bool is_separable() const noexcept { return matrix.empty(); }
    LineWeights across_line() const noexcept;
    LineWeights down_line() const noexcept;
};

// Throws Failure naming what is wrong with `params`: VDT_E_ARGUMENT, or VDT_E_UNSUPPORTED_SIZE for a kernel that is too
// large.
void check_filter_params(const vdt_filter_params& params);

// Of parameters that were checked.
FilterWeights weights_of(const vdt_filter_params& params);

}  // namespace vedette::imaging
