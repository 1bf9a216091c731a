// The stand-in of a pattern by the means of its blocks (template_coarse.h).
#pragma once

#include "kernels/template_zero_sum.h"

#include <cstdint>
#include <vector>

namespace vedette::cuda {

struct CoarsePattern {
    int step = 0;   // side of a block
    int width = 0;  // blocks; pixels that fill none at the right and lower edges are left out
    int height = 0;
    std::vector<std::int8_t> blocks;  // rows of `width`, of sum 0
    ZeroSumPattern spread;            // the same, each block's value at all of its pixels; 0 where there is none
    int slack = 0;                    // how far a product of rounded means can be off
    bool usable() const { return !blocks.empty(); }
};

// Of a gray pattern without a mask; not usable where its blocks all have one mean.
CoarsePattern coarse_pattern(const Pattern& pattern, int step);

}  // namespace vedette::cuda
