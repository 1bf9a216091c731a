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

Terms Terms::at_efficiency(double efficiency) const noexcept {
    Terms scaled = *this;
    for (double* term : {&scaled.compute, &scaled.idle, &scaled.memory, &scaled.shared, &scaled.constant,
                         &scaled.atomics, &scaled.overlap})
        *term /= efficiency;
    scaled.launch = std::min(whole_launch, most_launch * scaled.work());
    scaled.total = total - work() - launch + scaled.work() + scaled.launch;
    return scaled;
}

double Terms::efficiency_for(double measured) const noexcept {
    const double rest = total - work() - launch;
    if (!(work() > 0) || !(measured > rest)) return 0;
    // The work that is left when starting takes its whole time, and when it takes a multiple of the work.
    const double beside = measured - rest - whole_launch;
    if (beside > 0 && most_launch * beside >= whole_launch) return work() / beside;
    return std::isfinite(most_launch) ? work() * (1 + most_launch) / (measured - rest) : 0;
}

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
    to_device_pageable_ = get(VDT_PARAM_TO_DEVICE_PAGEABLE, to_device_pinned_);
    to_host_pinned_ = get(VDT_PARAM_TO_HOST_PINNED, get(VDT_PARAM_TO_HOST_PAGEABLE, 5e9));
    to_host_pageable_ = get(VDT_PARAM_TO_HOST_PAGEABLE, to_host_pinned_);
    copy_latency_ = get(VDT_PARAM_COPY_LATENCY, 0);
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

Machine::StageTime Machine::stage(const vdt_cost_stage& counts, double constant_bytes) const noexcept {
    const double items = std::max(counts.width, 1.0);
    const double bundles = std::ceil(items / bundle_);
    const double active = std::min(processors_, bundles);
    // Bundles of the processor that has most of them, and the lanes it can use with so many.
    const double bundles_here = std::ceil(bundles / processors_);
    const double lanes = std::min(lanes_, bundles_here * bundle_);

    StageTime time{};
    time.busiest = std::min(bundles_here * bundle_ / items, 1.0) * processors_;
    const double each = counts.work / items;
    const double chain = counts.span * operation_time_;
    // With all lanes busy; then with bundles issued whole, on the processor that has most.
    const double busy = each * std::ceil(items / processors_) / lanes / clock_;
    const double issued = each * std::max(counts.divergence, 1.0) * bundles_here * bundle_ / lanes / clock_;
    time.compute = std::max(busy, chain);
    time.idle = std::max(std::max(issued, chain) - time.compute, 0.0);

    time.memory = memory_time(counts.global_bytes, counts.global_refs, active, time.busiest);
    time.shared = std::max(counts.shared_refs * reference_bytes / shared_bandwidth_ * time.busiest,
                           counts.shared_refs / items * shared_latency_);
    // A hit serves a whole bundle in one clock; a miss is as dear as memory [A].
    const double misses = std::max(1 - constant_cache_bytes_ / std::max(constant_bytes, 1.0), 0.0);
    time.constant =
        std::max(counts.constant_refs / (active * lanes * clock_), counts.constant_refs / items * constant_latency_) +
        misses * counts.constant_refs / bundle_ * global_latency_ / (active * refs_in_flight_);
    time.atomics = counts.atomic_refs * atomic_time_;
    return time;
}

Terms Machine::predict(const vdt_cost& cost, const Transfers& transfers) const noexcept {
    Terms terms;
    double alone = 0;  // what one processor by itself would take on top of all of them
    const std::uint32_t known = std::min(cost.stage_count, cost.stage_capacity);
    const double constant_bytes = static_cast<double>(cost.constant_bytes);
    const auto* bytes = reinterpret_cast<const unsigned char*>(cost.stages);
    for (std::uint32_t index = 0; index < known; ++index) {
        const auto* counts = reinterpret_cast<const vdt_cost_stage*>(bytes + std::uint64_t{index} * cost.stage_size);
        const StageTime time = stage(*counts, constant_bytes);
        const double longest = std::max({time.compute + time.idle, time.memory, time.shared, time.constant});
        terms.compute += time.compute;
        terms.idle += time.idle;
        terms.memory += time.memory;
        terms.shared += time.shared;
        terms.constant += time.constant;
        terms.atomics += time.atomics;
        const double sum = time.compute + time.idle + time.memory + time.shared + time.constant;
        terms.overlap += sum - longest;
        alone += (processors_ / time.busiest - 1) * (longest + time.atomics);
    }
    // What does not fit constant memory goes by parts, each of them a launch more for every stage [A].
    const double parts = std::max(std::ceil(constant_bytes / constant_bytes_), 1.0);
    const double launches = cost.launches + (parts - 1) * known;
    if (launches > 0) terms.whole_launch = launch_time_ + (launches - 1) * next_launch_time_;
    if (caller_works_) terms.most_launch = terms.work() > 0 ? alone / terms.work() : 0;
    terms.launch = std::min(terms.whole_launch, terms.most_launch * terms.work());
    // Stages end with a launch's end or with a barrier.
    terms.barrier = std::max(static_cast<double>(cost.stage_count) - launches, 0.0) * barrier_time_;

    terms.to_device = transfers.to_device_pageable / to_device_pageable_ +
                      (transfers.to_device_pinned + cost.bytes_to_device) / to_device_pinned_;
    terms.to_host = transfers.to_host_pageable / to_host_pageable_ +
                    (transfers.to_host_pinned + cost.bytes_to_host) / to_host_pinned_;
    const bool own_up = cost.bytes_to_device > 0, own_down = cost.bytes_to_host > 0;
    const bool up = transfers.to_device_pageable + transfers.to_device_pinned + cost.bytes_to_device > 0;
    const double latency = (transfers.copies + (own_up ? 1 : 0) + (own_down ? 1 : 0)) * copy_latency_;
    (up ? terms.to_device : terms.to_host) += latency;

    for (double* term :
         {&terms.compute, &terms.idle, &terms.memory, &terms.shared, &terms.constant, &terms.atomics, &terms.barrier,
          &terms.launch, &terms.whole_launch, &terms.to_device, &terms.to_host, &terms.overlap})
        *term *= milliseconds;
    terms.total = terms.work() + terms.barrier + terms.launch + terms.to_device + terms.to_host;
    terms.fits = static_cast<double>(cost.shared_bytes) <= shared_bytes_;
    return terms;
}

}  // namespace vedette::model
