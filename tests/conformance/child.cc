#include "child.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace vedette::conformance {
namespace {

// The child's answer on the pipe: one letter for the verdict, then the text.
std::string answer_of(const Check& check, const Arguments& arguments) {
    try {
        return "p" + check.run(arguments, check.parameter);
    } catch (const NothingToCheck& nothing) {
        return std::string("s") + nothing.what();
    } catch (const std::exception& exception) {
        return std::string("f") + exception.what();
    } catch (...) {
        return "fan unknown exception came out of the check";
    }
}

[[noreturn]] void be_child(const Check& check, const Arguments& arguments, int pipe_end) {
    const std::string answer = answer_of(check, arguments);
    std::size_t written = 0;
    while (written < answer.size()) {
        const ssize_t n = write(pipe_end, answer.data() + written, answer.size() - written);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) written += static_cast<std::size_t>(n);
    }
    std::fflush(nullptr);
    // No destructors: what the plugin left running must not keep the answer from being counted.
    _exit(0);
}

// Reads until the end of the pipe. False when the time was over before.
bool read_all(int pipe_end, double limit, std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        pollfd waited{pipe_end, POLLIN, 0};
        const int ready = poll(&waited, 1, left > 0 ? static_cast<int>(left) : 0);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        char buffer[4096];
        const ssize_t n = read(pipe_end, buffer, sizeof buffer);
        if (n == 0) return true;
        if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
        if (n < 0 && errno != EINTR) return true;
    }
}

}  // namespace

Result run_in_child(const Check& check, const Arguments& arguments) {
    const auto start = std::chrono::steady_clock::now();
    int ends[2];
    if (pipe(ends) != 0) return {Verdict::fail, "the system gives no pipe", 0};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(2, 1);  // what a plugin prints must not get into the report
        be_child(check, arguments, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return {Verdict::fail, "the system gives no process", 0};
    }
    std::string answer;
    const bool in_time = read_all(ends[0], arguments.limit, answer);
    if (!in_time) kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }

    Result result;
    result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!in_time) {
        char text[80];
        std::snprintf(text, sizeof text, "not done within %g s", arguments.limit);
        result.text = text;
    } else if (WIFSIGNALED(status)) {
        result.text = std::string("it crashed: ") + strsignal(WTERMSIG(status));
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty()) {
        result.text =
            "the process ended with status " + std::to_string(WEXITSTATUS(status)) + " in the middle of the check";
    } else {
        result.verdict = answer[0] == 'p' ? Verdict::pass : answer[0] == 's' ? Verdict::skip : Verdict::fail;
        result.text = answer.substr(1);
    }
    return result;
}

}  // namespace vedette::conformance
