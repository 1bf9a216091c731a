// Arithmetic that is faster than the language's, where a bound of the error does.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// The square root of a value that is not negative, with a relative error of at most 2^-23 [PTX ISA, sqrt.approx].
__device__ __forceinline__ float approximate_sqrt(float value) {
#if defined(VEDETTE_CUDA_EMULATION)
    return __fsqrt_rn(value);
#else
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
#endif
}

}  // namespace vedette::cuda
