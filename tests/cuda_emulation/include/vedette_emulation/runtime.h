// The CUDA Runtime API: devices, errors, functions, occupancy. Safe from every thread; the current device, the last
// error and what is captured belong to the calling thread, as in CUDA. Faults can be set (vedette_emulation/faults.h).
#pragma once
#include <type_traits>

#include "types.h"

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
/// As cudaSetDevice; also the device's context, of which there is nothing to make here.
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);
/// Registers, local and static shared memory are not known here: 32, 0 and 0.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);
/// Counts threads, blocks and dynamic shared memory of a multiprocessor (2048, 32, 228 KB), not registers.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared);
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const cudaLaunchConfig_t* config);

namespace vedette_emulation {
/// The address by which the stand-in knows a kernel.
template <typename T>
const void* kernel_address(T* kernel) {
    return reinterpret_cast<const void*>(kernel);
}
}  // namespace vedette_emulation

template <typename T, typename = std::enable_if_t<std::is_function_v<T>>>
cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(vedette_emulation::kernel_address(function), attribute, value);
}
template <typename T, typename = std::enable_if_t<std::is_function_v<T>>>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function) {
    return cudaFuncGetAttributes(attributes, vedette_emulation::kernel_address(function));
}
template <typename T, typename = std::enable_if_t<std::is_function_v<T>>>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* function, int block_size,
                                                          size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, vedette_emulation::kernel_address(function),
                                                         block_size, dynamic_shared);
}
template <typename T, typename = std::enable_if_t<std::is_function_v<T>>>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* function, const cudaLaunchConfig_t* config) {
    return cudaOccupancyMaxActiveClusters(clusters, vedette_emulation::kernel_address(function), config);
}
template <typename T, typename = std::enable_if_t<std::is_function_v<T>>>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* function, const cudaLaunchConfig_t* config) {
    return cudaOccupancyMaxPotentialClusterSize(size, vedette_emulation::kernel_address(function), config);
}
