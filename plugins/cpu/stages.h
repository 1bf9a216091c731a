// Filling of vdt_cost.
#pragma once

#include <vedette/plugin/cpp/cost.hpp>

namespace vedette::cpu {

using plugin::add_stage;

// Appends a stage for one fork and join whose lanes all have work: `bytes` beyond the last cache, in lines of 64;
// `cached` references to the first caches. Counts the launch.
void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept;

}  // namespace vedette::cpu
