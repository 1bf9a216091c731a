#pragma once

#include "view.h"

namespace vedette::host {

// Score of `pattern` at (x, y) of `screen` as the operation template_find defines it: sums in exact integers, division
// and root in double, 0 for a window without variance. `mask` may be empty. For few positions: takes every pixel anew.
double exact_score(const PixelView& screen, const PixelView& pattern, const PixelView& mask, std::uint32_t x,
                   std::uint32_t y) noexcept;

}  // namespace vedette::host
