// The rows of a unit while it is searched: its worker begins one after the other, and one that has nothing else to do
// may take the lower half of those that are left. Where matches crowd, a row can take ten times as long as elsewhere.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace vedette::cpu::find {

class RowShare {
public:
    // Before others see it.
    void reset(int rows) noexcept {
        rows_ = pack(0, rows);
        row_began_ = 0;
        last_row_ = 0;
    }

    // The unit's worker begins its next row; false when none is left.
    bool begin_row() noexcept {
        std::uint64_t rows = rows_.load(std::memory_order_relaxed);
        do {
            if (begun(rows) == end(rows)) return false;
        } while (!rows_.compare_exchange_weak(rows, pack(begun(rows) + 1, end(rows)), std::memory_order_relaxed));
        const std::int64_t time = now();
        if (begun(rows) != 0)
            last_row_.store(time - row_began_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        row_began_.store(time, std::memory_order_relaxed);
        return true;
    }

    // The unit's worker takes all that are left; returns the one after the last.
    int keep() noexcept {
        std::uint64_t rows = rows_.load(std::memory_order_relaxed);
        while (!rows_.compare_exchange_weak(rows, pack(end(rows), end(rows)), std::memory_order_relaxed)) {
        }
        return end(rows);
    }

    // Another worker takes the rows [first, last) of at least two; false when fewer are left.
    bool take_half(int& first, int& last) noexcept {
        std::uint64_t rows = rows_.load(std::memory_order_relaxed);
        do {
            if (end(rows) - begun(rows) < 2) return false;
            first = end(rows) - (end(rows) - begun(rows)) / 2;
            last = end(rows);
        } while (!rows_.compare_exchange_weak(rows, pack(begun(rows), first), std::memory_order_relaxed));
        return true;
    }

    int left() const noexcept {
        const std::uint64_t rows = rows_.load(std::memory_order_relaxed);
        return end(rows) - begun(rows);
    }

    // Nanoseconds that the next rows are taken to need: as long as the last one, or as this one has taken already;
    // `expected` at least.
    double row_time(double expected) const noexcept {
        const std::int64_t began = row_began_.load(std::memory_order_relaxed);
        if (began == 0) return expected;
        return std::max({expected, static_cast<double>(last_row_.load(std::memory_order_relaxed)),
                         static_cast<double>(now() - began)});
    }

private:
    static std::uint64_t pack(int begun, int end) noexcept {
        return std::uint64_t{static_cast<std::uint32_t>(begun)} << 32 | static_cast<std::uint32_t>(end);
    }
    static int begun(std::uint64_t rows) noexcept { return static_cast<int>(rows >> 32); }
    static int end(std::uint64_t rows) noexcept { return static_cast<int>(rows & 0xffffffffU); }
    static std::int64_t now() noexcept {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    std::atomic<std::uint64_t> rows_{0};  // begun, and the end of those that are the worker's
    std::atomic<std::int64_t> row_began_{0}, last_row_{0};
};

}  // namespace vedette::cpu::find
