// Memory pools: they hold their attributes, and memory comes and goes as from cudaMalloc.
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "calls.h"
#include "streams.h"
#include "vedette_emulation/faults.h"
#include "vedette_emulation/runtime_memory.h"

struct CUmemPoolHandle_st {
    int device = 0;
    bool is_default = false;
    std::map<cudaMemPoolAttr, uint64_t> attributes;
};

using namespace vedette_emulation;

namespace {

struct Pools {
    std::mutex mutex;
    std::array<CUmemPoolHandle_st, max_devices> defaults;
    std::array<cudaMemPool_t, max_devices> current{};
};

Pools& pools() {
    static Pools* const all = [] {
        auto* made = new Pools;
        for (int device = 0; device < max_devices; ++device) {
            auto& pool = made->defaults[static_cast<size_t>(device)];
            pool.device = device;
            pool.is_default = true;
            made->current[static_cast<size_t>(device)] = &pool;
        }
        return made;
    }();
    return *all;
}

bool is_device(int device) {
    Settings& all = settings();
    const std::lock_guard lock(all.mutex);
    return device >= 0 && device < all.devices;
}

bool is_flag(cudaMemPoolAttr attribute) {
    return attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
           attribute == cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return call(__func__, Needs::driver, [&] {
        if (!is_device(device)) {
            return cudaErrorInvalidDevice;
        }
        *pool = &pools().defaults[static_cast<size_t>(device)];
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return call(__func__, Needs::driver, [&] {
        if (!is_device(device)) {
            return cudaErrorInvalidDevice;
        }
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        *pool = all.current[static_cast<size_t>(device)];
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return call(__func__, Needs::driver, [&] {
        if (!is_device(device) || pool == nullptr || pool->device != device) {
            return cudaErrorInvalidValue;
        }
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        all.current[static_cast<size_t>(device)] = pool;
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return call(__func__, Needs::driver, [&] {
        if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned ||
            properties->location.type != cudaMemLocationTypeDevice || !is_device(properties->location.id)) {
            return cudaErrorInvalidValue;
        }
        *pool = new CUmemPoolHandle_st;
        (*pool)->device = properties->location.id;
        const std::lock_guard lock(streams_mutex());
        live_handles().insert(*pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return call(__func__, Needs::driver, [&] {
        if (pool == nullptr || pool->is_default) {
            return cudaErrorInvalidValue;
        }
        const std::lock_guard lock(streams_mutex());
        if (live_handles().erase(pool) == 0) {
            return cudaErrorInvalidValue;
        }
        Pools& all = pools();
        const std::lock_guard pools_lock(all.mutex);
        auto& current = all.current[static_cast<size_t>(pool->device)];
        if (current == pool) {
            current = &all.defaults[static_cast<size_t>(pool->device)];
        }
        delete pool;
        return cudaSuccess;
    });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (pool == nullptr || pool->device != current_device()) {
        return answer(cudaErrorInvalidValue);
    }
    return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call(__func__, Needs::driver, [&] {
        if (pool == nullptr || value == nullptr) {
            return cudaErrorInvalidValue;
        }
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        pool->attributes[attribute] =
            is_flag(attribute) ? static_cast<uint64_t>(*static_cast<int*>(value)) : *static_cast<uint64_t*>(value);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call(__func__, Needs::driver, [&] {
        if (pool == nullptr || value == nullptr) {
            return cudaErrorInvalidValue;
        }
        Pools& all = pools();
        const std::lock_guard lock(all.mutex);
        const auto found = pool->attributes.find(attribute);
        const uint64_t held = found != pool->attributes.end() ? found->second : (is_flag(attribute) ? 1 : 0);
        if (is_flag(attribute)) {
            *static_cast<int*>(value) = static_cast<int>(held);
        } else if (attribute == cudaMemPoolAttrReservedMemCurrent || attribute == cudaMemPoolAttrUsedMemCurrent) {
            *static_cast<uint64_t*>(value) = device_bytes_in_use(pool->device);
        } else {
            *static_cast<uint64_t*>(value) = held;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return call(__func__, Needs::driver, [&] { return pool == nullptr ? cudaErrorInvalidValue : cudaSuccess; });
}
