// Filling of vdt_cost.
#pragma once

#include "op.h"

namespace vedette::cpu {

// Appends a stage: counted always, written when the caller's array has room for it.
void add_stage(vdt_cost& cost, const vdt_cost_stage& stage) noexcept;

// The same for one fork and join whose lanes all have work: `bytes` beyond the last cache, in lines of 64; `cached`
// references to the first caches. Counts the launch.
void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept;

}  // namespace vedette::cpu
