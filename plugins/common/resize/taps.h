// Where output pixels lie among input pixels, in one dimension. All places are exact fractions of whole numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "resize/area_tap.h"

namespace vedette::imaging {

enum class Sampling : std::uint8_t { half_pixel, aligned_corners };

// An output pixel lies between two input pixels, `fraction` of the way from left to right. left = right where the image
// is one pixel, or at an edge.
struct PairTap {
    std::uint32_t left, right;
    float fraction;
};

// half_pixel: at (x + 0.5) * in / out - 0.5, edges replicated; aligned_corners: at x * (in - 1) / (out - 1), the last
// one on the last pixel. Sides are 1 .. VDT_MAX_DIMENSION.
std::vector<PairTap> pair_taps(Sampling sampling, std::uint32_t in, std::uint32_t out);

// What output pixels cover of the input, in units of 1 / out of an input pixel: `in` units each. out <= in.
std::vector<AreaTap> area_taps(std::uint32_t in, std::uint32_t out);

}  // namespace vedette::imaging
