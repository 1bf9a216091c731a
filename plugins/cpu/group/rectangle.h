// A rectangle that is to be grouped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace vedette::cpu {

// Sides in whole pixels, x and y in +-2^24, w and h in 0 .. 2^24.
struct GroupRectangle {
    std::int32_t x, y, w, h;
    double score;
};

constexpr std::int32_t furthest_coordinate = 1 << 24;
// Beyond every difference of two coordinates; so far a rectangle may grow without overflow.
constexpr std::int32_t beyond_all = 1 << 27;

// OpenCV's SimilarRects, operation by operation: the comparisons are decided by rounded values.
inline bool are_similar(const GroupRectangle& a, const GroupRectangle& b, double eps) noexcept {
    const double delta = eps * (std::min(a.w, b.w) + std::min(a.h, b.h)) * 0.5;
    return std::abs(a.x - b.x) <= delta && std::abs(a.y - b.y) <= delta && std::abs(a.x + a.w - b.x - b.w) <= delta &&
           std::abs(a.y + a.h - b.y - b.h) <= delta;
}

}  // namespace vedette::cpu
