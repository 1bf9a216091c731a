// The log of intercepted calls, one line each, where VEDETTE_LOG says.
#pragma once

#include <chrono>
#include <string>

namespace vedette::compat {

// True when VEDETTE_LOG is set to anything but "" or "0"; asked once a process.
bool logging() noexcept;

// Appends a line: to standard error when VEDETTE_LOG is 1, else to the file of that name. Failures are not told. A line
// is one write, so lines of several threads and processes do not mix.
void log_line(const std::string& text) noexcept;

// Milliseconds since it was made.
class Stopwatch {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace vedette::compat
