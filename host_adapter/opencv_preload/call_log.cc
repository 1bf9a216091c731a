#include "call_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace vedette::compat {
namespace {

// A set-uid program does not write files that its caller names.
const char* target() noexcept {
    static const char* const value = ::secure_getenv("VEDETTE_LOG");
    return value;
}

}  // namespace

bool logging() noexcept {
    return target() != nullptr && *target() != '\0' && std::strcmp(target(), "0") != 0;
}

void log_line(const std::string& text) noexcept try {
    if (!logging()) return;
    const std::string line = "vedette: " + text + "\n";
    const bool console = std::strcmp(target(), "1") == 0;
    const int file = console ? STDERR_FILENO : ::open(target(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
    if (!console) ::close(file);
} catch (...) {
    // Without memory for the line there is no line.
}

}  // namespace vedette::compat
