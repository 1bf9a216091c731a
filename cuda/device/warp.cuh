// Sums and scans among the 32 threads of a warp. All of them take part.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ __forceinline__ unsigned lane_index() {
    return threadIdx.x % 32;
}

// The sum over all lanes, in every lane.
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
    return value;
}

__device__ __forceinline__ unsigned warp_sum(unsigned value) {
#if !defined(VEDETTE_CUDA_EMULATION) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all_lanes, value);
#else
    return warp_sum<unsigned>(value);
#endif
}

template <class T>
__device__ __forceinline__ T warp_max(T value) {
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(all_lanes, value, step);
        value = other > value ? other : value;
    }
    return value;
}

template <class T>
__device__ __forceinline__ T warp_min(T value) {
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(all_lanes, value, step);
        value = other < value ? other : value;
    }
    return value;
}

// The sum over this lane and those before it.
template <class T>
__device__ __forceinline__ T warp_scan(T value) {
    for (unsigned step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(all_lanes, value, step);
        if (lane_index() >= step) value += other;
    }
    return value;
}

// Appends to a list: every lane gets room for `count` entries in [*size, ...), with one atomic for the warp. Places may
// lie past the list's end; the caller compares. Returns the lane's first place.
__device__ __forceinline__ unsigned warp_reserve(unsigned* size, unsigned count) {
    const unsigned through = warp_scan(count);
    unsigned place = 0;
    if (lane_index() == 31) place = atomicAdd(size, through);
    return __shfl_sync(all_lanes, place, 31) + through - count;
}

// Appends to a list: every lane with `take` gets a place of its own in [*count, ...), in order of lanes, with one
// atomic for the warp. Places may lie past the list's end; the caller compares. Returns the place, anything without
// `take`.
__device__ __forceinline__ unsigned warp_append(unsigned* count, bool take) {
    const unsigned takers = __ballot_sync(all_lanes, take);
    if (takers == 0) return 0;
    const int first = __ffs(static_cast<int>(takers)) - 1;
    unsigned place = 0;
    if (static_cast<int>(lane_index()) == first) place = atomicAdd(count, static_cast<unsigned>(__popc(takers)));
    place = __shfl_sync(all_lanes, place, first);
    return place + static_cast<unsigned>(__popc(takers & ((1u << lane_index()) - 1u)));
}

}  // namespace vedette::cuda
