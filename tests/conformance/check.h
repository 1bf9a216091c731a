// What a check is, and how it says what it found.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace vedette::conformance {

// What the program was asked.
struct Arguments {
    std::string plugin;  // path of the library
    std::uint32_t device = 0;
    std::vector<std::pair<std::string, std::string>> options;  // given to create
    double limit = 20;                                         // seconds for each check
    bool driver_threads = false;  // a driver below the plugin keeps threads when the plugin has ended
    bool json = false;
    bool list = false;
    std::vector<std::string> only;  // checks to run; empty = all
};

// Leaves a check: the plugin broke the rule that the check is about.
class Broken : public std::exception {
public:
    explicit Broken(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// Leaves a check that has nothing to look at in this plugin.
class NothingToCheck : public std::exception {
public:
    explicit NothingToCheck(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

inline void demand(bool condition, const std::string& text) {
    if (!condition) throw Broken(text);
}

// One check. `run` gets a fresh process in which the plugin is not loaded yet, returns a note for the report ("" =
// none) and throws Broken or NothingToCheck.
struct Check {
    std::string name;
    std::string purpose;  // one line for --list
    std::string needs;    // name of the check that must have passed, "" = none
    std::string (*run)(const Arguments& arguments, std::uint32_t parameter);
    std::uint32_t parameter = 0;  // operation, for the checks made once for each
};

// All checks in the order they run. An operation's number and name: "template_find".
const std::vector<Check>& all_checks();
std::string operation_name(std::uint32_t op);

}  // namespace vedette::conformance
