#include "log.h"

#include <mutex>

namespace vedette::host {

Log::Log(vdt_log_fn function, void* user, std::uint32_t level) noexcept
    : function_(function), user_(user), level_(level) {}

void Log::write(std::uint32_t level, const std::string& line) noexcept {
    if (!wants(level)) return;
    try {
        const std::shared_lock lock(open_mutex_);
        if (open_) function_(user_, level, line.c_str());
    } catch (...) {
        // The application's own function failed; there is nobody left to tell.
    }
}

void Log::close() noexcept {
    const std::unique_lock lock(open_mutex_);
    open_ = false;
}

}  // namespace vedette::host
