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

// The counterpart, in block `rank`, of an address in this block's dynamic shared memory. Read and write through it.
template <class T>
__device__ __forceinline__ T* shared_of(T* here, unsigned rank) {
#if defined(VEDETTE_CUDA_EMULATION)
    const auto offset =
        reinterpret_cast<unsigned char*>(here) - static_cast<unsigned char*>(vedette_emulated_dynamic_shared());
    return reinterpret_cast<T*>(static_cast<unsigned char*>(vedette_emulation::cluster_shared(rank)) + offset);
#elif __CUDA_ARCH__ >= 900
    T* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
    return there;
#else
    return here;
#endif
}

}  // namespace vedette::cuda
