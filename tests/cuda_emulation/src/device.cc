// Devices, errors and versions.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "calls.h"
#include "limits.h"
#include "streams.h"
#include "vedette_emulation/runtime.h"

namespace vedette_emulation {
namespace {

thread_local int device_of_thread = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t sticky_error() {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    return all.sticky[device_of_thread];
}

cudaError_t check_device(int device) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    return device >= 0 && device < all.devices ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

int current_device() {
    return device_of_thread;
}

cudaError_t enter(const char* function, Needs needs) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    ++all.calls[function];
    cudaError_t error = cudaSuccess;
    const auto [first, last] = all.call_faults.equal_range(function);
    for (auto fault = first; fault != last;) {
        if (--fault->second.calls_left == 0) {
            error = fault->second.error;
            fault = all.call_faults.erase(fault);
        } else {
            ++fault;
        }
    }
    if (error != cudaSuccess || needs == Needs::nothing) {
        return error;
    }
    if (all.no_driver) {
        return cudaErrorInsufficientDriver;
    }
    if (all.devices == 0) {
        return cudaErrorNoDevice;
    }
    if (needs == Needs::device) {
        return device_of_thread < all.devices ? all.sticky[device_of_thread] : cudaErrorDevicesUnavailable;
    }
    return cudaSuccess;
}

cudaError_t answer(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        last_error = error;
    }
    return error;
}

void make_sticky(int device, cudaError_t error) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    if (all.sticky[device] == cudaSuccess) {
        all.sticky[device] = error;
    }
}

