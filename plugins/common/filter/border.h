// What stands beyond the edges of an image.
#pragma once

#include <cstdint>
#include <vector>

namespace vedette::imaging {

constexpr std::int32_t outside = -1;  // the border's constant value stands there

// For the positions -before .. length + after - 1 of a row of `length` pixels: the pixel that stands there, or outside.
// `border` is a VDT_BORDER_ value.
std::vector<std::int32_t> positions_with_border(std::uint32_t length, std::uint32_t before, std::uint32_t after,
                                                std::uint32_t border);

}  // namespace vedette::imaging
