// The one way kernels are started.
#pragma once

#include "error.h"

#include <cstddef>
#include <utility>

namespace vedette::cuda {

struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;  // dynamic
};

// Starts `kernel` on `stream`; returns at once. Shared memory over 48 KB must have been allowed before (allow_shared).
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream, Arguments&&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), "starting a kernel");
}

// Lets `kernel` have `bytes` of dynamic shared memory on the current device. Cheap; call it when a plan is made.
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::size_t bytes) {
    if (bytes <= 48 * 1024) return;
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "asking for shared memory");
}

// Blocks of `size` that cover `extent`.
constexpr unsigned blocks_for(std::size_t extent, std::size_t size) {
    return static_cast<unsigned>((extent + size - 1) / size);
}

}  // namespace vedette::cuda
