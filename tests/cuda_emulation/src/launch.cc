// Launches, the attributes of kernels, and occupancy.
#include "vedette_emulation/launch.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "calls.h"
#include "executor.h"
#include "limits.h"
#include "streams.h"

namespace vedette_emulation {
namespace {

struct KernelAttributes {
    size_t dynamic_shared = default_shared;
    int carveout = cudaSharedmemCarveoutDefault;
    bool any_cluster = false;
};

struct Kernels {
    std::mutex mutex;
    std::map<const void*, KernelAttributes> attributes;
};
Kernels& kernels() {
    static auto* const all = new Kernels;
    return *all;
}
KernelAttributes attributes_of(const void* kernel) {
    Kernels& all = kernels();
    const std::lock_guard lock(all.mutex);
    const auto found = all.attributes.find(kernel);
    return found != all.attributes.end() ? found->second : KernelAttributes{};
}

bool within(const dim3& size, const int3& limit) {
    return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= static_cast<unsigned int>(limit.x) &&
           size.y <= static_cast<unsigned int>(limit.y) && size.z <= static_cast<unsigned int>(limit.z);
}

/// Blocks of one multiprocessor.
int active_blocks(int threads, size_t dynamic_shared) {
    const Limits limit = limits();
    const int warps = (threads + 31) / 32;
    const int by_threads = limit.threads_of_multiprocessor / (warps * 32);
    const size_t by_shared =
        limit.shared_of_multiprocessor / std::max<size_t>(dynamic_shared + limit.shared_reserved, 1);
    return static_cast<int>(
        std::min<size_t>(static_cast<size_t>(std::min(by_threads, limit.blocks_of_multiprocessor)), by_shared));
}

cudaError_t check_shared(const void* kernel, size_t dynamic_shared) {
    return dynamic_shared <= std::min(attributes_of(kernel).dynamic_shared, limits().shared_opt_in)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t check_cluster(const Launch& launch) {
    if (!limits().clusters) {
        return cudaErrorNotSupported;
    }
    const dim3 size = launch.cluster;
    const unsigned int most = attributes_of(launch.kernel).any_cluster ? largest_cluster : portable_cluster;
    const uint64_t blocks = uint64_t{size.x} * size.y * size.z;
    if (size.x > most || size.y > most || size.z > most || blocks == 0 || blocks > most ||
        launch.grid.x % size.x != 0 || launch.grid.y % size.y != 0 || launch.grid.z % size.z != 0) {
        return cudaErrorInvalidClusterSize;
    }
    return cudaSuccess;
}

cudaError_t fill(const cudaLaunchConfig_t* config, const void* kernel, Launch* launch) {
    if (config == nullptr || kernel == nullptr || (config->numAttrs > 0 && config->attrs == nullptr)) {
        return kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    }
    launch->kernel = kernel;
    launch->grid = config->gridDim;
    launch->block = config->blockDim;
    launch->dynamic_shared = config->dynamicSmemBytes;
    for (unsigned int i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative) {
            launch->cooperative = attribute.val.cooperative != 0;
        } else if (attribute.id == cudaLaunchAttributeClusterDimension) {
            launch->has_cluster = true;
            launch->cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
        }
    }
    if (!within(launch->block, max_block) || !within(launch->grid, max_grid) ||
        launch->block.x * launch->block.y * launch->block.z > static_cast<unsigned int>(max_threads)) {
        return cudaErrorInvalidConfiguration;
    }
    cudaError_t error = check_shared(kernel, launch->dynamic_shared);
    if (error == cudaSuccess && launch->has_cluster) {
        error = check_cluster(*launch);
    }
    if (error == cudaSuccess && launch->cooperative) {
        const int threads = static_cast<int>(launch->block.x * launch->block.y * launch->block.z);
        const uint64_t room = static_cast<uint64_t>(active_blocks(threads, launch->dynamic_shared)) *
                              static_cast<uint64_t>(limits().multiprocessors);
        const uint64_t blocks = uint64_t{launch->grid.x} * launch->grid.y * launch->grid.z;
        error = blocks <= room ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
    }
    return error;
}

}  // namespace

cudaError_t prepare_launch(const cudaLaunchConfig_t* config, const void* kernel, Launch* launch) {
    return call("cudaLaunchKernelEx", Needs::device, [&] { return fill(config, kernel, launch); });
}

cudaError_t enqueue_launch(cudaStream_t stream, Launch launch) {
    return answer(enqueue(stream, [launch = std::move(launch)] { return Executor::of_this_thread().run(launch); }));
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return call(__func__, Needs::device, [&] {
        if (function == nullptr) {
            return cudaErrorInvalidDeviceFunction;
        }
        const size_t most = limits().shared_opt_in;
        Kernels& all = kernels();
        const std::lock_guard lock(all.mutex);
        KernelAttributes& known = all.attributes[function];
        switch (attribute) {
            case cudaFuncAttributeMaxDynamicSharedMemorySize:
                if (value < 0 || static_cast<size_t>(value) > most) {
                    return cudaErrorInvalidValue;
                }
                known.dynamic_shared = static_cast<size_t>(value);
                return cudaSuccess;
            case cudaFuncAttributePreferredSharedMemoryCarveout:
                if (value < -1 || value > 100) {
                    return cudaErrorInvalidValue;
                }
                known.carveout = value;
                return cudaSuccess;
            case cudaFuncAttributeNonPortableClusterSizeAllowed:
                known.any_cluster = value != 0;
                return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return call(__func__, Needs::device, [&] {
        if (attributes == nullptr || function == nullptr) {
            return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
        }
        const KernelAttributes known = attributes_of(function);
        const Limits limit = limits();
        *attributes = {};
        attributes->maxThreadsPerBlock = max_threads;
        attributes->numRegs = 32;
        attributes->ptxVersion = attributes->binaryVersion = limit.major * 10 + limit.minor;
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(known.dynamic_shared);
        attributes->preferredShmemCarveout = known.carveout;
        attributes->nonPortableClusterSizeAllowed = known.any_cluster ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared) {
    return call(__func__, Needs::device, [&] {
        if (blocks == nullptr || function == nullptr || block_size < 1 || block_size > max_threads) {
            return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
        }
        *blocks = check_shared(function, dynamic_shared) == cudaSuccess ? active_blocks(block_size, dynamic_shared) : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
    return call(__func__, Needs::device, [&] {
        Launch launch;
        const cudaError_t error = fill(config, function, &launch);
        if (clusters == nullptr || error != cudaSuccess) {
            return error != cudaSuccess ? error : cudaErrorInvalidValue;
        }
        const int threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
        const int blocks = active_blocks(threads, launch.dynamic_shared) * limits().multiprocessors;
        *clusters = blocks / static_cast<int>(launch.cluster.x * launch.cluster.y * launch.cluster.z);
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const cudaLaunchConfig_t* config) {
    return call(__func__, Needs::device, [&] {
        if (size == nullptr || function == nullptr || config == nullptr) {
            return cudaErrorInvalidValue;
        }
        *size = static_cast<int>(attributes_of(function).any_cluster ? largest_cluster : portable_cluster);
        return limits().clusters ? cudaSuccess : cudaErrorNotSupported;
    });
}
