#include "suppress.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace vedette::host {

double intersection_over_union(const Box& p, const Box& q) noexcept {
    const double width = std::min(p.x + p.w, q.x + q.w) - std::max(p.x, q.x);
    const double height = std::min(p.y + p.h, q.y + q.h) - std::max(p.y, q.y);
    if (width <= 0 || height <= 0) return 0;
    const double shared = width * height;
    return shared / (p.w * p.h + q.w * q.h - shared);
}

namespace {

// Boxes that stay, by the cell of a grid their corner lies in. Cells share a fixed number of chains: a chain may hold
// boxes of other cells, too, which a caller that compares boxes does not mind.
class Grid {
public:
    explicit Grid(std::size_t boxes) : first_(std::bit_ceil(boxes + 1), none) { next_.reserve(boxes); }

    void add(std::int64_t column, std::int64_t row, std::size_t box) {
        std::size_t& first = first_[chain(column, row)];
        next_.push_back({box, first});
        first = next_.size() - 1;
    }

    template <class Test>
    bool any_of(std::int64_t column, std::int64_t row, const Test& test) const {
        for (std::size_t at = first_[chain(column, row)]; at != none; at = next_[at].next)
            if (test(next_[at].box)) return true;
        return false;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct Link {
        std::size_t box, next;
    };

    std::size_t chain(std::int64_t column, std::int64_t row) const noexcept {
        std::uint64_t hash = static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15U ^
                             static_cast<std::uint64_t>(row) * 0xc2b2ae3d27d4eb4fU;
        hash ^= hash >> 29U;
        return static_cast<std::size_t>(hash & (first_.size() - 1));
    }

    std::vector<std::size_t> first_;
    std::vector<Link> next_;
};

}  // namespace

std::vector<std::size_t> suppress(const std::vector<Box>& boxes, double overlap) {
    // The intersection's share of the union is at most its width's of either box, so boxes further apart than `reach`
    // along one axis suppress nothing. Cells are twice as large: what a box can meet lies in its own cell and those on
    // the nearer side, and long lists do not take quadratic time.
    double side = 1;
    for (const Box& box : boxes) side = std::max({side, box.w, box.h});
    constexpr double rounding = 1e-6;
    const double reach = std::max(1 - overlap, 0.0) * side + rounding * side;
    const double per_cell = 1 / std::max(2 * reach, 1.0);
    const auto cell = [per_cell](double position) {
        return static_cast<std::int64_t>(std::floor(position * per_cell));
    };
    Grid grid(boxes.size());
    std::vector<std::size_t> kept;
    kept.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Box box = boxes[i];
        const auto meets = [&](std::int64_t column, std::int64_t row) {
            return grid.any_of(
                column, row, [&](std::size_t better) { return intersection_over_union(boxes[better], box) > overlap; });
        };
        const std::int64_t column = cell(box.x);
        const std::int64_t row = cell(box.y);
        // Its own cell first, where most that suppress it are.
        if (meets(column, row)) continue;
        bool beaten = false;
        for (std::int64_t v = cell(box.y - reach); v <= cell(box.y + reach) && !beaten; ++v)
            for (std::int64_t u = cell(box.x - reach); u <= cell(box.x + reach) && !beaten; ++u)
                beaten = (u != column || v != row) && meets(u, v);
        if (beaten) continue;
        kept.push_back(i);
        grid.add(column, row, i);
    }
    return kept;
}

}  // namespace vedette::host
