// Buffers that are used again: making one takes drivers up to milliseconds, and screens come in few sizes.
#pragma once

#include "object.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

namespace vedette::opencl {

// Blocks of device memory that are taken again once they were given back. Sizes are rounded up to a quarter of a power
// of two, so that at most a quarter of a block is waste and images of like sizes share blocks. At most `kept_bytes`
// stay in the pool unused; more is given back to the driver. Thread-safe.
//
// A block must not be taken again while commands use it. What is given back during a call (begin_call, end_call: until
// its commands have ended, which for one queued on a stream is after its return) goes to the driver, which keeps it as
// long as there are such commands. Who works outside of calls waits before giving back.
class Pool {
public:
    // `largest`: bytes of the largest buffer that the device can have. The context outlives the pool.
    Pool(cl::Context context, std::size_t kept_bytes, std::size_t largest);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Throws Error with Fault::memory when there is no room even after the unused blocks are given back. Zero bytes are
    // taken for one.
    Memory take(std::size_t bytes, std::size_t& capacity);
    void give(Memory block, std::size_t capacity) noexcept;
    // Gives every unused block back to the driver.
    void trim() noexcept;

    void begin_call() noexcept { calls_.fetch_add(1); }
    void end_call() noexcept { calls_.fetch_sub(1); }

    std::size_t unused_bytes() const;

private:
    const cl::Context context_;
    const std::size_t kept_bytes_, largest_;
    std::atomic<std::size_t> calls_{0};
    mutable std::mutex mutex_;
    std::multimap<std::size_t, Memory> unused_;
    std::size_t unused_bytes_ = 0;
};

}  // namespace vedette::opencl
