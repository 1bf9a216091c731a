// The one way kernels are started.
#pragma once

#include "error.h"

#include <array>
#include <cstddef>
#include <utility>

namespace vedette::cuda {

struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;  // dynamic
    unsigned cluster = 1;          // blocks of a cluster, along x
    bool cooperative = false;      // the whole grid is resident at once, so that it can meet at a grid barrier
};

// Starts `kernel` on `stream`; returns at once. Shared memory over 48 KB must have been allowed before (allow_shared).
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream, Arguments&&... arguments) {
    std::array<cudaLaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (shape.cluster > 1) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count].val.clusterDim = {shape.cluster, 1, 1};
        ++count;
    }
    if (shape.cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count].val.cooperative = 1;
        ++count;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = attributes.data();
    config.numAttrs = count;
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
