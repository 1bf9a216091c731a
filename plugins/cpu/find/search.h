// Ways of searching a rectangle of positions for one pattern. Each gives exactly the positions and scores of a full
// search; they differ in time only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bound.h"
#include "dense.h"
#include "fft.h"
#include "hits.h"
#include "pattern.h"
#include "scene.h"
#include "sweep.h"

namespace vedette::cpu::find {

class Prepared;
struct MaskedBound;

// Positions that are not searched: [x, x + w) x [y, y + h) of the region.
using Excluded = std::vector<vdt_rect>;

// What direct correlation needs: of a masked pattern coefficient pairs of the pattern and of the mask for every
// channel, else coefficients packed as each instruction set takes them.
struct DenseCoefficients {
    SweepShape shape;
    std::vector<std::int32_t> pattern, mask;
    PackedCoefficients by_two, by_four;

    const PackedCoefficients& packed(const Kernels& kernels) const {
        return kernels.packed_rows == 4 ? by_four : by_two;
    }
};
DenseCoefficients dense_coefficients(const Pattern& pattern);

// Scratch of one worker.
struct Worker {
    Sweep sweep;
    std::vector<Survivor> survivors;
    std::vector<const std::int32_t*> pairs, pair_squares;
    std::vector<const float*> norms;
    std::vector<double> parts;  // of a survivor's bound, by pair row
    std::vector<std::int32_t> positions, correlation, masked_sum[max_channels], masked_square;
    DenseCorrelator dense;
    FftCorrelator fft;
};

// The pieces a search of one pattern needs; all outlive the calls.
struct Task {
    const Kernels* kernels = nullptr;
    const Scene* scene = nullptr;
    const Pattern* pattern = nullptr;
    const Excluded* excluded = nullptr;
    const DenseCoefficients* dense = nullptr;
    const Bound* bound = nullptr;               // for search_pruned
    const MaskedBound* masked = nullptr;        // for search_masked
    const PatternSpectrum* spectrum = nullptr;  // for search_dense and map_dense; NULL = direct correlation. Units are
                                                // at most one fft_block then.
    Goal* goal = nullptr;
    // For search_pruned, when the bound turns out not to pay.
    const Prepared* prepared = nullptr;
    Isa isa = Isa::portable;
};

// Searches the unit by computing every score, masked or not.
void search_dense(const Task& task, const Unit& unit, Worker& worker, HitList& hits);

// Writes template_map's values of the unit to `out`, the whole map.
void map_dense(const Task& task, std::uint32_t method, const Unit& unit, Worker& worker, const vdt_image& out);

// Scores the window at (x, y) from its exact sums and keeps it when it reaches the goal and is not excluded; true then.
bool offer(const Task& task, HitList& hits, int x, int y, std::int64_t product, const Moments& window);

// sum I'T' of the windows at (x[k], y), at most most_dots of them.
void products_at(const Task& task, const std::int32_t* x, int places, int y, std::int64_t* product);

// Nanoseconds of products_at().
double products_price(const Pattern& pattern, int places, Isa isa);

// After `done` rows of a unit whose checks of survivors took `spent` nanoseconds: whether to go on. Checks that are to
// cost more than computing every score of the rows left are given up.
bool checks_pay(const Task& task, const Unit& unit, int done, double spent);

// All scores of what is left of a unit then.
void search_rest(const Task& task, const Unit& unit, Worker& worker, HitList& hits);

template <class T>
void grow(std::vector<T>& values, std::size_t count) {
    if (values.size() < count) values.resize(count);
}

// The best way of computing every score of columns x rows positions.
struct Exhaustive {
    int transform = 0;  // tile side, 0 = directly
    double cost = 0;    // nanoseconds in all on one core
    // The same on the scale of a bound's prices: with all cores at work transforms lose more of their speed than bounds
    // do (2-core Zen 3 VM, AVX2; colour screens of 2 megapixels).
    double beside_bound() const { return transform != 0 ? 1.7 * cost : cost; }
};
Exhaustive choose_exhaustive(const Pattern& pattern, int columns, int rows, Isa isa);

// Nanoseconds a position on one core, roughly: to choose between ways and to size units.
double dense_cost(const Pattern& pattern, Isa isa);

}  // namespace vedette::cpu::find
