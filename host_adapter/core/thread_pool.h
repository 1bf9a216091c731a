// One pool of threads for the process's libvedette context, behind vdt_host.parallel_for, and the limits of a call.
#pragma once

#include <vedette/plugin/host.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace vedette::host {

// Cancellation and time limit of one call. The address is what plugins see as vdt_token.
class CallLimit {
public:
    // `flag` may be NULL; seconds 0 = no limit.
    CallLimit(const std::atomic<bool>* flag, double seconds) noexcept;
    // VDT_OK, VDT_E_CANCELLED or VDT_E_TIMEOUT. Thread rule: any.
    vdt_code state() const noexcept;
    vdt_token* token() noexcept { return reinterpret_cast<vdt_token*>(this); }
    static const CallLimit* of(const vdt_token* token) noexcept { return reinterpret_cast<const CallLimit*>(token); }

private:
    const std::atomic<bool>* flag_;
    std::chrono::steady_clock::time_point deadline_;
    bool limited_;
};

// A pool of our own rather than oneTBB: a library that is loaded into other people's processes must be able to say
// which threads exist, stop between pieces on cancellation, and refuse after fork; all that is a few lines here, and no
// further library enters the process.
class ThreadPool {
public:
    explicit ThreadPool(std::uint32_t threads);  // the caller's thread included; at least 1
    ~ThreadPool();                               // joins
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::uint32_t worker_count() const noexcept;
    // Contract: vdt_host.parallel_for. Several threads may call it at the same time; a nested call runs serially.
    vdt_code parallel_for(const CallLimit* limit, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                          vdt_loop_body body, void* arg) noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace vedette::host
