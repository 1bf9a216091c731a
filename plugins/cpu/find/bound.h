// The bound that prunes the search, for one pattern and one block shape.
//
// Cover a rectangle of the window with blocks of block_w x block_h pixels; P projects on what is constant in each block
// and in the rest of the window ("outside"). With T0 = T - mean(T), channel by channel,
//     <I, T0> = <P I, P T0> + <(1 - P) I, (1 - P) T0>
//            <= <P I, P T0> + sum over cells k of ||(1 - P) I||_k ||(1 - P) T0||_k    [Cauchy-Schwarz in each cell],
// where a cell is a pair of blocks one above the other, or what is outside. The first term costs one product a block;
// ||(1 - P) I||_k^2 = sum I^2 - (sum of squared block sums) / block area does not depend on the pattern or on the
// cell's place in it, so its root is computed once for each place of the scene and met by every cell that passes over
// it. A window can reach the score s only if the right side is at least s ||I - mean|| ||T0||. One norm for the whole
// window instead of one a cell keeps 5 to 40 times more windows (real desktops, thresholds from 0.6 to 0.9): detail of
// the scene lies elsewhere than that of the pattern.
//
// Block means of T0 are rounded to scale * q with 16-bit q whose sum is zero in each channel, so that a change of the
// window's mean does not enter; the rounding error e has sum zero too and adds at most ||e|| ||I - mean||, which goes
// into the limit. Oblong blocks matter: text lines need more resolution down than across.
#pragma once

#include <array>
#include <compare>
#include <span>
#include <tuple>
#include <vector>

#include "pattern.h"

namespace vedette::cpu::find {

struct BlockShape {
    int w = 1, h = 1;
};

// Blocks side by side, in rows that come in pairs.
struct BlockGrid {
    BlockShape block;
    int left = 0, top = 0;  // pixels of the pattern
    int columns = 0, pair_rows = 0;

    int covered_w() const { return columns * block.w; }
    int covered_h() const { return 2 * pair_rows * block.h; }
    int blocks() const { return 2 * pair_rows * columns; }
    auto operator<=>(const BlockGrid& other) const {
        return std::tie(block.w, block.h, left, top, columns, pair_rows) <=>
               std::tie(other.block.w, other.block.h, other.left, other.top, other.columns, other.pair_rows);
    }
    bool operator==(const BlockGrid& other) const { return (*this <=> other) == 0; }
};

struct Bound {
    BlockGrid grid;
    bool covered = true;  // nothing is outside
    int shift = 0;        // as BlockRow's
    double scale = 1;
    double inner[max_channels] = {}, outer[max_channels] = {};  // mean of T0 inside and outside the blocks
    double residual = 0, outer_residual = 0, rounding = 0;      // ||(1 - P) T0|| inside and outside; ||e||
    double slack = 0;
    std::int64_t outer_area = 0;
    std::vector<std::int32_t> coefficients;  // as TestRow's
    // [pair row][column]: ||(1 - P) T0||_k for the norms of BlockRow, rounded up.
    std::vector<float> cell;

    // (1 - P) T0 * detail_scale within +-63, zero sum in each block: planes of the covered rows, each padded with zeros
    // to whole vectors as in Pattern::coefficients.
    double detail_scale = 1;
    int detail_stride = 0;
    std::vector<std::int8_t> detail;
    std::vector<float> cell_error;  // as `cell`, of what rounding takes off the detail
};

// True when a bound of this shape can be made: at least two rows of blocks, 16-bit block sums.
bool shape_fits(const Pattern& pattern, BlockShape shape);

// As many blocks as the pattern holds, about its middle.
BlockGrid whole_grid(const Pattern& pattern, BlockShape shape);

// The pattern is prunable(), unmasked and of positive variance; the grid lies inside it, with at least one pair of
// blocks of a shape that fits.
Bound make_bound(const Pattern& pattern, const BlockGrid& grid);

// Grids worth trying for a pattern: of several shapes over all of it or, where that takes too many blocks, over parts,
// whose place is left to lay_over_contrast(). They depend on its size alone. `room` takes them, as many as are
// returned.
constexpr std::size_t most_grids = 24;
using GridRoom = std::array<BlockGrid, most_grids>;
std::span<BlockGrid> candidate_grids(const Pattern& pattern, GridRoom& room);

// Moves grids over parts of the pattern to where the least of its contrast lies outside.
void lay_over_contrast(const Pattern& pattern, std::span<BlockGrid> grids);

}  // namespace vedette::cpu::find
