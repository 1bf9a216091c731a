// Allocating and registering memory.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "allocations.h"
#include "calls.h"
#include "fail.h"
#include "limits.h"
#include "streams.h"
#include "vedette_emulation/runtime_memory.h"

namespace vedette_emulation {

Allocations& allocations() {
    static auto* const all = new Allocations;
    return *all;
}

std::map<const char*, Allocation>::iterator Allocations::find(const void* pointer) {
    const auto* address = static_cast<const char*>(pointer);
    auto next = by_address.upper_bound(address);
    if (next == by_address.begin()) {
        return by_address.end();
    }
    --next;
    return address < next->first + next->second.bytes ? next : by_address.end();
}

Place place_of(const void* pointer, size_t bytes) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.find(pointer);
    if (found == all.by_address.end()) {
        return Place::host;
    }
    const auto& [address, allocation] = *found;
    if (allocation.origin == Origin::pinned || allocation.origin == Origin::registered) {
        return Place::host;
    }
    const auto offset = static_cast<size_t>(static_cast<const char*>(pointer) - address);
    return bytes <= allocation.bytes - offset ? Place::device : Place::broken;
}

bool is_pinned(const void* pointer) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.find(pointer);
    return found != all.by_address.end() &&
           (found->second.origin == Origin::pinned || found->second.origin == Origin::registered);
}

size_t device_bytes_in_use(int device) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    return all.device_bytes[device];
}

size_t host_allocations() {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    return static_cast<size_t>(std::count_if(all.by_address.begin(), all.by_address.end(), [](const auto& entry) {
        return entry.second.origin == Origin::pinned || entry.second.origin == Origin::registered;
    }));
}

namespace {

constexpr size_t alignment = 512;  // at least what cudaMalloc promises, 256
// AddressSanitizer watches both sides itself, to the byte; else a pattern is checked when the memory is freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t guard = 0;
#else
constexpr size_t guard = 512;
#endif
constexpr unsigned char guard_pattern = 0xFB;
constexpr unsigned char fresh_pattern = 0xCD;

char* allocate(size_t bytes) {
    void* memory = nullptr;
    if (bytes > SIZE_MAX - 2 * guard - alignment || posix_memalign(&memory, alignment, bytes + 2 * guard) != 0) {
        return nullptr;
    }
    auto* start = static_cast<char*>(memory);
    std::memset(start, guard_pattern, guard);
    std::memset(start + guard, fresh_pattern, bytes);
    std::memset(start + guard + bytes, guard_pattern, guard);
    return start + guard;
}

void release(char* pointer, size_t bytes) {
    const auto intact = [](const char* from) {
        return std::all_of(from, from + guard,
                           [](char byte) { return static_cast<unsigned char>(byte) == guard_pattern; });
    };
    if (!intact(pointer - guard) || !intact(pointer + bytes)) {
        fail("something wrote %s the allocation of %zu bytes that is being freed",
             intact(pointer - guard) ? "past the end of" : "in front of", bytes);
    }
    std::free(pointer - guard);
}

cudaError_t allocate_device(void** pointer, size_t bytes) {
    if (pointer == nullptr) {
        return cudaErrorInvalidValue;
    }
    *pointer = nullptr;
    if (bytes == 0) {
        return cudaSuccess;
    }
    const size_t limit = limits().memory;
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    size_t& used = all.device_bytes[current_device()];
    if (bytes > limit || used > limit - bytes) {
        return cudaErrorMemoryAllocation;
    }
    char* memory = allocate(bytes);
    if (memory == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    used += bytes;
    all.by_address[memory] = {bytes, current_device(), Origin::device, 0};
    *pointer = memory;
    return cudaSuccess;
}

/// Takes an allocation of this origin, given by its first byte, from the list. Its bytes are freed unless they are the
/// user's.
cudaError_t free_memory(void* pointer, Origin origin, cudaError_t unknown) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_address.find(static_cast<char*>(pointer));
    if (found == all.by_address.end() || found->second.origin != origin) {
        return unknown;
    }
    const Allocation allocation = found->second;
    all.by_address.erase(found);
    if (origin == Origin::device) {
        all.device_bytes[allocation.device] -= allocation.bytes;
    }
    if (origin != Origin::registered) {
        release(static_cast<char*>(pointer), allocation.bytes);
    }
    return cudaSuccess;
}

cudaError_t check_device_pointer(const void* pointer) {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_address.find(static_cast<const char*>(pointer));
    return found != all.by_address.end() && found->second.origin == Origin::device ? cudaSuccess
                                                                                   : cudaErrorInvalidValue;
}

cudaError_t allocate_pinned(void** pointer, size_t bytes, unsigned int flags) {
    if (pointer == nullptr || flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)) {
        return cudaErrorInvalidValue;
    }
    *pointer = nullptr;
    const cudaError_t error = refuse_while_capturing();
    if (error != cudaSuccess || bytes == 0) {
        return error;
    }
    char* memory = allocate(bytes);
    if (memory == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    all.by_address[memory] = {bytes, current_device(), Origin::pinned, flags};
    *pointer = memory;
    return cudaSuccess;
}

}  // namespace

