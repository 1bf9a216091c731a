// Patterns whose sums do not fit the 32-bit kernels (Pattern::small() is false): 64-bit sums and, for many positions,
// Fourier transforms. Contracts as in search.h.
#pragma once

#include "search.h"

namespace vedette::cpu::find {

// Nanoseconds a position on one core without transforms.
double large_cost(const Pattern& pattern, Isa isa);
// Sum of pixel * coefficient over the window at (x, y), one channel.
std::int64_t window_dot(const Task& task, int channel, int x, int y, const std::int16_t* coefficient);
void search_large(const Task& task, const Unit& unit, Worker& worker, HitList& hits);
void map_large(const Task& task, std::uint32_t method, const Unit& unit, Worker& worker, const vdt_image& out);

}  // namespace vedette::cpu::find
