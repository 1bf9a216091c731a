// What an output pixel covers of the input, in one dimension. Without functions, so that sources compiled for several
// instruction sets may include it.
#pragma once

#include <cstdint>

namespace vedette::imaging {

// The first and the last pixel that are covered with these weights, those between with the full weight; when first =
// last its weight is first_weight.
struct AreaTap {
    std::uint32_t first, last;
    std::uint32_t first_weight, last_weight;
};

}  // namespace vedette::imaging
