#include "pool.h"

#include "memory.h"

#include <algorithm>
#include <bit>
#include <new>

namespace vedette::opencl {

namespace {

constexpr std::size_t least_block = 512;

// The next quarter of a power of two.
std::size_t rounded(std::size_t bytes) {
    if (bytes <= least_block) return least_block;
    const std::size_t quarter = std::bit_floor(bytes) / 4;
    return (bytes + quarter - 1) / quarter * quarter;
}

}  // namespace

Pool::Pool(cl::Context context, std::size_t kept_bytes, std::size_t largest)
    : context_(context), kept_bytes_(kept_bytes), largest_(largest) {}

Memory Pool::take(std::size_t bytes, std::size_t& capacity) {
    // What fits must not fail for the rounding.
    capacity = std::max(bytes, std::min(rounded(bytes), largest_));
    {
        const std::lock_guard lock(mutex_);
        const auto found = unused_.find(capacity);
        if (found != unused_.end()) {
            Memory block = std::move(found->second);
            unused_.erase(found);
            unused_bytes_ -= capacity;
            return block;
        }
    }
    try {
        return make_memory(context_, capacity);
    } catch (const Error& error) {
        if (error.fault() != Fault::memory) throw;
    }
    trim();
    return make_memory(context_, capacity);
}

void Pool::give(Memory block, std::size_t capacity) noexcept try {
    if (calls_.load() != 0) return;
    const std::lock_guard lock(mutex_);
    if (capacity > kept_bytes_ - unused_bytes_) return;
    unused_.emplace(capacity, std::move(block));
    unused_bytes_ += capacity;
} catch (const std::bad_alloc&) {
}

void Pool::trim() noexcept {
    const std::lock_guard lock(mutex_);
    unused_.clear();
    unused_bytes_ = 0;
}

std::size_t Pool::unused_bytes() const {
    const std::lock_guard lock(mutex_);
    return unused_bytes_;
}

}  // namespace vedette::opencl
