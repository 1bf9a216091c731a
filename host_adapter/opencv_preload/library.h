// libvedette, loaded when the first call needs it, and the context of this process.
#pragma once

#include <vedette/vedette.h>

#include <atomic>
#include <string>

namespace vedette::compat {

// The functions of the C API that are used here.
struct Api {
    decltype(&vdt_context_create) context_create = nullptr;
    decltype(&vdt_context_destroy) context_destroy = nullptr;
    decltype(&vdt_run_operation) run_operation = nullptr;
};

// A context of this process with its number of threads. It lives as long as the process: its threads may be at work
// when the program ends, and a child that forked off must not touch it.
struct Session {
    const Api* api = nullptr;
    vdt_context* context = nullptr;  // NULL: there is none, see `reason`
    std::string reason;
    long process = 0;
    std::uint32_t threads = 0;
    Session* older = nullptr;  // of a parent process, or with another number of threads

    // Why no operation can be run; NULL when one can. The text lives as long as the session.
    const char* unusable() const noexcept;
    // Whom to ask: NULL leaves it to the library, as vdt_run_operation has it. Once that took the reference backend,
    // which is there alone, or was taken while a loaded machine made times look odd, the processor's is asked by name:
    // the program's own OpenCV is no slower than the one behind the reference.
    const char* backend() const noexcept;
    // Takes note of who ran an operation, and names it: "cpu:0 exact".
    std::string note(const vdt_run_info& run) const;

private:
    mutable std::atomic<bool> reference_seen_{false};
};

// The session of this process with `threads` threads (0: as the configuration says). Made by the first call, again in a
// child after fork(). Takes no lock that a fork in another thread could leave locked. Throws std::bad_alloc alone.
// Thread rule: any.
const Session& session(std::uint32_t threads);

}  // namespace vedette::compat
