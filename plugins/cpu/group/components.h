// Which rectangles belong together: connected components of the relation "similar".
//
// With s = w + h, two similar rectangles differ in each edge by at most delta <= eps * s / 2 (s of either), and in s by
// at most 2 eps s. So rectangles are kept by level (floor of the binary logarithm of s) in a grid of their left top
// corners with cells not smaller than the largest delta of the level: whoever is similar lies in the same or a
// neighbouring cell of the same level, or nearby on one of the few levels below.
//
// Inside a cell of the grid rectangles are sorted into knots: their four edges lie in one cube of a finer lattice, of
// side c with c - 1 <= eps 2^level / (2 (1 + eps)). There (s_a + s_b) / 2 >= 2^level, and min(w) + min(h) is at least
// that less 2 (c - 1), so delta >= c - 1: all of a knot are similar and joined without looking. Only knots are compared
// with each other, and not when they are joined already.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "group/radix_sort.h"
#include "group/rectangle.h"
#include "op.h"

namespace vedette::cpu {

class Components {
public:
    // For each rectangle the lowest index in its component; valid until the next call. At most 2^31 rectangles.
    std::span<const std::uint32_t> find(const Device& device, vdt_token* token,
                                        std::span<const GroupRectangle> rectangles, double eps);

    static std::uint64_t scratch_bytes(std::uint64_t count) noexcept;

    // Shorter lists take less time than waking a second thread.
    static constexpr std::size_t fewest_for_threads = 2048;
    static constexpr std::uint32_t cells_of_a_piece = 256;

private:
    static constexpr std::uint32_t level_count = 26;  // w + h <= 2^25
    struct Level {
        std::int32_t knot_side;  // c
        std::int32_t cell_side;
        std::int32_t reach;                 // the largest delta, rounded down
        std::uint32_t first = 0, last = 0;  // its cells
    };
    // A cell of the grid: its place in order_, then its knots.
    struct Cell {
        std::uint32_t first, last;
        std::uint32_t knots_begin, knots_end;
    };
    struct Edges {
        std::int32_t left, top, right, bottom;
    };
    struct Knot {
        std::uint32_t first, last;  // in order_
        Edges least, most;
    };

    void set_levels(double eps);
    void fill_grid();
    void sort_cell(const Cell& cell);
    void tie_knots(const Device& device, vdt_token* token);
    void join_cell(std::uint32_t index);
    void join_knots(const Cell& a, const Cell& b);
    void join(const Knot& a, const Knot& b);
    std::uint32_t root_of(std::uint32_t index);
    void unite(std::uint32_t a, std::uint32_t b);

    std::span<const GroupRectangle> rectangles_;
    double eps_ = 0;
    std::int32_t left_ = 0, top_ = 0, lowest_ = 0;  // of all rectangles: the least edges, and the lowest top
    std::array<Level, level_count> levels_;
    std::vector<Keyed> order_, spare_;  // rectangles by cell, inside a cell by knot, inside a knot by index
    std::vector<std::uint64_t> keys_;   // of the cells, ascending
    std::vector<Cell> cells_;
    std::vector<Knot> knots_;
    std::vector<std::uint32_t> parent_;  // of each rectangle; a root is its own
};

}  // namespace vedette::cpu
