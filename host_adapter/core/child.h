// A program that runs beside this one and tells by lines of text what it does, under a limit of time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vedette::host {

// Unknown: this process takes its children itself or ignores SIGCHLD, so that nobody can tell.
enum class ChildEnd { Exited, Crashed, TimedOut, NotStarted, Unknown };

struct ChildResult {
    ChildEnd end = ChildEnd::NotStarted;
    int value = 0;  // exit status, the signal, or errno of the start
    // "It ended with exit status 3.", "It crashed with signal 11 (Segmentation fault).", "It did not go on for 20 s and
    // was ended."; empty when it exited with status 0 or nobody knows how.
    std::string reason;
};

struct ChildLimit {
    double seconds = 0;
    bool each_line = false;  // the time begins anew with each line
};

// Runs `arguments` (the first is the program's path) with nothing to read and no open file of this process, and calls
// `line` for each line that it writes to standard output, without the line end, until `line` returns false or a line is
// beyond all measure; then only its end is waited for. What it writes to standard error is dropped. Past the limit it
// is ended. Whatever it started itself ends with it. What `line` throws leaves here, after the child was ended. Thread
// rule: any.
ChildResult run_child(const std::vector<std::string>& arguments, const ChildLimit& limit,
                      const std::function<bool(const std::string&)>& line);

}  // namespace vedette::host
