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

// above / below within two units in the last place, in two instructions. Numbers under the least normal one count as 0;
// 0 where `below` is over 2^126.
__device__ __forceinline__ float quick_quotient(float above, float below) {
#if defined(VEDETTE_CUDA_EMULATION)
    return above / below;
#else
    float result;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(above), "f"(below));
    return result;
#endif
}

}  // namespace vedette::cuda
