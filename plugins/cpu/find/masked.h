// Pruned search with a mask.
//
// Blocks that lie wholly inside the mask, taken in pairs one above the other, span a space; P projects on it, less the
// blocks' common mean. With V the variance (times the pixels) of the window under the mask and E = ||P I||^2,
//     <I, T0> <= C + R sqrt(V - E),   C = <P I, P T0>,   R = ||(1 - P) T0||   [Cauchy-Schwarz],
// so the score is at most f(V) / ||T0|| with f(x) = (C + R sqrt(x - E)) / sqrt(x). V itself would cost a masked sum,
// but it lies between E and the variance W of the whole rectangle. f rises up to x0 = E (1 + R^2 E / C^2), where it is
// sqrt(C^2 / E + R^2): the bound is f(W) when W <= x0, else that maximum. Survivors are scored exactly.
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
    int shift = 0;
    double scale = 1;
    double projected = 0, residual = 0, rounding = 0;
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
