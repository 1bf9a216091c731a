#include "trial.h"

#include "failure.h"
#include "text.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

extern char** environ;

namespace vedette::host {
namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_text(double seconds) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, seconds).ptr;
    return std::string(text, end);
}

std::vector<std::string> arguments_of(const TrialRequest& request) {
    std::vector<std::string> arguments = {request.program.string(), request.library.string(), request.id,
                                          seconds_text(request.seconds)};
    for (const std::string& need : request.needs) arguments.insert(arguments.end(), {"need", need});
    for (const OptionValue& option : request.options) {
        if (option.kind == VDT_OPTION_INTEGER)
            arguments.insert(arguments.end(), {"integer", option.key, std::to_string(option.integer)});
        else if (option.kind == VDT_OPTION_REAL)
            arguments.insert(arguments.end(), {"real", option.key, seconds_text(option.real)});
        else
            arguments.insert(arguments.end(), {"text", option.key, option.text});
    }
    return arguments;
}

class Descriptor {
public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
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

// posix_spawn, not fork: the application may have threads, and may hold any lock.
int spawn(const TrialRequest& request, int output, pid_t& child) {
    std::vector<std::string> arguments = arguments_of(request);
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
    // A group of its own, so that what the plugin starts ends with it; signals as a fresh process has them.
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = ::posix_spawn(&child, request.program.c_str(), &actions, &attributes, pointers.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

int milliseconds_until(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(left);
}

// What the child said: its last stage and, unless it ended before, its answer.
struct Story {
    std::string stage = "load";
    std::string answer;  // "ok" or "refused CODE TEXT"
};

void read_line(Story& story, const std::string& line) {
    if (line.starts_with("stage "))
        story.stage = line.substr(6);
    else
        story.answer = line;
}

// Reads until the answer, the end, or the deadline (then false).
bool listen(int input, Clock::time_point deadline, Story& story) {
    std::string pending;
    char block[1024];
    while (story.answer.empty()) {
        pollfd waiting{input, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, milliseconds_until(deadline));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t got = ::read(input, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        pending.append(block, static_cast<std::size_t>(got));
        for (std::size_t end; (end = pending.find('\n')) != std::string::npos && story.answer.empty();) {
            read_line(story, pending.substr(0, end));
            pending.erase(0, end + 1);
        }
        if (pending.size() > 8192) return true;  // no line of ours
    }
    return true;
}

enum class Ending { Exited, Signalled, TimedOut, Unknown };

// Waits for the child's end, then ends whatever is left of its group. `value`: exit status or signal. The group is
// ended before the child is taken from the process table, so that its number still means it. Unknown: the application
// takes its children itself or ignores SIGCHLD.
Ending finish(pid_t child, Clock::time_point deadline, int& value) {
    Ending ending = Ending::Unknown;
    for (;;) {
        siginfo_t info{};
        const int error = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
        if (error != 0 && errno == EINTR) continue;
        if (error != 0) return Ending::Unknown;
        if (info.si_pid == child) {
            ending = info.si_code == CLD_EXITED ? Ending::Exited : Ending::Signalled;
            value = info.si_status;
            break;
        }
        if (Clock::now() >= deadline) {
            ending = Ending::TimedOut;
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(-child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return ending;
}

TrialVerdict bad(std::string stage, vdt_code code, std::string reason) {
    return {false, std::move(stage), code, std::move(reason)};
}

TrialVerdict verdict_of(const Story& story, Ending ending, int value, double seconds) {
    if (ending == Ending::TimedOut)
        return bad(story.stage, VDT_E_TIMEOUT,
                   "It did not finish within " + seconds_text(seconds) + " s while being loaded in a trial process.");
    if (ending == Ending::Signalled)
        return bad(story.stage, VDT_E_REFUSED,
                   "Its code crashed with signal " + std::to_string(value) + " (" + ::strsignal(value) +
                       ") while being loaded in a trial process.");
    if (story.answer == "ok" && (ending == Ending::Unknown || value == 0)) return {true, "", VDT_OK, ""};
    if (story.answer.starts_with("refused ")) {
        const std::string rest = story.answer.substr(8);
        int code = VDT_E_REFUSED;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), code);
        const auto space = static_cast<std::size_t>(read.ptr - rest.data());
        return bad(story.stage, code, one_line(rest.substr(std::min(rest.size(), space + 1)).c_str(), 1000));
    }
    if (ending == Ending::Unknown)
        return bad(story.stage, VDT_E_REFUSED, "The trial process that loaded it ended without an answer.");
    return bad(story.stage, VDT_E_REFUSED,
               "Its code ended the trial process that loaded it, with exit status " + std::to_string(value) + ".");
}

TrialVerdict run_trial(const TrialRequest& request) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return bad("load", VDT_E_REFUSED,
                   std::string("No trial process could be started: ") + std::strerror(errno) + ".");
    Descriptor input(ends[0]);
    Descriptor output(ends[1]);
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.seconds));
    pid_t child = 0;
    if (const int error = spawn(request, output.get(), child))
        return bad(
            "load", VDT_E_REFUSED,
            "The trial program " + request.program.string() + " could not be started: " + std::strerror(error) + ".");
    output.close();
    Story story;
    const bool heard = listen(input.get(), deadline, story);
    int value = 0;
    const Ending ending = finish(child, heard ? deadline : Clock::now(), value);
    return verdict_of(story, ending, value, request.seconds);
}

using FileState = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

struct Verdicts {
    std::mutex mutex;
    std::map<FileState, TrialVerdict> known;
};

}  // namespace

TrialVerdict try_plugin(const TrialRequest& request) {
    static Verdicts& verdicts = *new Verdicts;  // never destroyed
    struct stat status {};
    if (::stat(request.library.c_str(), &status) != 0)
        return bad("file", VDT_E_FILE, "The file cannot be examined: " + std::string(std::strerror(errno)) + ".");
    std::string question;  // the library, and all that may change the answer
    for (const std::string& argument : arguments_of(request)) question += argument + '\0';
    const FileState state{question, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    {
        const std::lock_guard lock(verdicts.mutex);
        const auto known = verdicts.known.find(state);
        if (known != verdicts.known.end()) return known->second;
    }
    TrialVerdict verdict = run_trial(request);
    const std::lock_guard lock(verdicts.mutex);
    verdicts.known[state] = verdict;
    return verdict;
}

}  // namespace vedette::host
