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

}  // namespace vedette::cuda
