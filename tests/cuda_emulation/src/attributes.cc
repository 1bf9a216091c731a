// cudaDeviceGetAttribute.
#include "limits.h"

namespace vedette_emulation {

cudaError_t device_attribute(int* value, cudaDeviceAttr attribute, int device) {
    const Limits limit = limits();
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = max_threads;
            break;
        case cudaDevAttrMaxBlockDimX:
            *value = max_block.x;
            break;
        case cudaDevAttrMaxBlockDimY:
            *value = max_block.y;
            break;
        case cudaDevAttrMaxBlockDimZ:
            *value = max_block.z;
            break;
        case cudaDevAttrMaxGridDimX:
            *value = max_grid.x;
            break;
        case cudaDevAttrMaxGridDimY:
            *value = max_grid.y;
            break;
        case cudaDevAttrMaxGridDimZ:
            *value = max_grid.z;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(default_shared);
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = 65536;
            break;
        case cudaDevAttrWarpSize:
            *value = 32;
            break;
        case cudaDevAttrMaxRegistersPerBlock:
            *value = 65536;
            break;
        case cudaDevAttrClockRate:
            *value = 1000000;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = limit.multiprocessors;
            break;
        case cudaDevAttrKernelExecTimeout:
            *value = 0;
            break;
        case cudaDevAttrIntegrated:
            *value = 0;
            break;
        case cudaDevAttrCanMapHostMemory:
            *value = 1;
            break;
        case cudaDevAttrComputeMode:
            *value = 0;
            break;
        case cudaDevAttrConcurrentKernels:
            *value = 1;
            break;
        case cudaDevAttrPciBusId:
            *value = device + 1;
            break;
        case cudaDevAttrPciDeviceId:
            *value = 0;
            break;
        case cudaDevAttrMemoryClockRate:
            *value = 1000000;
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = 4096;
            break;
        case cudaDevAttrL2CacheSize:
            *value = 32 << 20;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = limit.threads_of_multiprocessor;
            break;
        case cudaDevAttrAsyncEngineCount:
            *value = 2;
            break;
        case cudaDevAttrUnifiedAddressing:
            *value = 1;
            break;
        case cudaDevAttrPciDomainId:
            *value = 0;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = limit.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = limit.minor;
            break;
        case cudaDevAttrStreamPrioritiesSupported:
            *value = 1;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(limit.shared_of_multiprocessor);
            break;
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            *value = 65536;
            break;
        case cudaDevAttrPageableMemoryAccess:
            *value = 0;
            break;
        case cudaDevAttrCooperativeLaunch:
            *value = 1;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(limit.shared_opt_in);
            break;
        case cudaDevAttrHostRegisterSupported:
            *value = 1;
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = limit.blocks_of_multiprocessor;
            break;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            *value = static_cast<int>(limit.shared_reserved);
            break;
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrClusterLaunch:
            *value = limit.clusters ? 1 : 0;
            break;
        default:
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

}  // namespace vedette_emulation
