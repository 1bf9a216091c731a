// Arithmetic that is faster than the language's, where a bound of the error does.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// The square root of a value that is not negative, with a relative error of at most 2^-23 [PTX ISA, sqrt.approx].
// Numbers under the least normal one count as 0.
__device__ __forceinline__ float approximate_sqrt(float value) {
#if defined(VEDETTE_CUDA_EMULATION)
    return __fsqrt_rn(value);
#else
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
#endif
}

// 1 / value within one unit in the last place, in one instruction. Numbers under the least normal one count as 0; 0
// where `value` is over 2^126.
__device__ __forceinline__ float quick_reciprocal(float value) {
#if defined(VEDETTE_CUDA_EMULATION)
    return 1 / value;
#else
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
#endif
}

}  // namespace vedette::cuda
