// Patterns whose sums do not fit the 32-bit kernels (Pattern::small() is false): 64-bit sums and, for many positions,
// Fourier transforms. Contracts as in search.h.
#pragma once

#include "search.h"

namespace vedette::cpu::find {

// Nanoseconds a position on one core without transforms.
double large_cost(const Pattern& pattern, Isa isa);
// Sums of pixel * coefficient over the windows at (x[k], y), one channel; at most most_dots windows.
void window_dots(const Task& task, int channel, const std::int32_t* x, int places, int y,
                 const std::int8_t* coefficient, std::int64_t* sum);
void search_large(const Task& task, const Unit& unit, Worker& worker, HitList& hits);
void map_large(const Task& task, std::uint32_t method, const Unit& unit, Worker& worker, const vdt_image& out);

}  // namespace vedette::cpu::find
