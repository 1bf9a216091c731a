// Dynamic shared memory: one buffer for each block that is alive.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "executor.h"
#include "fail.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace vedette_emulation {
namespace {

constexpr size_t alignment = 1024;  // as the largest that a GPU's operations ask of shared memory
constexpr size_t guard = 256;       // bytes behind the buffer that must stay as they are
constexpr unsigned char guard_pattern = 0xFB;
constexpr unsigned char fresh_pattern = 0xCD;

}  // namespace

void Executor::reserve_shared(size_t blocks) {
    const size_t bytes = launch_->dynamic_shared;
    if (bytes > shared_capacity_) {
        release_shared();
        shared_capacity_ = (bytes + alignment - 1) / alignment * alignment;
    }
    while (shared_.size() < blocks) {
        void* buffer = nullptr;
        if (posix_memalign(&buffer, alignment, shared_capacity_ + guard) != 0) {
            fail("there is no memory for the shared memory of another block");
        }
        shared_.push_back(static_cast<char*>(buffer));
    }
}

void Executor::release_shared() {
    for (char* buffer : shared_) {
#if defined(__SANITIZE_ADDRESS__)
        __asan_unpoison_memory_region(buffer, shared_capacity_ + guard);
#endif
        std::free(buffer);
    }
    shared_.clear();
}

void Executor::fill_shared(Block& block) {
    const size_t bytes = launch_->dynamic_shared;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(block.shared, shared_capacity_ + guard);
    std::memset(block.shared, fresh_pattern, bytes);
    __asan_poison_memory_region(block.shared + bytes, shared_capacity_ + guard - bytes);
#else
    std::memset(block.shared, fresh_pattern, bytes);
    std::memset(block.shared + bytes, guard_pattern, guard);
#endif
}

void Executor::finish_block(Block& block) {
#if !defined(__SANITIZE_ADDRESS__)
    const char* behind = block.shared + launch_->dynamic_shared;
    const bool intact = std::all_of(behind, behind + guard,
                                    [](char byte) { return static_cast<unsigned char>(byte) == guard_pattern; });
    if (!intact) {
        fail("block (%u, %u, %u) of kernel %p wrote past the %zu bytes of its dynamic shared memory", block.index.x,
             block.index.y, block.index.z, launch_->kernel, launch_->dynamic_shared);
    }
#else
    static_cast<void>(block);
#endif
}

}  // namespace vedette_emulation
