// Loops on the host's thread pool.
#pragma once

#include "op.h"

#include <atomic>

namespace vedette::cpu {

// Throws Failure when `code` is negative: VDT_E_CANCELLED, VDT_E_TIMEOUT or another code of the host's pool.
void throw_unless_done(vdt_code code);

// Runs body(begin, end, worker) over pieces of [begin, end) of about `grain` items (0 = the host chooses). Contract:
// vdt_host.parallel_for. Throws Failure when the loop was cancelled, ran out of time, or a piece threw.
template <class Body>
void parallel_for(const Device& device, vdt_token* token, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                  const Body& body) {
    struct Loop {
        const Body* body;
        std::atomic<vdt_code> failed{VDT_OK};
    } loop{&body};
    const vdt_loop_body piece = [](void* arg, std::uint32_t first, std::uint32_t last, std::uint32_t worker) noexcept {
        auto& self = *static_cast<Loop*>(arg);
        if (self.failed.load(std::memory_order_relaxed) != VDT_OK) return;
        const vdt_code code = plugin::guard(nullptr, [&] {
            (*self.body)(first, last, worker);
            return VDT_OK;
        });
        if (code != VDT_OK) self.failed.store(code, std::memory_order_relaxed);
    };
    throw_unless_done(device.host->parallel_for(device.host->ctx, token, begin, end, grain, piece, &loop));
    throw_unless_done(loop.failed.load(std::memory_order_relaxed));
}

// For loops inside a piece that take long: throws when the call was cancelled or ran out of time.
inline void throw_if_cancelled(const Device& device, vdt_token* token) {
    throw_unless_done(device.host->cancelled(device.host->ctx, token));
}

}  // namespace vedette::cpu