Limits limits() {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    Limits made;
    made.major = all.major;
    made.minor = all.minor;
    made.multiprocessors = all.multiprocessors;
    made.memory = all.memory;
    // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
    const int capability = all.major * 10 + all.minor;
    struct Row {
        int from, shared_kilobytes, threads, blocks;
    };
    constexpr Row rows[] = {{0, 64, 2048, 32},    {70, 96, 2048, 32},  {75, 64, 1024, 16},  {80, 164, 2048, 32},
                            {86, 100, 1536, 16},  {87, 164, 1536, 16}, {89, 100, 1536, 24}, {90, 228, 2048, 32},
                            {110, 228, 1536, 24}, {120, 100, 1536, 24}};
    for (const Row& row : rows) {
        if (capability >= row.from) {
            made.shared_of_multiprocessor = static_cast<size_t>(row.shared_kilobytes) * 1024;
            made.threads_of_multiprocessor = row.threads;
            made.blocks_of_multiprocessor = row.blocks;
        }
    }
    made.shared_reserved = capability >= 80 ? 1024 : 0;
    made.shared_opt_in = made.shared_of_multiprocessor - made.shared_reserved;
    made.clusters = all.major >= 9 && all.major < 12;
    return made;
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define VEDETTE_EMULATED_ERROR(name, value, text) \
    case name:                                    \
        return #name;
#include "vedette_emulation/errors.def"
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define VEDETTE_EMULATED_ERROR(name, value, text) \
    case name:                                    \
        return text;
#include "vedette_emulation/errors.def"
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
    const cudaError_t sticky = sticky_error();
    return sticky != cudaSuccess ? sticky : last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaDriverGetVersion(int* version) {
    return call(__func__, Needs::nothing, [&] {
        Settings& all = settings();
        const std::lock_guard lock(all.mutex);
        *version = all.no_driver ? 0 : CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    return call(__func__, Needs::nothing, [&] {
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 0;
    return call(__func__, Needs::driver, [&] {
        Settings& all = settings();
        const std::lock_guard lock(all.mutex);
        *count = all.devices;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return call(__func__, Needs::driver, [&] {
        *device = device_of_thread;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    return call(__func__, Needs::driver, [&] {
        const cudaError_t error = check_device(device);
        if (error == cudaSuccess) {
            device_of_thread = device;
        }
        return error;
    });
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
    return call(__func__, Needs::driver, [&] { return check_device(device); });
}

namespace {
thread_local unsigned int device_flags = cudaDeviceMapHost;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    return call(__func__, Needs::driver, [&] {
        device_flags = flags | cudaDeviceMapHost;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
    return call(__func__, Needs::driver, [&] {
        *flags = device_flags;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceReset() {
    return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceSynchronize() {
    return call(__func__, Needs::device, [] {
        const cudaError_t error = refuse_while_capturing();
        return error != cudaSuccess ? error : finish_device(device_of_thread);
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return call(__func__, Needs::driver, [&] {
        const cudaError_t error = check_device(device);
        if (error != cudaSuccess || properties == nullptr) {
            return error != cudaSuccess ? error : cudaErrorInvalidValue;
        }
        const Limits limit = limits();
        *properties = {};
        std::snprintf(properties->name, sizeof properties->name, "Emulated CUDA device %d", device);
        std::memcpy(properties->uuid.bytes, "vedette-emulated", 16);
        properties->uuid.bytes[15] = static_cast<char>(device);
        properties->totalGlobalMem = limit.memory;
        properties->sharedMemPerBlock = default_shared;
        properties->regsPerBlock = 65536;
        properties->warpSize = 32;
        properties->memPitch = 0x7fffffff;
        properties->maxThreadsPerBlock = max_threads;
        properties->maxThreadsDim[0] = max_block.x;
        properties->maxThreadsDim[1] = max_block.y;
        properties->maxThreadsDim[2] = max_block.z;
        properties->maxGridSize[0] = max_grid.x;
        properties->maxGridSize[1] = max_grid.y;
        properties->maxGridSize[2] = max_grid.z;
        properties->totalConstMem = 65536;
        properties->major = limit.major;
        properties->minor = limit.minor;
        properties->textureAlignment = 512;
        properties->multiProcessorCount = limit.multiprocessors;
        properties->canMapHostMemory = 1;
        properties->concurrentKernels = 1;
        properties->pciBusID = device + 1;
        properties->asyncEngineCount = 2;
        properties->unifiedAddressing = 1;
        properties->memoryBusWidth = 4096;
        properties->l2CacheSize = 32 << 20;
        properties->maxThreadsPerMultiProcessor = limit.threads_of_multiprocessor;
        properties->streamPrioritiesSupported = 1;
        properties->sharedMemPerMultiprocessor = limit.shared_of_multiprocessor;
        properties->regsPerMultiprocessor = 65536;
        properties->cooperativeLaunch = 1;
        properties->sharedMemPerBlockOptin = limit.shared_opt_in;
        properties->maxBlocksPerMultiProcessor = limit.blocks_of_multiprocessor;
        properties->reservedSharedMemPerBlock = limit.shared_reserved;
        properties->hostRegisterSupported = 1;
        properties->memoryPoolsSupported = 1;
        properties->clusterLaunch = limit.clusters ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call(__func__, Needs::driver, [&] {
        const cudaError_t error = check_device(device);
        return error != cudaSuccess ? error : device_attribute(value, attribute, device);
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call(__func__, Needs::driver, [&] {
        const cudaError_t error = check_device(device);
        if (error != cudaSuccess || text == nullptr || length < 13) {
            return error != cudaSuccess ? error : cudaErrorInvalidValue;
        }
        std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0",
                      static_cast<unsigned int>(device + 1) & 0xffu);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return call(__func__, Needs::driver, [&] {
        unsigned int domain = 0, bus = 0;
        if (text == nullptr || std::sscanf(text, "%x:%x:", &domain, &bus) != 2 || domain != 0 || bus == 0) {
            return cudaErrorInvalidValue;
        }
        *device = static_cast<int>(bus) - 1;
        return check_device(*device);
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call(__func__, Needs::device, [&] {
        *least = 0;
        *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return call(__func__, Needs::driver, [&] {
        *can = 0;
        return check_device(device) != cudaSuccess ? cudaErrorInvalidDevice : check_device(peer);
    });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
    return call(__func__, Needs::device, [] { return cudaErrorPeerAccessUnsupported; });
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
    return call(__func__, Needs::device, [] { return cudaErrorPeerAccessNotEnabled; });
}
