// Greedy non-maximum suppression of rectangles.
#pragma once

#include <cstddef>
#include <vector>

namespace vedette::host {

struct Box {
    double x, y, w, h;
};

// Area of the intersection over area of the union; 0 for boxes that do not meet.
double intersection_over_union(const Box& p, const Box& q) noexcept;

// Indices of the boxes that stay, in order: a box stays when its intersection over union with every box that stayed
// before it is at most `overlap`. `boxes` are best first.
std::vector<std::size_t> suppress(const std::vector<Box>& boxes, double overlap);

}  // namespace vedette::host
