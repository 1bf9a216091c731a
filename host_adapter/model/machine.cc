#include "machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vedette::model {
namespace {

constexpr double milliseconds = 1e3;
constexpr double unlimited = std::numeric_limits<double>::infinity();
// Bytes of a reference of one lane to shared or constant memory, and of the least transaction of memory (a sector of a
// GPU's line; CPUs count lines of 64 and more than fill it).
constexpr double reference_bytes = 4;
constexpr double sector_bytes = 32;

}  // namespace

Machine::Machine(const Parameters& parameters, bool caller_works) noexcept : caller_works_(caller_works) {
    const auto get = [&](std::uint32_t id, double otherwise) { return parameters.get(id, otherwise); };
    processors_ = std::max(get(VDT_PARAM_PROCESSORS, 1), 1.0);
    lanes_ = std::max(get(VDT_PARAM_LANES, 1), 1.0);
    bundle_ = std::max(get(VDT_PARAM_BUNDLE, 1), 1.0);
    clock_ = get(VDT_PARAM_CLOCK, 1e9);
    operation_time_ = get(VDT_PARAM_OPERATION_TIME, 1 / clock_);
    global_latency_ = get(VDT_PARAM_GLOBAL_LATENCY, 0);
    global_bandwidth_ = get(VDT_PARAM_GLOBAL_BANDWIDTH, 10e9);
    // Little's law: as many as all processors together need to reach the bandwidth.
    refs_in_flight_ = get(VDT_PARAM_REFS_IN_FLIGHT,
                          std::max(global_bandwidth_ * global_latency_ / (2 * sector_bytes) / processors_, 1.0));
    cache2_bytes_ = get(VDT_PARAM_CACHE2_BYTES, 0);
    cache2_bandwidth_ = get(VDT_PARAM_CACHE2_BANDWIDTH, global_bandwidth_);
    cache3_bytes_ = get(VDT_PARAM_CACHE3_BYTES, 0);
    cache3_bandwidth_ = get(VDT_PARAM_CACHE3_BANDWIDTH, global_bandwidth_);
    shared_latency_ = get(VDT_PARAM_SHARED_LATENCY, 0);
    shared_bandwidth_ = get(VDT_PARAM_SHARED_BANDWIDTH, processors_ * lanes_ * clock_ * reference_bytes);
    shared_bytes_ = get(VDT_PARAM_SHARED_BYTES, unlimited);
    constant_latency_ = get(VDT_PARAM_CONSTANT_LATENCY, 0);
    constant_bytes_ = get(VDT_PARAM_CONSTANT_BYTES, unlimited);
    constant_cache_bytes_ = get(VDT_PARAM_CONSTANT_CACHE_BYTES, unlimited);
    atomic_time_ = get(VDT_PARAM_ATOMIC_TIME, 0);
    barrier_time_ = get(VDT_PARAM_BARRIER_TIME, 0);
    launch_time_ = get(VDT_PARAM_LAUNCH_TIME, 0);
    next_launch_time_ = get(VDT_PARAM_NEXT_LAUNCH_TIME, launch_time_);
    to_device_pinned_ = get(VDT_PARAM_TO_DEVICE_PINNED, get(VDT_PARAM_TO_DEVICE_PAGEABLE, 5e9));
    to_device_pageable_.rate = get(VDT_PARAM_TO_DEVICE_PAGEABLE, to_device_pinned_);
    to_device_pageable_.small = get(to_device_small, to_device_pageable_.rate);
    to_device_pageable_.start = get(to_device_start, 0);
    to_host_pinned_ = get(VDT_PARAM_TO_HOST_PINNED, get(VDT_PARAM_TO_HOST_PAGEABLE, 5e9));
    to_host_pageable_.rate = get(VDT_PARAM_TO_HOST_PAGEABLE, to_host_pinned_);
    to_host_pageable_.small = get(to_host_small, to_host_pageable_.rate);
    to_host_pageable_.start = get(to_host_start, 0);
    copy_latency_ = get(VDT_PARAM_COPY_LATENCY, 0);
    copy_row_time_ = get(copy_row_time, 0);
}

