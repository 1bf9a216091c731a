// Help for plugins written in C++; not part of the ABI. Loops on the host's thread pool, for bodies that may throw.
#ifndef VEDETTE_PLUGIN_CPP_LOOP_HPP
#define VEDETTE_PLUGIN_CPP_LOOP_HPP

#include <atomic>
#include <exception>

#include "guard.hpp"

namespace vedette::plugin {

// Throws Failure when `code`, of the host's pool or token, is an error.
inline void throw_unless_done(vdt_code code) {
    if (!VDT_IS_ERROR(code)) return;
    switch (code) {
        case VDT_E_CANCELLED:
            throw Failure(code, "the call was cancelled");
        case VDT_E_TIMEOUT:
            throw Failure(code, "the time limit of the call has passed");
        case VDT_E_OUT_OF_MEMORY:
            throw Failure(code, "out of host memory");
        default:
            throw Failure(code, "the host's thread pool refused a loop");
    }
}

// For work outside loops, and inside pieces that take long: throws when the call was cancelled or its time is over.
inline void throw_if_cancelled(const vdt_host& host, vdt_token* token) {
    throw_unless_done(host.cancelled(host.ctx, token));
}

// Runs body(begin, end, worker) over pieces of [begin, end) of about `grain` items (0: the host chooses). Contract:
// vdt_host.parallel_for. Of what pieces throw the first exception leaves here once all have ended, and pieces that have
// not begun by then are left out; cancellation and time limit leave as Failure. Allocates nothing unless a piece
// throws.
template <class Body>
void parallel_for(const vdt_host& host, vdt_token* token, uint32_t begin, uint32_t end, uint32_t grain,
                  const Body& body) {
    struct Loop {
        const Body* body;
        std::atomic<bool> failed{false};
        std::exception_ptr thrown;  // written by whoever set `failed`, read after the loop
    } loop{&body, {}, {}};
    const vdt_loop_body piece = [](void* arg, uint32_t first, uint32_t last, uint32_t worker) noexcept {
        auto& self = *static_cast<Loop*>(arg);
        if (self.failed.load(std::memory_order_relaxed)) return;
        try {
            (*self.body)(first, last, worker);
        } catch (...) {
            if (!self.failed.exchange(true, std::memory_order_relaxed)) self.thrown = std::current_exception();
        }
    };
    const vdt_code code = host.parallel_for(host.ctx, token, begin, end, grain, piece, &loop);
    if (loop.thrown) std::rethrow_exception(loop.thrown);
    throw_unless_done(code);
}

}  // namespace vedette::plugin
#endif
