#include "group/components.h"

#include <atomic>
#include <bit>
#include <cmath>

#include "parallel.h"

namespace vedette::cpu {

namespace {

// A cell has at most so many knots across, so that the key of a knot has room for their numbers.
constexpr std::int32_t knots_across = 1 << 10;

// Keys of cells: level, row, column. A digit of the sort (11 bits) begins where the row does.
constexpr unsigned row_shift = 33, level_shift = 59;

std::uint32_t level_of(const GroupRectangle& r) {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(std::max(1, r.w + r.h)))) - 1;
}

std::uint64_t key_of(std::uint32_t level, std::int32_t row, std::int32_t column) {
    return std::uint64_t{level} << level_shift | static_cast<std::uint64_t>(row) << row_shift |
           static_cast<std::uint64_t>(column);
}

template <class Body>
void each(const Device& device, vdt_token* token, std::size_t rectangles, std::uint32_t count, const Body& body) {
    if (rectangles < Components::fewest_for_threads) {
        for (std::uint32_t index = 0; index < count; ++index) body(index);
        return;
    }
    parallel_for(device, token, 0, count, Components::cells_of_a_piece,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                     for (std::uint32_t index = begin; index < end; ++index) body(index);
                 });
}

}  // namespace

std::uint64_t Components::scratch_bytes(std::uint64_t count) noexcept {
    return count * (2 * sizeof(Keyed) + sizeof(std::uint64_t) + sizeof(Cell) + sizeof(Knot) + sizeof(std::uint32_t));
}

std::span<const std::uint32_t> Components::find(const Device& device, vdt_token* token,
                                                std::span<const GroupRectangle> rectangles, double eps) {
    rectangles_ = rectangles;
    eps_ = eps;
    const auto count = static_cast<std::uint32_t>(rectangles.size());
    parent_.resize(count);
    for (std::uint32_t index = 0; index < count; ++index) parent_[index] = index;
    set_levels(eps);
    fill_grid();
    tie_knots(device, token);
    // Without reach, only equal rectangles are similar, and they share a knot.
    if (eps > 0)
        each(device, token, count, static_cast<std::uint32_t>(cells_.size()),
             [this](std::uint32_t cell) { join_cell(cell); });
    for (std::uint32_t index = 0; index < count; ++index) parent_[index] = parent_[parent_[index]];
    return parent_;
}

void Components::set_levels(double eps) {
    for (std::uint32_t level = 0; level < level_count; ++level) {
        const double size = std::ldexp(1.0, static_cast<int>(level));
        Level& l = levels_[level];
        // A hair less than the bound, so that the rounding of either side does not matter.
        l.knot_side = static_cast<std::int32_t>(size * (eps / (2 * (1 + eps))) * (1 - 1e-9)) + 1;
        l.reach = static_cast<std::int32_t>(std::min<double>(beyond_all, eps * size * (1 + 1e-9)));
        l.cell_side = std::max(
            1,
            std::min(l.reach + 1, l.knot_side > beyond_all / knots_across ? beyond_all : knots_across * l.knot_side));
        l.first = l.last = 0;
    }
}

// Sorts the rectangles into the cells of the grid.
void Components::fill_grid() {
    left_ = top_ = furthest_coordinate;
    lowest_ = -furthest_coordinate;
    for (const GroupRectangle& r : rectangles_) {
        lowest_ = std::max(lowest_, r.y);
        left_ = std::min(left_, r.x);
        top_ = std::min(top_, r.y);
    }
    order_.resize(rectangles_.size());
    for (std::uint32_t index = 0; index < order_.size(); ++index) {
        const GroupRectangle& r = rectangles_[index];
        const std::uint32_t level = level_of(r);
        const std::int32_t side = levels_[level].cell_side;
        order_[index] = {key_of(level, (r.y - top_) / side, (r.x - left_) / side), index};
    }
    radix_sort(order_, spare_);
    keys_.clear();
    cells_.clear();
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
        const std::uint64_t key = order_[at].key;
        if (keys_.empty() || keys_.back() != key) {
            Level& level = levels_[key >> level_shift];
            if (level.last == 0) level.first = static_cast<std::uint32_t>(cells_.size());
            keys_.push_back(key);
            cells_.push_back({at, at, 0, 0});
            level.last = static_cast<std::uint32_t>(cells_.size());
        }
        ++cells_.back().last;
    }
}

