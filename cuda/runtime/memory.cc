#include "memory.h"

#include <bit>
#include <limits>

namespace vedette::cuda {

namespace {

constexpr std::size_t least_block = 512;

// A few screens of 7680 x 4320 colour pixels.
constexpr std::size_t kept_pinned_bytes = std::size_t{256} << 20;

// What a device keeps for the next call, out of all its memory.
std::size_t kept_device_bytes(std::size_t memory_bytes) {
    return memory_bytes / 8;
}

// The next quarter of a power of two.
std::size_t rounded(std::size_t bytes) {
    if (bytes <= least_block) return least_block;
    const std::size_t quarter = std::bit_floor(bytes) / 4;
    return (bytes + quarter - 1) / quarter * quarter;
}

}  // namespace

std::size_t checked_bytes(std::size_t count, std::size_t bytes) {
    std::size_t product = 0;
    // Half of the address space leaves room for rounding up.
    if (__builtin_mul_overflow(count, bytes, &product) || product > std::numeric_limits<std::size_t>::max() / 2)
        throw Error(Fault::memory, std::to_string(count) + " elements of " + std::to_string(bytes) +
                                       " bytes are more than memory can hold");
    return product;
}

Pool::Pool(int ordinal, Place place, std::size_t kept_bytes)
    : ordinal_(ordinal), place_(place), kept_bytes_(kept_bytes) {}

Pool::~Pool() {
    trim();
}

cudaError_t Pool::allocate(void** block, std::size_t bytes) const noexcept {
    const cudaError_t code =
        place_ == Place::device ? cudaMalloc(block, bytes) : cudaHostAlloc(block, bytes, cudaHostAllocPortable);
    if (code != cudaSuccess) (void)cudaGetLastError();
    return code;
}

void Pool::release(void* block) const noexcept {
    (void)(place_ == Place::device ? cudaFree(block) : cudaFreeHost(block));
}

void* Pool::take(std::size_t bytes, std::size_t& capacity) {
    capacity = rounded(bytes);
    {
        const std::lock_guard lock(mutex_);
        const auto found = unused_.find(capacity);
        if (found != unused_.end()) {
            void* const block = found->second;
            unused_.erase(found);
            unused_bytes_ -= capacity;
            return block;
        }
    }
    const Current current(ordinal_);
    void* block = nullptr;
    cudaError_t code = allocate(&block, capacity);
    if (code == cudaErrorMemoryAllocation) {
        trim();
        code = allocate(&block, capacity);
    }
    if (code != cudaSuccess)
        check(code, place_ == Place::device ? "taking device memory" : "taking pinned host memory");
    return block;
}

void Pool::give(void* block, std::size_t capacity) noexcept {
    const std::lock_guard lock(mutex_);
    if (abandoned_) return;
    if (unused_bytes_ + capacity <= kept_bytes_) {
        try {
            unused_.emplace(capacity, block);
            unused_bytes_ += capacity;
            return;
        } catch (const std::bad_alloc&) {  // then it goes back to the driver
        }
    }
    release(block);
}

void Pool::trim() noexcept {
    const std::lock_guard lock(mutex_);
    if (!abandoned_)
        for (const auto& [capacity, block] : unused_) release(block);
    unused_bytes_ = 0;
    unused_.clear();
}

void Pool::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
}

Device::Device(int ordinal) : limits(device_limits(ordinal)) {
    if (limits.capability < least_capability)
        throw Error(Fault::unavailable, "the device's compute capability is " + std::to_string(limits.capability / 10) +
                                            "." + std::to_string(limits.capability % 10) + "; 7.5 is the least");
    memory = std::make_shared<Pool>(ordinal, Place::device, kept_device_bytes(limits.memory_bytes));
    pinned = std::make_shared<Pool>(ordinal, Place::pinned, kept_pinned_bytes);
}

}  // namespace vedette::cuda
