// Which process an object belongs to: threads, driver state and locks do not survive fork().
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace vedette::host {

// Remembers the process that made it.
class ProcessMark {
public:
    ProcessMark() noexcept : pid_(::getpid()) {}
    // False in a child that forked off later.
    bool same() const noexcept { return ::getpid() == pid_; }

private:
    pid_t pid_;
};

}  // namespace vedette::host
