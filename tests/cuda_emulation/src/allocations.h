// What memory the runtime knows.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>

#include "vedette_emulation/types.h"

namespace vedette_emulation {

enum class Origin { device, symbol, pinned, registered };

struct Allocation {
    size_t bytes = 0;
    int device = 0;
    Origin origin = Origin::device;
    unsigned int flags = 0;
};

struct Allocations {
    std::mutex mutex;  // of everything below
    std::map<const char*, Allocation> by_address;
    size_t device_bytes[8] = {};

    /// The allocation that holds the byte at `pointer`, or by_address.end(). Must hold the mutex.
    std::map<const char*, Allocation>::iterator find(const void* pointer);
};
Allocations& allocations();

/// Whether `bytes` bytes from `pointer` on lie in device memory: yes, no, or half, which no copy allows.
enum class Place { host, device, broken };
Place place_of(const void* pointer, size_t bytes);
/// True when the host memory is known to the device, so that copies of it run beside the host.
bool is_pinned(const void* pointer);

}  // namespace vedette_emulation
