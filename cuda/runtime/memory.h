// Device and pinned memory from pools that are filled once: cudaMalloc and cudaHostAlloc wait for the whole device or
// take milliseconds, so no call on the steady path makes one.
#pragma once

#include "device.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace vedette::cuda {

enum class Place { device, pinned };

// Blocks of memory that are taken again once they were given back. Sizes are rounded up to a quarter of a power of two,
// so that at most a quarter of a block is waste and images of like sizes share blocks. At most `kept_bytes` stay in the
// pool unused; more is given back to the driver. Thread-safe. A block that is given back must be out of use on the
// device: its owner waits first.
class Pool {
public:
    Pool(int ordinal, Place place, std::size_t kept_bytes);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Throws Error with Fault::memory when there is no room even after the unused blocks are given back.
    void* take(std::size_t bytes, std::size_t& capacity);
    void give(void* block, std::size_t capacity) noexcept;
    // Gives every unused block back to the driver.
    void trim() noexcept;
    // The device's context is broken: blocks cannot be given back any more, and calls that try would only fail.
    void abandon() noexcept;

private:
    cudaError_t allocate(void** block, std::size_t bytes) const noexcept;
    void release(void* block) const noexcept;

    const int ordinal_;
    const Place place_;
    const std::size_t kept_bytes_;
    std::mutex mutex_;
    std::multimap<std::size_t, void*> unused_;
    std::size_t unused_bytes_ = 0;
    bool abandoned_ = false;
};

// A block of a pool. `T` is what it is read as; alignment is 256 bytes or more.
template <class T>
class Block {
public:
    Block() = default;
    Block(std::shared_ptr<Pool> pool, std::size_t count);
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Block() {
        if (data_ != nullptr) pool_->give(data_, capacity_);
    }

    T* data() const noexcept { return static_cast<T*>(data_); }
    std::size_t size() const noexcept { return count_; }  // elements
    std::size_t bytes() const noexcept { return count_ * sizeof(T); }
    explicit operator bool() const noexcept { return data_ != nullptr; }

private:
    void swap(Block& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        std::swap(count_, other.count_);
    }

    std::shared_ptr<Pool> pool_;
    void* data_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t count_ = 0;
};

// `count` elements of `bytes` each; throws Error with Fault::memory when the product overflows.
std::size_t checked_bytes(std::size_t count, std::size_t bytes);

template <class T>
Block<T>::Block(std::shared_ptr<Pool> pool, std::size_t count) : pool_(std::move(pool)), count_(count) {
    data_ = pool_->take(checked_bytes(count, sizeof(T)), capacity_);
}

// A device in use: what all its plans share.
struct Device {
    explicit Device(int ordinal);

    DeviceLimits limits;
    std::shared_ptr<Pool> memory;
    std::shared_ptr<Pool> pinned;
};

}  // namespace vedette::cuda