// Sorts the rectangles of a cell by knot; their keys are the knots' afterwards.
void Components::sort_cell(const Cell& cell) {
    const std::uint64_t key = order_[cell.first].key;
    const Level& level = levels_[key >> level_shift];
    constexpr std::uint64_t column_mask = (std::uint64_t{1} << row_shift) - 1;
    constexpr std::uint64_t row_mask = (std::uint64_t{1} << (level_shift - row_shift)) - 1;
    const std::int64_t x0 = left_ + static_cast<std::int64_t>(key & column_mask) * level.cell_side;
    const std::int64_t y0 = top_ + static_cast<std::int64_t>(key >> row_shift & row_mask) * level.cell_side;
    const std::int64_t side = level.knot_side;
    // Knots across are few where edges lie many knots apart: eps below 1 gives 3 bits and 26, above 1 at most 11 and 5.
    const auto bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(level.cell_side / level.knot_side)));
    for (std::uint32_t at = cell.first; at < cell.last; ++at) {
        const GroupRectangle& r = rectangles_[order_[at].value];
        const auto column = static_cast<std::uint64_t>((r.x - x0) / side);
        const auto row = static_cast<std::uint64_t>((r.y - y0) / side);
        const auto right = static_cast<std::uint64_t>((r.x + r.w - x0) / side);
        const auto bottom = static_cast<std::uint64_t>((r.y + r.h - y0) / side);
        order_[at].key = column | row << bits | (right - column) << 2 * bits | (bottom - row) << (32 + bits);
    }
    if (cell.last - cell.first == 1) return;
    std::sort(order_.begin() + cell.first, order_.begin() + cell.last,
              [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.value < b.value; });
}

void Components::tie_knots(const Device& device, vdt_token* token) {
    each(device, token, order_.size(), static_cast<std::uint32_t>(cells_.size()),
         [this](std::uint32_t cell) { sort_cell(cells_[cell]); });
    knots_.clear();
    for (Cell& cell : cells_) {
        cell.knots_begin = static_cast<std::uint32_t>(knots_.size());
        for (std::uint32_t at = cell.first; at < cell.last; ++at) {
            const GroupRectangle& r = rectangles_[order_[at].value];
            const Edges edges{r.x, r.y, r.x + r.w, r.y + r.h};
            if (at == cell.first || order_[at].key != order_[at - 1].key) {
                knots_.push_back({at, at + 1, edges, edges});
                continue;
            }
            Knot& knot = knots_.back();
            knot.last = at + 1;
            knot.least = {std::min(knot.least.left, edges.left), std::min(knot.least.top, edges.top),
                          std::min(knot.least.right, edges.right), std::min(knot.least.bottom, edges.bottom)};
            knot.most = {std::max(knot.most.left, edges.left), std::max(knot.most.top, edges.top),
                         std::max(knot.most.right, edges.right), std::max(knot.most.bottom, edges.bottom)};
            parent_[order_[at].value] = order_[knot.first].value;
        }
        cell.knots_end = static_cast<std::uint32_t>(knots_.size());
    }
}

