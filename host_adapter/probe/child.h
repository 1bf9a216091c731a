// A program that runs beside this one and tells by lines of text what it does, under a limit of time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vedette::host {

enum class ChildEnd { Exited, Crashed, TimedOut, NotStarted };

struct ChildResult {
    ChildEnd end = ChildEnd::NotStarted;
    int value = 0;  // exit status, or the signal
    // "It ended with exit status 3.", "It crashed with signal 11 (Segmentation fault).", "It did nothing for 20 s.";
    // empty when it exited with status 0.
    std::string reason;
};

// Runs `arguments` (the first is the program's path) with nothing to read and calls `line` for each line that it
// writes to standard output, without the line end; what it writes to standard error is dropped. When it writes no line
// for `silence_seconds`, or lines beyond all measure, it is ended. Whatever it started itself ends with it. What `line`
// throws leaves here, after the child was ended. Thread rule: any.
ChildResult run_child(const std::vector<std::string>& arguments, double silence_seconds,
                      const std::function<void(const std::string&)>& line);

}  // namespace vedette::host
