// How the options of one kind of call have fared.
#pragma once

#include "../model/correction.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace vedette::host {

// Thread-safe. Options count from 0, the same for all calls.
class Record {
public:
    explicit Record(std::size_t options) : charges_(options) {}

    // Sorts the options: which is taken, then the others by predicted time. `predicted_ms` and `running` (calls that
    // are on the option's device now, which it shares its time with) have one entry an option; `order` has room for as
    // many. Does not allocate.
    void sort(std::span<const double> predicted_ms, std::span<const std::uint32_t> running,
              std::span<std::uint8_t> order) noexcept;
    // Option `option` did a call: it is charged no more.
    void succeeded(std::size_t option) noexcept;
    // It failed, and the call lasted `lost_ms` all the same until another one had done it. The option is charged that
    // much on top of its prediction; the charge halves with every fourth call, and half as fast after each further
    // failure, so that what has recovered is tried again, and what has not ever more rarely.
    void failed(std::size_t option, double lost_ms) noexcept;

    std::uint32_t changes() const noexcept;

private:
    struct Charge {
        double lost_ms = 0;
        std::uint32_t failures = 0;  // since the last success
        std::uint32_t calls = 0;     // since the last failure
        double now() const noexcept;
    };
    mutable std::mutex mutex_;
    model::Incumbent incumbent_;
    std::vector<Charge> charges_;
};

}  // namespace vedette::host