// Joins the knots of a cell with each other, with those of later cells of its level, and with smaller ones.
void Components::join_cell(std::uint32_t index) {
    const Cell& cell = cells_[index];
    const auto own = static_cast<std::uint32_t>(keys_[index] >> level_shift);
    Edges edges{furthest_coordinate, furthest_coordinate, -furthest_coordinate, -furthest_coordinate};
    for (std::uint32_t a = cell.knots_begin; a < cell.knots_end; ++a) {
        edges = {std::min(edges.left, knots_[a].least.left), std::min(edges.top, knots_[a].least.top),
                 std::max(edges.right, knots_[a].most.left), std::max(edges.bottom, knots_[a].most.top)};
        for (std::uint32_t b = a + 1; b < cell.knots_end; ++b) join(knots_[a], knots_[b]);
    }
    for (std::uint32_t level = own + 1; level-- > 0;) {
        const Level& l = levels_[level];
        // Similar rectangles differ in size by a factor of at most 1 + 2 eps.
        if (level != own &&
            std::ldexp(1 + 2 * eps_, static_cast<int>(level) + 1) * (1 + 1e-9) < std::ldexp(1.0, static_cast<int>(own)))
            break;
        if (l.first == l.last) continue;
        const auto cell_of = [&l](std::int32_t edge, std::int32_t origin) {
            return edge < origin ? 0 : (edge - origin) / l.cell_side;
        };
        const std::int32_t row_end = cell_of(std::min(edges.bottom + l.reach, lowest_), top_);
        const std::int32_t column_begin = cell_of(edges.left - l.reach, left_);
        const std::int32_t column_end = cell_of(edges.right + l.reach, left_);
        std::uint32_t at = level == own ? index + 1 : l.first;
        for (std::int32_t row = cell_of(edges.top - l.reach, top_); row <= row_end && at < l.last; ++row) {
            const auto end = keys_.begin() + l.last;
            at = static_cast<std::uint32_t>(
                std::lower_bound(keys_.begin() + at, end, key_of(level, row, column_begin)) - keys_.begin());
            const std::uint64_t last = key_of(level, row, column_end);
            for (; at < l.last && keys_[at] <= last; ++at) join_knots(cell, cells_[at]);
        }
    }
}

void Components::join_knots(const Cell& a, const Cell& b) {
    for (std::uint32_t i = a.knots_begin; i < a.knots_end; ++i)
        for (std::uint32_t j = b.knots_begin; j < b.knots_end; ++j) join(knots_[i], knots_[j]);
}

void Components::join(const Knot& a, const Knot& b) {
    // The largest delta of a pair, and whether the edges can be so near.
    const double delta = eps_ * 0.5 * (1 + 1e-9) *
                         (std::min(a.most.right - a.least.left, b.most.right - b.least.left) +
                          std::min(a.most.bottom - a.least.top, b.most.bottom - b.least.top));
    const auto apart = [delta](std::int32_t a_least, std::int32_t a_most, std::int32_t b_least, std::int32_t b_most) {
        return std::max(b_least - a_most, a_least - b_most) > delta;
    };
    if (apart(a.least.left, a.most.left, b.least.left, b.most.left) ||
        apart(a.least.top, a.most.top, b.least.top, b.most.top) ||
        apart(a.least.right, a.most.right, b.least.right, b.most.right) ||
        apart(a.least.bottom, a.most.bottom, b.least.bottom, b.most.bottom))
        return;
    const std::uint32_t first_a = order_[a.first].value, first_b = order_[b.first].value;
    if (root_of(first_a) == root_of(first_b)) return;
    for (std::uint32_t i = a.first; i < a.last; ++i) {
        const GroupRectangle& r = rectangles_[order_[i].value];
        if (apart(r.x, r.x, b.least.left, b.most.left) || apart(r.y, r.y, b.least.top, b.most.top)) continue;
        for (std::uint32_t j = b.first; j < b.last; ++j)
            if (are_similar(r, rectangles_[order_[j].value], eps_)) return unite(first_a, first_b);
    }
}

// Workers walk and join at once. A parent only ever becomes a lower index of the same component, so whatever a worker
// reads leads to the root, and the root in the end is the component's lowest index, in whatever order pairs are joined.
std::uint32_t Components::root_of(std::uint32_t index) {
    for (;;) {
        const std::uint32_t parent = std::atomic_ref(parent_[index]).load(std::memory_order_relaxed);
        if (parent == index) return index;
        const std::uint32_t above = std::atomic_ref(parent_[parent]).load(std::memory_order_relaxed);
        if (above == parent) return parent;
        // A shorter way for the next one; another worker's shorter way may be lost, which is harmless.
        std::uint32_t expected = parent;
        std::atomic_ref(parent_[index]).compare_exchange_weak(expected, above, std::memory_order_relaxed);
        index = above;
    }
}

void Components::unite(std::uint32_t a, std::uint32_t b) {
    for (;;) {
        a = root_of(a);
        b = root_of(b);
        if (a == b) return;
        if (a > b) std::swap(a, b);
        std::uint32_t expected = b;
        if (std::atomic_ref(parent_[b]).compare_exchange_strong(expected, a, std::memory_order_relaxed)) return;
    }
}

}  // namespace vedette::cpu
