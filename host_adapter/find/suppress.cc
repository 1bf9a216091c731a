#include "suppress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace vedette::host {

double intersection_over_union(const Box& p, const Box& q) noexcept {
    const double width = std::min(p.x + p.w, q.x + q.w) - std::max(p.x, q.x);
    const double height = std::min(p.y + p.h, q.y + q.h) - std::max(p.y, q.y);
    if (width <= 0 || height <= 0) return 0;
    const double shared = width * height;
    return shared / (p.w * p.h + q.w * q.h - shared);
}

std::vector<std::size_t> suppress(const std::vector<Box>& boxes, double overlap) {
    // Boxes that stay, by the cell of a grid their corner lies in. No box is larger than a cell, so those that meet a
    // box lie in its cell or one beside it: long lists do not take quadratic time.
    double side = 1;
    for (const Box& box : boxes) side = std::max({side, box.w, box.h});
    const auto cell = [side](double position) { return static_cast<std::int64_t>(std::floor(position / side)); };
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> kept_in;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const std::int64_t column = cell(boxes[i].x);
        const std::int64_t row = cell(boxes[i].y);
        bool free = true;
        for (std::int64_t y = row - 1; y <= row + 1 && free; ++y) {
            for (std::int64_t x = column - 1; x <= column + 1 && free; ++x) {
                const auto found = kept_in.find({y, x});
                free = found == kept_in.end() ||
                       std::none_of(found->second.begin(), found->second.end(), [&](std::size_t better) {
                           return intersection_over_union(boxes[better], boxes[i]) > overlap;
                       });
            }
        }
        if (!free) continue;
        kept.push_back(i);
        kept_in[{row, column}].push_back(i);
    }
    return kept;
}

}  // namespace vedette::host
