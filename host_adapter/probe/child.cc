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
        ::kill(-id_, SIGKILL);
        while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // False when it has not ended by the deadline.
    bool ended(Clock::time_point deadline, siginfo_t& info) const {
        for (;;) {
            info = {};
            if (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id_)
                return true;
            if (Clock::now() >= deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    pid_t id_;
};

Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string number_text(double number) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Reads lines until the end (true), or until none comes for so long (false).
bool listen(int input, double silence_seconds, Clock::time_point& deadline,
            const std::function<void(const std::string&)>& line) {
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
            line(pending.substr(0, end));
            deadline = after(silence_seconds);
        }
        if (pending.size() > longest_line) return false;
    }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, double silence_seconds,
                      const std::function<void(const std::string&)>& line) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return {ChildEnd::NotStarted, errno, std::string("It could not be started: ") + std::strerror(errno) + "."};
    const Descriptor input(ends[0]);
    Descriptor output(ends[1]);
    pid_t id = 0;
    if (const int error = spawn(arguments, output.get(), id))
        return {ChildEnd::NotStarted, error, arguments[0] + " could not be started: " + std::strerror(error) + "."};
    const Child child(id);
    output.close();
    Clock::time_point deadline = after(silence_seconds);
    siginfo_t info{};
    if (!listen(input.get(), silence_seconds, deadline, line) || !child.ended(deadline, info))
        return {ChildEnd::TimedOut, 0, "It did not go on for " + number_text(silence_seconds) + " s and was ended."};
    const int value = info.si_status;
    if (info.si_code != CLD_EXITED)
        return {ChildEnd::Crashed, value,
                "It crashed with signal " + std::to_string(value) + " (" + ::strsignal(value) + ")."};
    return {ChildEnd::Exited, value, value == 0 ? "" : "It ended with exit status " + std::to_string(value) + "."};
}

}  // namespace vedette::host
