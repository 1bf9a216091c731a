// A barrier for the whole grid. Only in kernels launched cooperatively (LaunchShape::cooperative): blocks that are not
// resident would be waited for for ever.
#pragma once

#include "memory.cuh"

namespace vedette::cuda {

// `state`: one word of device memory, zero before its first use, used by one grid at a time. Its low 31 bits count
// arrivals; the top bit flips when all have come, so that it needs no clearing between barriers and launches. Writes to
// global memory before the barrier are seen after it in every block.
__device__ __forceinline__ void grid_barrier(unsigned* state) {
#if defined(VEDETTE_CUDA_EMULATION)
    (void)state;
    vedette_emulation::grid_barrier();
#else
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
        const unsigned others = gridDim.x * gridDim.y * gridDim.z - 1;
        // The first block adds what lifts the count from "all others are here" to the flip of the top bit.
        const unsigned add = first ? 0x80000000u - others : 1u;
        __threadfence();
        const unsigned before = atomicAdd(state, add);
        while (((load_relaxed(state) ^ before) & 0x80000000u) == 0) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
#endif
}

}  // namespace vedette::cuda
