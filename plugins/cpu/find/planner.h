// Chooses how to search: with which blocks, or directly.
#pragma once

#include "prepared.h"

namespace vedette::cpu::find {

struct Choice {
    bool pruned = false;
    BlockGrid grid;
    const MaskedBound* masked = nullptr;  // set for masked patterns when the bound pays
    double cost = 0;                      // expected nanoseconds a position on one core
    double share = 1;                     // of windows expected to survive the bound
};

// Looks at windows sampled from the scene when the search is long enough to pay for that. `exhaustive_cost`:
// nanoseconds a position on one core when every score is computed.
Choice choose(const Prepared& prepared, const Scene& scene, double threshold, double exhaustive_cost,
              const Device& device, vdt_token* token);

}  // namespace vedette::cpu::find