cudaError_t symbol_address(void** pointer, void* symbol, size_t symbol_bytes) {
    return call("cudaGetSymbolAddress", Needs::device, [&] {
        Allocations& all = allocations();
        const std::lock_guard lock(all.mutex);
        all.by_address[static_cast<char*>(symbol)] = {symbol_bytes, 0, Origin::symbol, 0};
        *pointer = symbol;
        return cudaSuccess;
    });
}

}  // namespace vedette_emulation

using namespace vedette_emulation;

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    return call(__func__, Needs::device, [&] {
        const cudaError_t error = refuse_while_capturing();
        return error != cudaSuccess ? error : allocate_device(pointer, bytes);
    });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width_bytes, size_t height) {
    return call(__func__, Needs::device, [&] {
        if (pitch == nullptr || width_bytes > SIZE_MAX - alignment) {
            return cudaErrorInvalidValue;
        }
        *pitch = (width_bytes + alignment - 1) / alignment * alignment;
        if (height != 0 && *pitch > SIZE_MAX / height) {
            return cudaErrorMemoryAllocation;
        }
        const cudaError_t error = refuse_while_capturing();
        return error != cudaSuccess ? error : allocate_device(pointer, *pitch * height);
    });
}

cudaError_t cudaFree(void* pointer) {
    return call(__func__, Needs::device, [&] {
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        cudaError_t error = refuse_while_capturing();
        if (error == cudaSuccess) {
            error = check_device_pointer(pointer);
        }
        if (error == cudaSuccess) {
            for (int device = 0; device < max_devices; ++device) {
                finish_device(device);
            }
            error = free_memory(pointer, Origin::device, cudaErrorInvalidValue);
        }
        return error;
    });
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        if (find_stream(stream) == nullptr) {
            return cudaErrorInvalidResourceHandle;
        }
        return capturing(stream) ? cudaErrorStreamCaptureUnsupported : allocate_device(pointer, bytes);
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return call(__func__, Needs::device, [&] {
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        if (capturing(stream)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        const cudaError_t error = check_device_pointer(pointer);
        return error != cudaSuccess
                   ? error
                   : enqueue(stream, [pointer] { return free_memory(pointer, Origin::device, cudaErrorInvalidValue); });
    });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
    return call(__func__, Needs::device, [&] { return allocate_pinned(pointer, bytes, flags); });
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    return call(__func__, Needs::device, [&] { return allocate_pinned(pointer, bytes, cudaHostAllocDefault); });
}

cudaError_t cudaFreeHost(void* pointer) {
    return call(__func__, Needs::device, [&] {
        if (pointer == nullptr) {
            return cudaSuccess;
        }
        cudaError_t error = refuse_while_capturing();
        if (error == cudaSuccess) {
            finish_device(current_device());
            error = free_memory(pointer, Origin::pinned, cudaErrorInvalidValue);
        }
        return error;
    });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
    return call(__func__, Needs::device, [&] {
        if (pointer == nullptr || bytes == 0 || flags > 0x0fu) {
            return cudaErrorInvalidValue;
        }
        const cudaError_t error = refuse_while_capturing();
        if (error != cudaSuccess) {
            return error;
        }
        Allocations& all = allocations();
        const std::lock_guard lock(all.mutex);
        const auto* address = static_cast<const char*>(pointer);
        const auto next = all.by_address.lower_bound(address);
        if (all.find(pointer) != all.by_address.end() ||
            (next != all.by_address.end() && next->first < address + bytes)) {
            return cudaErrorHostMemoryAlreadyRegistered;
        }
        all.by_address[address] = {bytes, current_device(), Origin::registered, flags};
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return call(__func__, Needs::device, [&] {
        const cudaError_t error = refuse_while_capturing();
        if (error != cudaSuccess) {
            return error;
        }
        finish_device(current_device());
        return free_memory(pointer, Origin::registered, cudaErrorHostMemoryNotRegistered);
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
    return call(__func__, Needs::device, [&] {
        if (device_pointer == nullptr || flags != 0 || !is_pinned(host_pointer)) {
            return cudaErrorInvalidValue;
        }
        *device_pointer = host_pointer;
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host_pointer) {
    return call(__func__, Needs::device, [&] {
        Allocations& all = allocations();
        const std::lock_guard lock(all.mutex);
        const auto found = all.find(host_pointer);
        if (flags == nullptr || found == all.by_address.end() || found->second.origin != Origin::pinned) {
            return cudaErrorInvalidValue;
        }
        *flags = found->second.flags;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return call(__func__, Needs::device, [&] {
        if (attributes == nullptr) {
            return cudaErrorInvalidValue;
        }
        Allocations& all = allocations();
        const std::lock_guard lock(all.mutex);
        const auto found = all.find(pointer);
        auto* address = const_cast<void*>(pointer);
        if (found == all.by_address.end()) {
            *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
        } else if (found->second.origin == Origin::device || found->second.origin == Origin::symbol) {
            *attributes = {cudaMemoryTypeDevice, found->second.device, address, nullptr};
        } else {
            *attributes = {cudaMemoryTypeHost, found->second.device, address, address};
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    return call(__func__, Needs::device, [&] {
        *total_bytes = limits().memory;
        *free_bytes = *total_bytes - std::min(*total_bytes, device_bytes_in_use(current_device()));
        return cudaSuccess;
    });
}
