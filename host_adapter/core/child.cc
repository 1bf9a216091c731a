#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

extern char** environ;

namespace vedette::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{1} << 20;

class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const noexcept { return number_; }
    void close() noexcept {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_;
};

// posix_spawn, not fork: this process may have threads, and may hold any lock.
int spawn(std::vector<std::string> arguments, int output, pid_t& child) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (const int error = ::posix_spawn_file_actions_init(&actions)) return error;
    if (const int error = ::posix_spawnattr_init(&attributes)) {
        ::posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
    // A group of its own, so that what it starts ends with it; signals as a fresh process has them.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawn(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Ends the child's group and takes the child from the process table, in that order, so that its number still means it.
class Child {
public:
    explicit Child(pid_t id) noexcept : id_(id) {}
    ~Child() {
        if (gone_) return;
        ::kill(-id_, SIGKILL);
        while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Waits until then for the end. `value`: exit status or signal.
    ChildEnd wait(Clock::time_point deadline, int& value) {
        for (;;) {
            siginfo_t info{};
            const int error = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
            if (error != 0 && errno == EINTR) continue;
            gone_ = error != 0;
            if (gone_) return ChildEnd::Unknown;
            if (info.si_pid == id_) {
                value = info.si_status;
                return info.si_code == CLD_EXITED ? ChildEnd::Exited : ChildEnd::Crashed;
            }
            if (Clock::now() >= deadline) return ChildEnd::TimedOut;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    pid_t id_;
    bool gone_ = false;  // taken from the process table by others: its number may be another's by now
};

Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string number_text(double number) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Reads lines until the end or the last one that is wanted (true), or past the deadline (false).
bool listen(int input, const ChildLimit& limit, Clock::time_point& deadline,
            const std::function<bool(const std::string&)>& line) {
    std::string pending;
    char block[4096];
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{input, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, left < 0 ? 0 : static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t got = ::read(input, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        pending.append(block, static_cast<std::size_t>(got));
        for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
            if (!line(pending.substr(0, end))) return true;
            if (limit.each_line) deadline = after(limit.seconds);
        }
        if (pending.size() > longest_line) return true;
    }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const ChildLimit& limit,
                      const std::function<bool(const std::string&)>& line) {
    const auto not_started = [&](int error) {
        return ChildResult{ChildEnd::NotStarted, error,
                           arguments[0] + " could not be started: " + std::strerror(error) + "."};
    };
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return not_started(errno);
    const Descriptor input(ends[0]);
    Descriptor output(ends[1]);
    Clock::time_point deadline = after(limit.seconds);
    pid_t id = 0;
    if (const int error = spawn(arguments, output.get(), id)) return not_started(error);
    Child child(id);
    output.close();
    const bool heard = listen(input.get(), limit, deadline, line);
    ChildResult result;
    result.end = child.wait(heard ? deadline : Clock::now(), result.value);
    if (result.end == ChildEnd::TimedOut)
        result.reason = "It did not go on for " + number_text(limit.seconds) + " s and was ended.";
    else if (result.end == ChildEnd::Crashed)
        result.reason =
            "It crashed with signal " + std::to_string(result.value) + " (" + ::strsignal(result.value) + ").";
    else if (result.value != 0)
        result.reason = "It ended with exit status " + std::to_string(result.value) + ".";
    return result;
}

}  // namespace vedette::host
