// Values of pixels, as all kernels that change formats make them.
#pragma once

#include "kernels/convert.h"

#include <type_traits>

namespace vedette::cuda {

// OpenCV 4's fixed-point BT.601 weights, 15 bits.
template <class T>
__device__ __forceinline__ T gray_of(T b, T g, T r) {
    if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(0.114 * static_cast<double>(b) + 0.587 * static_cast<double>(g) +
                                  0.299 * static_cast<double>(r));
    else
        return static_cast<T>((3735u * b + 19235u * g + 9798u * r + (1u << 14)) >> 15);
}

template <class T>
__device__ __forceinline__ T opaque() {
    if constexpr (std::is_same_v<T, float>)
        return 1.0f;
    else
        return static_cast<T>(~T{0});
}

}  // namespace vedette::cuda
