#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace vedette_emulation {
namespace {

// What nvcc puts into registers and local memory. AddressSanitizer surrounds every variable, and the checks of an
// unoptimised build need room too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t stack_size = 256 * 1024;
#else
constexpr size_t stack_size = 64 * 1024;
#endif

}  // namespace

Fiber::Fiber(void (*job)(void*), void* argument) : job_(job), argument_(argument) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    stack_bytes_ = stack_size;
    void* memory =
        mmap(nullptr, stack_bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        fail("there is no memory for the stack of another CUDA thread");
    }
    mapping_ = static_cast<char*>(memory);
    inside_ = boost::context::detail::make_fcontext(mapping_ + page + stack_bytes_, stack_bytes_, &Fiber::main);
#if defined(__SANITIZE_THREAD__)
    inside_tsan_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
#if defined(__SANITIZE_ADDRESS__)
    // A fiber that has run is asked to leave its loop, so that its fake stack is given back.
    if (outside_ != nullptr) {
        quit_ = true;
        resume();
    }
    __asan_unpoison_memory_region(mapping_ + page, stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(inside_tsan_);
#endif
    munmap(mapping_, stack_bytes_ + page);
}

void Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    __sanitizer_start_switch_fiber(&outside_fake_stack_, mapping_ + page, stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    outside_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_tsan_, 0);
#endif
    inside_ = boost::context::detail::jump_fcontext(inside_, this).fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(outside_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(quit_ ? nullptr : &inside_fake_stack_, outside_bottom_, outside_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_tsan_, 0);
#endif
    outside_ = boost::context::detail::jump_fcontext(outside_, nullptr).fctx;
    switched_in();
}

void Fiber::switched_in() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(inside_fake_stack_, &outside_bottom_, &outside_bytes_);
#endif
}

void Fiber::main(boost::context::detail::transfer_t from) {
    auto* self = static_cast<Fiber*>(from.data);
    self->outside_ = from.fctx;
    self->enter();
}

void Fiber::enter() {
    switched_in();
    while (!quit_) {
        job_(argument_);
        suspend();
    }
    suspend();  // for good: the destructor does not come back
}

}  // namespace vedette_emulation
