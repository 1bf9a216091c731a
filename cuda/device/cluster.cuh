// Blocks of one cluster: rank, barrier and each other's shared memory. Compute capability 9.0 and up; kernels that use
// these are launched only where DeviceLimits::clusters says so.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// Rank of this block among the blocks of its cluster (along x).
__device__ __forceinline__ unsigned cluster_rank() {
#if defined(VEDETTE_CUDA_EMULATION)
    return vedette_emulation::cluster_rank();
#elif __CUDA_ARCH__ >= 900
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
#else
    return 0;
#endif
}

// All threads of all blocks of the cluster meet; shared-memory writes before it are seen after it in every block. Every
// block must pass one before the first access to another's memory (it may not have started) and before it exits.
__device__ __forceinline__ void cluster_barrier() {
#if defined(VEDETTE_CUDA_EMULATION)
    vedette_emulation::cluster_barrier();
#elif __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

// Stores two floats at the counterpart, in block `rank`, of an address in this block's dynamic shared memory; aligned
// to 8 bytes. Others may read them after the next cluster_barrier.
__device__ __forceinline__ void store_in_cluster(void* here, unsigned rank, float first, float second) {
#if defined(VEDETTE_CUDA_EMULATION)
    float* const there = static_cast<float*>(vedette_emulation::cluster_map(here, rank));
    there[0] = first;
    there[1] = second;
#elif __CUDA_ARCH__ >= 900
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(here));
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there), "f"(first), "f"(second) : "memory");
#else
    (void)rank;
    static_cast<float2*>(here)[0] = float2{first, second};
#endif
}

}  // namespace vedette::cuda
