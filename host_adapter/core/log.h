// Messages for the application that uses libvedette. Nothing is ever printed.
#pragma once

#include <vedette/vedette.h>

#include <cstdint>
#include <shared_mutex>
#include <string>

namespace vedette::host {

// Passes lines to the application's function. Thread-safe; exceptions of the function are swallowed.
class Log {
public:
    // `function` may be NULL: quiet. Lines above `level` (VDT_LOG_...) are dropped.
    Log(vdt_log_fn function, void* user, std::uint32_t level) noexcept;

    bool wants(std::uint32_t level) const noexcept { return function_ != nullptr && level <= level_; }
    void write(std::uint32_t level, const std::string& line) noexcept;
    // After this the function is never called again, and no call of it is running: what outlives the context (an image
    // that a device keeps) must not reach into the application.
    void close() noexcept;

private:
    const vdt_log_fn function_;
    void* const user_;
    const std::uint32_t level_;
    std::shared_mutex open_mutex_;
    bool open_ = true;
};

}  // namespace vedette::host
