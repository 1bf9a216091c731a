// Tests that several kernels make of a position.
#pragma once

#include "device/warp.cuh"
#include "kernels/template_hits.h"

namespace vedette::cuda {

__device__ __forceinline__ bool is_excluded(const Exclusions& exclusions, int x, int y) {
    for (int i = 0; i < exclusions.count; ++i) {
        const PlaceRect& rect = exclusions.rects[i];
        if (x >= rect.x && y >= rect.y && x - rect.x < rect.w && y - rect.y < rect.h) return true;
    }
    return false;
}

__device__ __forceinline__ unsigned slot_of(const HitTable& table, unsigned pattern, unsigned place) {
    // Multiplicative hashing: neighbours in a row, and rows, go far apart.
    unsigned hash = (place ^ pattern * 0x9e3779b9u) * 0x85ebca6bu;
    hash ^= hash >> 15;
    return hash * 0xc2b2ae35u & table.mask;
}

__device__ __forceinline__ void enter_hit(const HitTable& table, unsigned number, unsigned pattern, unsigned place) {
    if (number >= table.most) return;
    unsigned slot = slot_of(table, pattern, place);
    while (atomicCAS(table.slots + slot, 0u, number + 1) != 0) slot = (slot + 1) & table.mask;
}

// Appends a hit as number `number`, where there is room.
__device__ __forceinline__ void put_hit(const HitTest& test, unsigned number, const Hit& hit) {
    if (number >= test.capacity) return;
    test.hits[number] = hit;
    if (test.table.slots != nullptr) enter_hit(test.table, number, hit.pattern, hit.place);
}

// Order of doubles as order of unsigned integers; 0 is below all of them.
__device__ __forceinline__ unsigned long long ordered_bits(double value) {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
    return (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000ull;
}

// Appends one position of each lane that has one (`take`) and reaches the threshold. The whole warp takes part.
__device__ __forceinline__ void offer(const HitTest& test, bool take, int x, int y, double score) {
    take = take && score >= test.threshold;
    if (test.best_only) {
        // The best of the warp only, and only while no other warp has seen a better one.
        const unsigned long long key = take ? ordered_bits(score) : 0;
        const unsigned long long best = warp_max(key);
        if (best == 0) return;
        unsigned long long before = 0;
        if (lane_index() == 0) before = atomicMax(&test.progress->best, best);
        before = __shfl_sync(all_lanes, before, 0);
        take = take && key == best && key >= before;
    }
    const unsigned number = warp_append(test.count, take);
    if (take)
        put_hit(test, number,
                {score, static_cast<std::uint32_t>(y) << 16 | static_cast<std::uint32_t>(x), test.pattern});
}

}  // namespace vedette::cuda
