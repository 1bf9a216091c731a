// Filling of vdt_cost.
#pragma once

#include <vedette/plugin/cpp/cost.hpp>

#include "op.h"

namespace vedette::cpu {

using plugin::add_stage;

// Appends a stage for one fork and join whose lanes all have work: `bytes` beyond the last cache, in lines of 64;
// `cached` references to the first caches. Counts the launch.
void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept;

// 32-bit lanes of a thread's two vector units: the width of what one thread does, so that the host's model gives it to
// one processor.
double thread_lanes(Isa isa) noexcept;
// Those of one instruction: what an instruction takes of them that does less, with one element or with a vector of a
// fixed length.
inline double instruction_lanes(Isa isa) noexcept {
    return thread_lanes(isa) / 2;
}

// Appends a loop that parallel_for hands out in `pieces`, each done by one thread; else as add_loop. A single piece is
// done by the caller, and no fork is counted. `uneven`: how much longer the last thread is at it than all in the mean,
// besides what the number of pieces makes of that; at least 1.
void add_pieces(const Device& device, vdt_cost& cost, double work, double span, double pieces, double bytes,
                double cached, double uneven = 1) noexcept;

// Appends what the calling thread does by itself, one 32-bit operation after the other.
void add_serial(vdt_cost& cost, double work, double bytes, double cached) noexcept;

// Traffic with memory of a loop that reads and writes so many bytes without going past the caches: where they do not
// hold it all, a line is fetched before it is written.
double traffic_of(double read, double written) noexcept;

// Pieces of `grain` out of `items`.
inline double pieces_of(std::uint32_t items, std::uint32_t grain) noexcept {
    return static_cast<double>((std::uint64_t{items} + grain - 1) / grain);
}

}  // namespace vedette::cpu
