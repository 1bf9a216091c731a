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
    bool early =
        false;  // may begin before the kernel before it has ended (device/previous.cuh); where the limits say so
};

// A launch as the runtime takes it. Holds what the configuration points to.
struct LaunchConfiguration {
    LaunchConfiguration(const LaunchShape& shape, cudaStream_t stream) {
        if (shape.cluster > 1) {
            attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
            attributes[config.numAttrs].val.clusterDim = {shape.cluster, 1, 1};
            ++config.numAttrs;
        }
        if (shape.cooperative) {
            attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
            attributes[config.numAttrs].val.cooperative = 1;
            ++config.numAttrs;
        }
        if (shape.early) {
            attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[config.numAttrs].val.programmaticStreamSerializationAllowed = 1;
            ++config.numAttrs;
        }
        config.gridDim = shape.grid;
        config.blockDim = shape.block;
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = stream;
        config.attrs = attributes.data();
    }
    LaunchConfiguration(const LaunchConfiguration&) = delete;
    LaunchConfiguration& operator=(const LaunchConfiguration&) = delete;

    std::array<cudaLaunchAttribute, 3> attributes{};
    cudaLaunchConfig_t config{};
};

// Starts `kernel` on `stream`; returns at once. Shared memory over 48 KB must have been allowed before (allow_shared).
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream, Arguments&&... arguments) {
    const LaunchConfiguration configuration(shape, stream);
    check(cudaLaunchKernelEx(&configuration.config, kernel, std::forward<Arguments>(arguments)...),
          "starting a kernel");
}

// Lets `kernel` have `bytes` of dynamic shared memory on the current device. Cheap; call it when a plan is made.
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::size_t bytes) {
    if (bytes <= 48 * 1024) return;
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "asking for shared memory");
}

// How many clusters of this shape the device can hold at once; 0 when none fits. Sizes over 8 blocks are allowed here.
template <class... Parameters>
int clusters_at_once(void (*kernel)(Parameters...), const LaunchShape& shape) {
    if (shape.cluster > 8)
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "asking for large clusters");
    const LaunchConfiguration configuration(shape, nullptr);
    int count = 0;
    if (cudaOccupancyMaxActiveClusters(&count, kernel, &configuration.config) == cudaSuccess) return count;
    (void)cudaGetLastError();  // no such cluster on this device
    return 0;
}

// Blocks of `size` that cover `extent`.
constexpr unsigned blocks_for(std::size_t extent, std::size_t size) {
    return static_cast<unsigned>((extent + size - 1) / size);
}

}  // namespace vedette::cuda
