#include "trial.h"

#include "child.h"
#include "failure.h"
#include "text.h"

#include <sys/stat.h>

#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace vedette::host {
namespace {

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

// What the child said: its last stage and, unless it ended before, its answer.
struct Story {
    std::string stage = "load";
    std::string answer;  // "ok", "ok without costs" or "refused CODE TEXT"
};

void read_line(Story& story, const std::string& line) {
    if (line.starts_with("stage "))
        story.stage = line.substr(6);
    else
        story.answer = line;
}

TrialVerdict bad(std::string stage, vdt_code code, std::string reason) {
    return {false, false, std::move(stage), code, std::move(reason)};
}

TrialVerdict verdict_of(const Story& story, const ChildResult& child, const TrialRequest& request) {
    if (child.end == ChildEnd::NotStarted)
        return bad("load", VDT_E_REFUSED,
                   "The trial program " + request.program.string() +
                       " could not be started: " + std::strerror(child.value) + ".");
    if (child.end == ChildEnd::TimedOut)
        return bad(
            story.stage, VDT_E_TIMEOUT,
            "It did not finish within " + seconds_text(request.seconds) + " s while being loaded in a trial process.");
    if (child.end == ChildEnd::Crashed)
        return bad(story.stage, VDT_E_REFUSED,
                   "Its code crashed with signal " + std::to_string(child.value) + " (" + ::strsignal(child.value) +
                       ") while being loaded in a trial process.");
    const bool without_costs = story.answer == "ok without costs";
    if ((story.answer == "ok" || without_costs) && (child.end == ChildEnd::Unknown || child.value == 0))
        return {true, !without_costs, "", VDT_OK, ""};
    if (story.answer.starts_with("refused ")) {
        const std::string rest = story.answer.substr(8);
        int code = VDT_E_REFUSED;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), code);
        const auto space = static_cast<std::size_t>(read.ptr - rest.data());
        return bad(story.stage, code, one_line(rest.substr(std::min(rest.size(), space + 1)).c_str(), 1000));
    }
    if (child.end == ChildEnd::Unknown)
        return bad(story.stage, VDT_E_REFUSED, "The trial process that loaded it ended without an answer.");
    return bad(
        story.stage, VDT_E_REFUSED,
        "Its code ended the trial process that loaded it, with exit status " + std::to_string(child.value) + ".");
}

TrialVerdict run_trial(const TrialRequest& request) {
    Story story;
    const ChildResult child = run_child(arguments_of(request), {request.seconds}, [&](const std::string& line) {
        read_line(story, line);
        return story.answer.empty();
    });
    return verdict_of(story, child, request);
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
