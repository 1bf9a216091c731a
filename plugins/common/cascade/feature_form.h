// How features are computed from integral images: at which corners, and in how few.
#pragma once

#include "cascade/model.h"

#include <array>
#include <cstdint>

namespace vedette::cascade {

// A place in the window's integral image, upright or tilted: sums of what is left of x and above y.
struct Corner {
    int x, y;
    auto operator<=>(const Corner&) const = default;
};

// The sum over the rectangle is S(0) - S(1) - S(2) + S(3).
std::array<Corner, 4> corners_of(const Rectangle& rectangle, bool tilted);

// Ways to compute a feature, in fewer steps where rectangles share corners and sums are small enough to be exact.
enum class FormKind : std::uint32_t {
    edge = 0,         // corner 0 - 1 + 2 - 3 + 2 * (4 - 5)
    line = 1,         // weight[1] * (4 - 5 - 6 + 7) - (0 - 1 - 2 + 3)
    cross = 2,        // 0 + 1 + 2 + 3 - 2 * (4 + 5 + 6 + 7) + 4 * 8
    minus_cross = 3,  // its negative
    two = 4,          // weight[0] * (0 - 1 - 2 + 3) + weight[1] * (4 - 5 - 6 + 7)
    three = 5         // the same with weight[2] * (8 - 9 - 10 + 11)
};

// `two` and `three` multiply and add in floats as OpenCV does; the others give the same value in any order.
struct FeatureForm {
    FormKind kind;
    int count;  // of corners
    std::array<Corner, 12> corner;
};

FeatureForm form_of(const HaarFeature& feature);

// Whether floats hold every value that the feature and its parts can take, so that the order of additions is free.
// `rectangles`: 2 or 3.
bool is_exact(const HaarFeature& feature, int rectangles);

}  // namespace vedette::cascade
