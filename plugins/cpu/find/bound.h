// The bound that prunes the search, for one pattern and one block shape.
//
// Cover the window with blocks of block_w x block_h pixels; P projects on what is constant in each block and in the
// rest of the window ("outside", when the sizes are no multiples). With T0 = T - mean(T), channel by channel,
//     <I, T0> = <P I, P T0> + <(1 - P) I, (1 - P) T0> <= <P I, P T0> + ||(1 - P) I|| ||(1 - P) T0||   [Cauchy-Schwarz],
// where the first term costs one product a block and ||(1 - P) I||^2 = sum I^2 - (sum of squared block sums) / block
// area is known exactly. A window can reach the score s only if the right side is at least s ||I - mean|| ||T0||.
//
// Block means of T0 are rounded to scale * q with 16-bit q whose sum is zero in each channel, so that a change of the
// window's mean does not enter; the rounding error e has sum zero too and adds at most ||e|| ||I - mean||, which goes
// into the limit. Oblong blocks matter: text lines need more resolution down than across.
#pragma once

#include <vector>

#include "pattern.h"

namespace vedette::cpu::find {

struct BlockShape {
    int w = 1, h = 1;
};

struct Bound {
    BlockShape shape;
    int blocks_x = 0, pair_rows = 0;  // pair_rows = half the rows of blocks
    int left = 0, top = 0;            // of the covered part
    bool covered = true;
    int shift = 0;
    double scale = 1;
    double inner[max_channels] = {}, outer[max_channels] = {};  // mean of T0 inside and outside the blocks
    double projected = 0, residual = 0, rounding = 0;           // ||P T0||, ||(1 - P) T0||, ||e||
    double slack = 0;
    std::int64_t outer_area = 0;
    std::vector<std::int32_t> coefficients;  // as TestRow's

    // (1 - P) T0 * detail_scale within +-63, zero sum in each block: planes of rows as in Pattern::coefficients, but in
    // the order of checking, whole rows of blocks, those with most energy first.
    double detail_scale = 1;
    std::vector<std::int8_t> detail;
    std::vector<int> detail_order;    // the window's pixel row behind each row of `detail`
    std::vector<double> detail_rest;  // norm of everything not checked after each row of blocks
};

// True when a bound of this shape can be made: at least two rows of blocks, 16-bit block sums.
bool shape_fits(const Pattern& pattern, BlockShape shape);

// The pattern is small(), unmasked and of positive variance; the shape fits.
Bound make_bound(const Pattern& pattern, BlockShape shape);

// Shapes worth trying for a pattern, finest last.
std::vector<BlockShape> candidate_shapes(const Pattern& pattern);

}  // namespace vedette::cpu::find
