// Pruned search with a mask.
//
// Blocks that lie wholly inside the mask, taken in pairs one above the other, span a space; P projects on it, less the
// blocks' common mean. What is left of the pixels of a pair k without their block means is its detail, with the norms
// d_k in the window and t_k in the pattern. With V the variance (times the pixels) of the window under the mask and F
// that of the pixels in blocks about their own mean,
//     <I, T0> <= A + R sqrt(V - F),   A = <P I, P T0> + sum of d_k t_k,   R^2 = ||T0||^2 - ||P T0||^2 - sum of t_k^2
// [Cauchy-Schwarz in each pair and in the rest], so the score is at most f(V) / ||T0|| with f(x) = (A + R sqrt(x - F))
// / sqrt(x). V itself would cost a masked sum, but it lies between F and the variance W of the whole rectangle. f rises
// up to x0 = F (1 + R^2 F / A^2), where it is sqrt(A^2 / F + R^2): the bound is f(W) when W <= x0, else that maximum.
// Survivors are scored exactly.
#pragma once

#include <vector>

#include "bound.h"
#include "search.h"

namespace vedette::cpu::find {

struct MaskedBound {
    struct Pair {
        int row = 0, column = 0;  // in the lattice: rows are pairs of blocks
    };
    BlockShape shape;
    int left = 0, top = 0, columns = 0, rows = 0;  // of the lattice; rows of pairs
    std::vector<Pair> pairs;
    std::vector<std::int32_t> coefficients;  // [channel][pair], 16-bit halves, scaled, zero sum in each channel
    std::vector<double> means;               // [channel][pair][half] of (P T0), what the coefficients stand for
    std::vector<float> cell;                 // [pair]: t_k for the norms of BlockRow, rounded up
    std::vector<double> detail;              // [pair]: t_k
    int shift = 0;                           // as BlockRow's
    double scale = 1;
    double residual = 0, rounding = 0;  // R, norm of the coefficients' rounding
};

// The pattern is masked and small(). No pairs: no block fits into the mask.
MaskedBound make_masked_bound(const Pattern& pattern, BlockShape shape);

// Least norm that a hit's blocks and detail must reach; the bound prunes only when it is above bound.residual.
double masked_limit(const Pattern& pattern, const MaskedBound& bound, double threshold);

// As search_pruned, with task.masked.
std::uint64_t search_masked(const Task& task, const Unit& unit, Worker& worker, HitList& hits);

// The best of several shapes for this scene by windows sampled from it; NULL when computing every score costs less.
const MaskedBound* choose_masked(const Prepared& prepared, const Scene& scene, double threshold,
                                 double exhaustive_price, double& price, double& share);

}  // namespace vedette::cpu::find
