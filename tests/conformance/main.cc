// vedette-conformance PLUGIN.so: does a backend keep the rules of the plugin ABI?
#include "child.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace {

using namespace vedette::conformance;

constexpr int exit_pass = 0, exit_fail = 1, exit_usage = 2;

constexpr char usage[] =
    "usage: vedette-conformance PLUGIN.so [--device N] [--option KEY=VALUE]... [--only CHECK]... [--limit SECONDS]\n"
    "                           [--driver-threads] [--json] [--list]\n"
    "\n"
    "Checks a backend against the rules of the plugin ABI, each check in a process of its own.\n"
    "  --device N          the device to use, 0 by default\n"
    "  --option KEY=VALUE  an option for the plugin's create; a whole number is given as an integer, else as text\n"
    "  --only CHECK        run this check and those it needs; CHECK may end in * (\"run.*\")\n"
    "  --limit SECONDS     for each check, 20 by default\n"
    "  --driver-threads    the driver below the plugin keeps threads that no plugin can end; only ever more of them "
    "fail\n"
    "  --json              one JSON object instead of the table\n"
    "  --list              name the checks and end\n"
    "Exit status: 0 all passed, 1 a check failed, 2 wrong usage or the library cannot be loaded.\n";

class WrongUsage : public std::exception {
public:
    explicit WrongUsage(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

double number(const std::string& text, const std::string& option, double least, double most) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= least && value <= most))
        throw WrongUsage(option + " needs a number from " + std::to_string(static_cast<int>(least)) + " on, not \"" +
                         text + "\"");
    return value;
}

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 >= argc) throw WrongUsage(word + " needs a value");
            return argv[++i];
        };
        if (word == "--device") {
            arguments.device = static_cast<std::uint32_t>(number(value(), word, 0, 1000));
        } else if (word == "--limit") {
            arguments.limit = number(value(), word, 0.01, 86400);
        } else if (word == "--only") {
            arguments.only.push_back(value());
        } else if (word == "--option") {
            const std::string text = value();
            const std::size_t equals = text.find('=');
            if (equals == std::string::npos || equals == 0)
                throw WrongUsage("--option needs KEY=VALUE, not \"" + text + "\"");
            arguments.options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        } else if (word == "--driver-threads") {
            arguments.driver_threads = true;
        } else if (word == "--json") {
            arguments.json = true;
        } else if (word == "--list") {
            arguments.list = true;
        } else if (word == "--help" || word == "-h") {
            std::fputs(usage, stdout);
            std::exit(exit_pass);
        } else if (word.starts_with("-")) {
            throw WrongUsage("there is no option " + word);
        } else if (arguments.plugin.empty()) {
            arguments.plugin = word;
        } else {
            throw WrongUsage("one library at a time: \"" + arguments.plugin + "\" and \"" + word + "\"");
        }
    }
    if (arguments.plugin.empty() && !arguments.list) throw WrongUsage("which library?");
    if (!arguments.plugin.empty() && !std::filesystem::exists(arguments.plugin))
        throw WrongUsage("there is no file " + arguments.plugin);
    return arguments;
}

bool matches(const std::string& name, const std::string& pattern) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
}

// The checks that were asked for, with those they need.
std::vector<const Check*> chosen(const Arguments& arguments) {
    std::map<std::string, bool> wanted;
    for (const std::string& pattern : arguments.only) {
        bool any = false;
        for (const Check& check : all_checks()) {
            if (!matches(check.name, pattern)) continue;
            any = wanted[check.name] = true;
        }
        if (!any) throw WrongUsage("there is no check \"" + pattern + "\"; --list names them");
    }
    std::vector<const Check*> checks;
    for (auto check = all_checks().rbegin(); check != all_checks().rend(); ++check) {
        if (!arguments.only.empty() && !wanted[check->name]) continue;
        if (!check->needs.empty()) wanted[check->needs] = true;
        checks.push_back(&*check);
    }
    std::reverse(checks.begin(), checks.end());
    return checks;
}

const char* word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass:
            return "pass";
        case Verdict::fail:
            return "FAIL";
        case Verdict::skip:
            return "skip";
    }
    return "";
}

int run(const Arguments& arguments) {
    std::map<std::string, Result> results;
    nlohmann::json report = {
        {"plugin", arguments.plugin}, {"device", arguments.device}, {"checks", nlohmann::json::array()}};
    int passed = 0, failed = 0, skipped = 0;
    std::string absent;  // operations that are not advertised: one line at the end instead of six for each
    for (const Check* check : chosen(arguments)) {
        Result result;
        if (!check->needs.empty() && results[check->needs].verdict != Verdict::pass)
            result = {Verdict::skip, "needs \"" + check->needs + "\"", 0};
        else
            result = run_in_child(*check, arguments);
        if (result.verdict == Verdict::pass) ++passed;
        if (result.verdict == Verdict::fail) ++failed;
        if (result.verdict == Verdict::skip) ++skipped;
        results[check->name] = result;
        if (arguments.json) {
            const char* verdict = result.verdict == Verdict::pass   ? "pass"
                                  : result.verdict == Verdict::fail ? "fail"
                                                                    : "skip";
            report["checks"].push_back(
                {{"name", check->name}, {"result", verdict}, {"text", result.text}, {"ms", result.milliseconds}});
        } else if (result.verdict == Verdict::skip && result.text == "not advertised") {
            if (check->name.starts_with("run.")) absent += " " + check->name.substr(4);
        } else {
            std::printf("%-28s %s  %s\n", check->name.c_str(), word_of(result.verdict), result.text.c_str());
            std::fflush(stdout);
        }
    }
    if (arguments.json) {
        report["passed"] = passed;
        report["failed"] = failed;
        report["skipped"] = skipped;
        std::printf("%s\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    } else {
        if (!absent.empty()) std::printf("%-28s skip %s\n", "not advertised:", absent.c_str());
        std::printf("\n%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    }
    if (results["load"].verdict == Verdict::fail) return exit_usage;
    return failed > 0 ? exit_fail : exit_pass;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Arguments arguments = parse(argc, argv);
        if (arguments.list) {
            for (const Check& check : all_checks())
                std::printf("%-28s %s\n", check.name.c_str(), check.purpose.c_str());
            return exit_pass;
        }
        return run(arguments);
    } catch (const WrongUsage& wrong) {
        std::fprintf(stderr, "vedette-conformance: %s\n%s", wrong.what(), usage);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "vedette-conformance: %s\n", exception.what());
    }
    return exit_usage;
}