double Machine::PageableCopy::time(double bytes) const noexcept {
    return std::min(bytes / small, start + bytes / rate);
}

double Machine::StageTime::longest() const noexcept {
    return std::max({compute + idle, memory, shared, constant});
}

// The part of the traffic that a cache holds goes at the cache's rate, the rest at the next one's. References whose
// bytes are not counted as traffic beyond the last cache are served by that cache.
double Machine::memory_time(double bytes, double refs, double active, double busiest) const noexcept {
    // A CPU's second caches belong to one processor each; a GPU's serves all.
    const double in_cache2 = std::min(bytes, caller_works_ ? cache2_bytes_ / busiest : cache2_bytes_);
    const double in_cache3 = std::max(std::min(bytes, cache3_bytes_) - in_cache2, 0.0);
    const double beyond = bytes - in_cache2 - in_cache3;
    const double hits = std::max(refs * sector_bytes - bytes, 0.0);
    const double cache_rate = cache3_bytes_ > 0 ? cache3_bandwidth_ : cache2_bandwidth_;
    // Few processors cannot keep enough transactions in flight for the whole bandwidth.
    const double refs_beyond = bytes > 0 ? refs * beyond / bytes : 0;
    const double waiting = refs_beyond * global_latency_ / (active * refs_in_flight_);
    // The caches' rates are those of all processors together.
    return (in_cache2 / cache2_bandwidth_ + in_cache3 / cache3_bandwidth_ + hits / cache_rate) * busiest +
           std::max(beyond / global_bandwidth_, waiting);
}

Machine::StageTime Machine::stage(const vdt_cost_stage& counts, const Setting& setting) const noexcept {
    const double items = std::max(counts.width, 1.0);
    const double bundles = std::ceil(items / bundle_);
    const double active = std::min(processors_, bundles);
    // Bundles of the processor that has most of them, and the lanes it can use with so many.
    const double bundles_here = std::ceil(bundles / processors_);
    const double lanes = std::min(lanes_, bundles_here * bundle_);
    const double rate = clock_ * setting.efficiency;

    StageTime time{};
    time.busiest = std::min(bundles_here * bundle_ / items, 1.0) * processors_;
    const double each = counts.work / items;
    const double chain = counts.span * operation_time_ / setting.efficiency;
    // With all lanes busy; then with bundles issued whole, on the processor that has most.
    const double busy = each * std::ceil(items / processors_) / lanes / rate;
    const double issued = each * std::max(counts.divergence, 1.0) * bundles_here * bundle_ / lanes / rate;
    time.compute = std::max(busy, chain);
    time.idle = std::max(std::max(issued, chain) - time.compute, 0.0);

    if (setting.memory) time.memory = memory_time(counts.global_bytes, counts.global_refs, active, time.busiest);
    time.shared = std::max(counts.shared_refs * reference_bytes / shared_bandwidth_ * time.busiest,
                           counts.shared_refs / items * shared_latency_) /
                  setting.efficiency;
    // A hit serves a whole bundle in one clock; a miss is as dear as memory [A].
    const double misses = std::max(1 - constant_cache_bytes_ / std::max(setting.constant_bytes, 1.0), 0.0);
    time.constant =
        std::max(counts.constant_refs / (active * lanes * clock_), counts.constant_refs / items * constant_latency_) /
            setting.efficiency +
        misses * counts.constant_refs / bundle_ * global_latency_ / (active * refs_in_flight_);
    time.atomics = counts.atomic_refs * atomic_time_;
    return time;
}

// Of a stage as one thread does it.
double Machine::alone_time(vdt_cost_stage counts, const Setting& setting) const noexcept {
    counts.width = std::min(counts.width, bundle_);
    const StageTime time = stage(counts, setting);
    return time.longest() + time.atomics;
}

// Of `launches` with so much work between them, which would take one thread alone so long.
double Machine::start_time(double launches, double work, double alone, Pace pace) const noexcept {
    if (!(launches > 0)) return 0;
    const double first = caller_works_ && pace == Pace::steady ? next_launch_time_ : launch_time_;
    const double whole = first + (launches - 1) * next_launch_time_;
    if (!caller_works_) return whole;
    if (!(work > 0)) return 0;
    const double joined = whole * std::min(alone / work / processors_, 1.0);
    const double until_done = work >= joined ? joined : 2 * std::sqrt(joined * work) - work;
    return std::clamp(alone - work, 0.0, until_done);
}

