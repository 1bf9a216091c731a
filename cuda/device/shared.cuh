// The block's dynamic shared memory, sized at the launch.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// Aligned to 128 bytes, as bulk copies and 16-byte accesses of any layout want it.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
#if defined(VEDETTE_CUDA_EMULATION)
    return static_cast<T*>(vedette_emulated_dynamic_shared());
#else
    extern __shared__ __align__(128) unsigned char vedette_dynamic_shared[];
    return reinterpret_cast<T*>(vedette_dynamic_shared);
#endif
}

// Reads a word of shared memory into a register of its own, even where the compiler knows that another one holds the
// word: fragments of matrix products want four registers in a row, and moving words there costs more than reading them.
__device__ __forceinline__ unsigned load_own(const unsigned* word) {
#if defined(VEDETTE_CUDA_EMULATION)
    return *word;
#else
    unsigned value;
    asm volatile("ld.volatile.shared.u32 %0, [%1];"
                 : "=r"(value)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(word)))
                 : "memory");
    return value;
#endif
}

}  // namespace vedette::cuda
