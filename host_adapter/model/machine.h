// The machine model: counts of an operation and parameters of a device in, milliseconds by term out.
//
// Refines the model of Kapustin (2013) [A], whose own formulas are in estimate.h: T = copies to the device + sum over
// stages (start + time of the stage) + copies to the host. There a stage is compute + memory; here the two overlap, as
// they do on every machine since: a stage lasts as long as the longest of compute, memory, shared and constant memory.
#pragma once

#include "parameters.h"

#include <cstdint>

namespace vedette::model {

// Bytes that the host knows a call must move because of where its images lie, and in how many copies. Bytes that the
// plugin itself moves are in vdt_cost.
struct Transfers {
    double to_device_pageable = 0;
    double to_device_pinned = 0;
    double to_host_pageable = 0;
    double to_host_pinned = 0;
    double copies = 0;
    // Rows that do not lie one behind the other on the device, which keeps them at a pitch.
    double rows_to_device = 0;
    double rows_to_host = 0;
};

// Milliseconds. `overlap` is what compute, idle, memory, shared and constant hide behind each other, so that
//   total = compute + idle + memory + shared + constant + atomics + barrier + launch + to_device + to_host - overlap.
struct Terms {
    double compute = 0;   // operations, or the longest dependent chain where that is longer
    double idle = 0;      // lanes that are carried along without work: divergence, bundles that are not full
    double memory = 0;    // caches beyond the first, and memory
    double shared = 0;    // on-chip memory; CPU: first cache
    double constant = 0;  // constant memory
    double atomics = 0;
    double barrier = 0;  // device-wide, between stages of one launch
    double launch = 0;
    double to_device = 0;
    double to_host = 0;
    double overlap = 0;
    double total = 0;
    bool fits = true;  // false: a block needs more shared memory than a multiprocessor has

    // What the device itself works, without starting and copies.
    double work() const noexcept { return compute + idle + memory + shared + constant + atomics - overlap; }
};

// When a call comes: after a while in which the threads of its device have gone to sleep, or right after another one of
// that device. The first fork of a loop is dearer after a rest; a GPU is started and waited for by every call alike.
enum class Pace { rested, steady };

// A device as the formulas see it: every parameter with a value. What is not known costs nothing where the model can do
// without (latencies, barriers, the finer caches) and is cautious where it cannot: one processor of one lane at 1 GHz,
// 10 GB/s to memory, 5 GB/s to and from a device.
class Machine {
public:
    // `caller_works`: launches are loops that the calling thread works on as well, as on every CPU. Its threads join it
    // one after the other. Say the last of n is there after 2 L, all of them would take w for the work and one alone A;
    // then the work is done after w + L, or, when that is before the last is there, after 2 sqrt(L w), and never later
    // than A. Where the speed of memory keeps A below n w, so many threads as reach it do, and L is less by A / (n w).
    explicit Machine(const Parameters& parameters, bool caller_works = false) noexcept;

    // `cost` with its stages (stage_count of them within stage_capacity; more are not looked at). `efficiency`, above
    // 0: the share that the code reaches of the speed of instructions that the parameters stand for; above 1 where its
    // counts are too many. Memory is as fast for code of any kind, and bounds it by itself. Never negative, always
    // finite for finite counts. Does not allocate.
    Terms predict(const vdt_cost& cost, const Transfers& transfers, double efficiency = 1,
                  Pace pace = Pace::rested) const noexcept;

    // The efficiency with which a call takes `measured` milliseconds, within 2^-20 and 2^20; where memory alone is
    // predicted to take longer, the one whose instructions take as long. 0 when none does: starting and copies alone
    // take as long, or there is no work.
    double efficiency_for(const vdt_cost& cost, const Transfers& transfers, double measured,
                          Pace pace = Pace::rested) const noexcept;

private:
    struct StageTime {
        double compute, idle, memory, shared, constant, atomics;  // seconds
        double busiest;  // share of the work that the processor with most of it has, times processors: 1 = all alike
        double longest() const noexcept;  // of what overlaps
    };
    // What a prediction takes from its call beside the counts.
    struct Setting {
        double efficiency;
        double constant_bytes;
        bool memory;  // counts
    };
    // Copies of pageable memory: as one thread does a small one, or in parts by all of them where that is faster.
    struct PageableCopy {
        double small, start, rate;
        double time(double bytes) const noexcept;
    };
    StageTime stage(const vdt_cost_stage& counts, const Setting& setting) const noexcept;
    double alone_time(vdt_cost_stage counts, const Setting& setting) const noexcept;
    double memory_time(double bytes, double refs, double active, double busiest) const noexcept;
    double start_time(double launches, double work, double alone, Pace pace) const noexcept;
    Terms terms_of(const vdt_cost& cost, const Transfers& transfers, double efficiency, bool memory,
                   Pace pace) const noexcept;

    bool caller_works_;
    double processors_, lanes_, bundle_, clock_, operation_time_;
    double global_latency_, global_bandwidth_, refs_in_flight_;
    double cache2_bytes_, cache2_bandwidth_, cache3_bytes_, cache3_bandwidth_;
    double shared_latency_, shared_bandwidth_, shared_bytes_;
    double constant_latency_, constant_bytes_, constant_cache_bytes_;
    double atomic_time_, barrier_time_, launch_time_, next_launch_time_;
    double to_device_pinned_, to_host_pinned_, copy_latency_, copy_row_time_;
    PageableCopy to_device_pageable_, to_host_pageable_;
};

}  // namespace vedette::model
