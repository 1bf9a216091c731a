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
    const unsigned place = warp_append(test.count, take);
    if (take && place < test.capacity)
        test.hits[place] = {score, static_cast<std::uint32_t>(y) << 16 | static_cast<std::uint32_t>(x), test.pattern};
}

}  // namespace vedette::cuda
