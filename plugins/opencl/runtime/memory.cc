#include "memory.h"

#include <limits>

#include <sys/mman.h>

namespace vedette::opencl {

std::size_t checked_bytes(std::size_t count, std::size_t bytes) {
    std::size_t product = 0;
    // Half of the address space leaves room for rounding up.
    if (__builtin_mul_overflow(count, bytes, &product) || product > std::numeric_limits<std::size_t>::max() / 2)
        throw Error(Fault::memory, std::to_string(count) + " elements of " + std::to_string(bytes) +
                                       " bytes are more than memory can hold");
    return product;
}

Memory make_memory(cl::Context context, std::size_t bytes, cl::Bits flags) {
    cl::Int code = cl::success;
    Memory memory(cl::api().CreateBuffer(context, flags, bytes == 0 ? 1 : bytes, nullptr, &code));
    check(code, "taking device memory");
    return memory;
}

Memory make_memory_of_host(cl::Context context, void* address, std::size_t bytes, cl::Bits access) {
    cl::Int code = cl::success;
    Memory memory(cl::api().CreateBuffer(context, access | cl::memory_use_host, bytes, address, &code));
    check(code, "using host memory on the device");
    return memory;
}

void give_to_host(cl::Queue queue, cl::Memory memory, std::size_t bytes) {
    cl::Int code = cl::success;
    void* const address =
        cl::api().EnqueueMapBuffer(queue, memory, cl::queued, cl::map_read, 0, bytes, 0, nullptr, nullptr, &code);
    check(code, "giving memory back to the host");
    check(cl::api().EnqueueUnmapMemObject(queue, memory, address, 0, nullptr, nullptr),
          "giving memory back to the host");
}

Pinned::Pinned(cl::Context context, cl::Queue queue, std::size_t bytes)
    : queue_(queue), memory_(make_memory(context, bytes, cl::memory_read_write | cl::memory_alloc_host)) {
    cl::Int code = cl::success;
    data_ = cl::api().EnqueueMapBuffer(queue, memory_.get(), cl::blocking, cl::map_read | cl::map_write, 0, bytes, 0,
                                       nullptr, nullptr, &code);
    check(code, "taking pinned host memory");
}

Pinned::~Pinned() {
    if (data_ == nullptr || getpid() != cl::api().process) return;
    (void)cl::api().EnqueueUnmapMemObject(queue_, memory_.get(), data_, 0, nullptr, nullptr);
    (void)cl::api().Finish(queue_);
}

Addresses::~Addresses() {
    for (const auto& [begin, range] : ranges_) (void)munmap(reinterpret_cast<void*>(begin), range.reserved_bytes);
}

void* Addresses::reserve(cl::Memory memory, std::size_t bytes) {
    constexpr std::size_t page = 4096;
    const std::size_t reserved = (bytes + page - 1) / page * page;
    void* const address = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
        throw Error(Fault::memory, "there is no address space for " + std::to_string(bytes) + " bytes");
    const std::lock_guard lock(mutex_);
    ranges_.emplace(reinterpret_cast<std::uintptr_t>(address), Range{memory, bytes, reserved});
    return address;
}

void Addresses::release(void* address) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == ranges_.end()) return;
    (void)munmap(address, found->second.reserved_bytes);
    ranges_.erase(found);
}

Addresses::Place Addresses::find(const void* address, std::size_t bytes) const noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    const std::lock_guard lock(mutex_);
    auto after = ranges_.upper_bound(number);
    if (after == ranges_.begin()) return {};
    const auto& [begin, range] = *--after;
    const std::size_t offset = number - begin;
    if (offset > range.bytes || bytes > range.bytes - offset) return {};
    return {range.memory, offset};
}

}  // namespace vedette::opencl
