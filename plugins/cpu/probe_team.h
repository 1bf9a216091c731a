// All threads of the host's pool at the same work at the same time.
#pragma once

#include "parallel.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace vedette::cpu {

inline double seconds_since(std::chrono::steady_clock::time_point start) noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Team {
public:
    explicit Team(const Device& device) : device_(device), rates_(device.workers) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    std::uint32_t size() const noexcept { return device_.workers; }
    const Device& device() const noexcept { return device_; }

    // Has every thread call work(member), each member 0 .. size() - 1 on a thread of its own, all beginning together.
    // The sum of what each does a second when a call is `amount`; 0 when threads were missing: the system gives fewer,
    // or something else keeps them.
    template <class Work>
    double rate(double amount, const Work& work) {
        arrived_ = 0;
        missing_ = false;
        parallel_for(device_, nullptr, 0, size(), 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            for (std::uint32_t member = begin; member < end; ++member) {
                if (!meet(arrived_, size())) missing_ = true;
                const auto start = std::chrono::steady_clock::now();
                work(member);
                rates_[member] = amount / seconds_since(start);
            }
        });
        if (missing_) return 0;
        double sum = 0;
        for (const double rate : rates_) sum += rate;
        return sum;
    }

    // Within `work`: waits until `counter`, which each member raises once, is at `all`; false when that takes so long
    // that somebody is missing.
    static bool meet(std::atomic<std::uint64_t>& counter, std::uint64_t all) noexcept {
        constexpr double longest_wait = 0.1;  // a thread that a busy system has put aside comes back sooner
        counter.fetch_add(1, std::memory_order_acq_rel);
        if (counter.load(std::memory_order_acquire) >= all) return true;
        const auto start = std::chrono::steady_clock::now();
        for (std::uint32_t round = 1; counter.load(std::memory_order_acquire) < all; ++round)
            if (round % 1024 == 0 && seconds_since(start) > longest_wait) return false;
        return true;
    }

private:
    const Device& device_;
    std::vector<double> rates_;
    std::atomic<std::uint64_t> arrived_{0};
    std::atomic<bool> missing_{false};
};

}  // namespace vedette::cpu
