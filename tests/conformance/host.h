// The host services that the program gives the plugin: real threads, and an allocator that counts. What the plugin does
// wrong with them is remembered.
#pragma once

#include <vedette/plugin/host.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

// The ABI leaves the token to the host.
struct vdt_token {
    std::atomic<bool> cancelled{false};
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

    vdt_code state() const noexcept {
        if (cancelled.load(std::memory_order_relaxed)) return VDT_E_CANCELLED;
        return std::chrono::steady_clock::now() >= deadline ? VDT_E_TIMEOUT : VDT_OK;
    }
};

namespace vedette::conformance {

// Thread rule: the services may be called from any thread. Everything else belongs to the check.
class Host {
public:
    explicit Host(std::uint32_t workers = 4);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    const vdt_host* table() const noexcept { return &table_; }
    // The instance is gone: any later call is a fault.
    void close() noexcept { closed_ = true; }

    std::size_t live_blocks();          // taken from alloc and not given back
    std::uint64_t allocations() const;  // calls of alloc so far
    // Throws Broken naming the first thing that the plugin did wrong with these services.
    void demand_no_fault();

private:
    static void log(void* context, std::uint32_t level, const char* text) noexcept;
    static void* alloc(void* context, std::uint64_t size, std::uint64_t align) noexcept;
    static void free(void* context, void* memory) noexcept;
    static vdt_code parallel_for(void* context, vdt_token* token, std::uint32_t begin, std::uint32_t end,
                                 std::uint32_t grain, vdt_loop_body body, void* arg) noexcept;
    static std::uint32_t worker_count(void* context) noexcept;
    static vdt_code cancelled(void* context, vdt_token* token) noexcept;
    static const void* extension(void* context, const char* id) noexcept;

    void fault(const char* text) noexcept;
    static Host& enter(void* context) noexcept;

    vdt_host table_{};
    const std::uint32_t workers_;
    std::atomic<bool> closed_{false};
    std::atomic<std::uint64_t> allocations_{0};
    std::mutex mutex_;
    std::map<void*, std::uint64_t> blocks_;
    std::vector<std::string> faults_;
};

}  // namespace vedette::conformance