Terms Machine::terms_of(const vdt_cost& cost, const Transfers& transfers, double efficiency, bool memory,
                        Pace pace) const noexcept {
    Terms terms;
    double alone = 0;
    const std::uint32_t known = std::min(cost.stage_count, cost.stage_capacity);
    const Setting setting{efficiency, static_cast<double>(cost.constant_bytes), memory};
    const auto* bytes = reinterpret_cast<const unsigned char*>(cost.stages);
    for (std::uint32_t index = 0; index < known; ++index) {
        const auto* counts = reinterpret_cast<const vdt_cost_stage*>(bytes + std::uint64_t{index} * cost.stage_size);
        const StageTime time = stage(*counts, setting);
        terms.compute += time.compute;
        terms.idle += time.idle;
        terms.memory += time.memory;
        terms.shared += time.shared;
        terms.constant += time.constant;
        terms.atomics += time.atomics;
        const double sum = time.compute + time.idle + time.memory + time.shared + time.constant;
        terms.overlap += sum - time.longest();
        if (caller_works_) alone += alone_time(*counts, setting);
    }
    // What does not fit constant memory goes by parts, each of them a launch more for every stage [A].
    const double parts = std::max(std::ceil(setting.constant_bytes / constant_bytes_), 1.0);
    const double launches = cost.launches + (parts - 1) * known;
    terms.launch = start_time(launches, terms.work(), alone, pace);
    // Stages end with a launch's end or with a barrier. A thread that works by itself waits for nobody.
    if (!caller_works_) terms.barrier = std::max(static_cast<double>(cost.stage_count) - launches, 0.0) * barrier_time_;

    terms.to_device = to_device_pageable_.time(transfers.to_device_pageable) +
                      transfers.rows_to_device * copy_row_time_ +
                      (transfers.to_device_pinned + cost.bytes_to_device) / to_device_pinned_;
    terms.to_host = to_host_pageable_.time(transfers.to_host_pageable) + transfers.rows_to_host * copy_row_time_ +
                    (transfers.to_host_pinned + cost.bytes_to_host) / to_host_pinned_;
    const bool own_up = cost.bytes_to_device > 0, own_down = cost.bytes_to_host > 0;
    const bool up = transfers.to_device_pageable + transfers.to_device_pinned + cost.bytes_to_device > 0;
    const double latency = (transfers.copies + (own_up ? 1 : 0) + (own_down ? 1 : 0)) * copy_latency_;
    (up ? terms.to_device : terms.to_host) += latency;

    for (double* term : {&terms.compute, &terms.idle, &terms.memory, &terms.shared, &terms.constant, &terms.atomics,
                         &terms.barrier, &terms.launch, &terms.to_device, &terms.to_host, &terms.overlap})
        *term *= milliseconds;
    terms.total = terms.work() + terms.barrier + terms.launch + terms.to_device + terms.to_host;
    terms.fits = static_cast<double>(cost.shared_bytes) <= shared_bytes_;
    return terms;
}

Terms Machine::predict(const vdt_cost& cost, const Transfers& transfers, double efficiency, Pace pace) const noexcept {
    return terms_of(cost, transfers, efficiency, true, pace);
}

double Machine::efficiency_for(const vdt_cost& cost, const Transfers& transfers, double measured,
                               Pace pace) const noexcept {
    double least = std::ldexp(1.0, -20), most = std::ldexp(1.0, 20);
    const bool memory = terms_of(cost, transfers, most, true, pace).total < measured;
    const auto time_at = [&](double efficiency) { return terms_of(cost, transfers, efficiency, memory, pace).total; };
    const bool has_work = time_at(least) > time_at(most);
    if (!has_work || !(measured > time_at(most))) return 0;
    // More than the digits of a double for a factor of 2^40.
    for (int step = 0; step < 64; ++step) {
        const double middle = std::sqrt(least * most);
        (time_at(middle) > measured ? least : most) = middle;
    }
    return most;
}

}  // namespace vedette::model
