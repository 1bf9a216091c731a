// Images in device memory, as kernels take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// For functions that the host's compiler and the device's share.
#if defined(__CUDACC__) || defined(VEDETTE_CUDA_EMULATION)
#include <cuda_runtime.h>
#define VEDETTE_CUDA_BOTH __host__ __device__
#else
#define VEDETTE_CUDA_BOTH
#endif

namespace vedette::cuda {

// A plane of `T` in device memory. Row y begins at data + y * stride (bytes). Whoever calls a launcher keeps this
// promise: `data` and `stride` are multiples of 16 and stride is positive; each row of an input may be read up to the
// next multiple of 16 bytes. Kernels write inside width x height only. Width and height are at most 65535.
template <class T>
struct View {
    T* data = nullptr;
    std::size_t stride = 0;
    std::int32_t width = 0;  // in T
    std::int32_t height = 0;

    VEDETTE_CUDA_BOTH T* row(std::int32_t y) const {
        using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
        return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + static_cast<std::size_t>(y) * stride);
    }

    template <class U>
    View<U> as(std::int32_t width_of_u) const {
        return {reinterpret_cast<U*>(data), stride, width_of_u, height};
    }
};

}  // namespace vedette::cuda
