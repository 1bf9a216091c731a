// Buffers of device memory, and addresses that stand for them.
#pragma once

#include "pool.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace vedette::opencl {

// `count` elements of `bytes` each; throws Error with Fault::memory when the product overflows.
std::size_t checked_bytes(std::size_t count, std::size_t bytes);
// Throws Error with Fault::memory when there is no room. Zero bytes are taken for one.
Memory make_memory(cl::Context context, std::size_t bytes, cl::Bits flags = cl::memory_read_write);

// Host memory as the device's, for devices that work in it; the host does not touch it while commands that use it run,
// and sees what they wrote after `give_to_host`. Throws Error.
Memory make_memory_of_host(cl::Context context, void* address, std::size_t bytes, cl::Bits access);
void give_to_host(cl::Queue queue, cl::Memory memory, std::size_t bytes);

// Device memory for `count` elements of T out of a pool, which outlives it.
template <class T>
class Buffer {
public:
    Buffer() = default;
    Buffer(Pool& pool, std::size_t count)
        : pool_(&pool), memory_(pool.take(checked_bytes(count, sizeof(T)), capacity_)), count_(count) {}
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() {
        if (memory_ != nullptr) pool_->give(std::move(memory_), capacity_);
    }

    cl::Memory get() const noexcept { return memory_.get(); }
    std::size_t size() const noexcept { return count_; }  // elements
    std::size_t bytes() const noexcept { return count_ * sizeof(T); }
    explicit operator bool() const noexcept { return memory_ != nullptr; }

private:
    void swap(Buffer& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(capacity_, other.capacity_);
        std::swap(memory_, other.memory_);
        std::swap(count_, other.count_);
    }

    Pool* pool_ = nullptr;
    std::size_t capacity_ = 0;
    Memory memory_;
    std::size_t count_ = 0;
};

// Host memory that the device reads and writes without a copy by the driver, mapped for the life of the object.
class Pinned {
public:
    // `queue` outlives this object.
    Pinned(cl::Context context, cl::Queue queue, std::size_t bytes);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    void* data() const noexcept { return data_; }

private:
    cl::Queue queue_;
    Memory memory_;
    void* data_ = nullptr;
};

// OpenCL 1.2 names memory by handles, the plugin ABI by addresses. Each buffer that is handed out gets a range of the
// address space that nobody can read or write: bounds can be checked and offsets added as with any address, and a
// caller that takes the address for host memory is stopped at once. Thread-safe.
class Addresses {
public:
    ~Addresses();
    Addresses() = default;
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;

    // Throws Error with Fault::memory when the address space is full.
    void* reserve(cl::Memory memory, std::size_t bytes);
    void release(void* address) noexcept;

    struct Place {
        cl::Memory memory = nullptr;  // NULL: the bytes lie in none of the buffers
        std::size_t offset = 0;
    };
    Place find(const void* address, std::size_t bytes) const noexcept;

private:
    struct Range {
        cl::Memory memory;
        std::size_t bytes;
        std::size_t reserved_bytes;
    };

    mutable std::mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace vedette::opencl
