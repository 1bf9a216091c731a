// Chooses how to search: with which blocks, or directly.
#pragma once

#include <span>

#include "prepared.h"

namespace vedette::cpu::find {

struct Choice {
    bool pruned = false;
    BlockGrid grid;
    const MaskedBound* masked = nullptr;  // set for masked patterns when the bound pays
    double cost = 0;                      // expected nanoseconds a position on one core
    double share = 1;                     // of windows expected to survive the bound
};

// Prices of a search by a bound in nanoseconds on one core of a 2-core Zen 3 VM, AVX2; ratios matter, not the clock.
double sums_cost(const Pattern& pattern, const BlockGrid& grid);      // of a position: sums of its window and blocks
double test_cost(const Pattern& pattern, const BlockGrid& grid);      // of a position: the bound's test
double survivor_cost(const Pattern& pattern, const BlockGrid& grid);  // of a window that survives it

// Whether a bound is looked for at all. `exhaustive_cost` as choose()'s.
bool worth_a_bound(const Pattern& pattern, double threshold, double exhaustive_cost);

// How many windows are looked at before a grid is taken, 0 = none: the search is too short.
std::int64_t samples_worth(const Pattern& pattern, std::span<const BlockGrid> grids, std::int64_t positions,
                           double exhaustive_cost);

// Blocks of the grid that is taken without a look: the best on desktops over all sizes when nothing is known of the
// scene.
constexpr double usual_blocks = 48;

// The grid of about so many blocks that covers most of the pattern; there is one.
BlockGrid grid_near(const Pattern& pattern, std::span<const BlockGrid> grids, double blocks);

// Looks at windows sampled from the scene when the search is long enough to pay for that. `exhaustive_cost`:
// nanoseconds a position on one core when every score is computed.
Choice choose(const Prepared& prepared, const Scene& scene, double threshold, double exhaustive_cost,
              const Device& device, vdt_token* token);

}  // namespace vedette::cpu::find
