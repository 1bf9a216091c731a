// The configuration of libvedette.
#pragma once

#include "manifest.h"
#include "opening.h"
#include "policy.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace vedette::host {

// Settings of the cost model, which chooses among the backends that the policy allows.
struct ModelSettings {
    bool correction = true;                   // learn from the times of calls
    bool profiles = true;                     // read and write device profiles
    std::filesystem::path profile_directory;  // empty: the user's cache directory
    Opening opening = Opening::WhenItPays;
};

// Built-in values are those of config/vedette.json; a test holds the two together.
struct Config {
    std::uint32_t threads = 0;  // 0 = one per core
    std::vector<std::filesystem::path> plugin_directories;
    // On by default: who sets the environment can as well preload code; set-uid programs ignore it (secure_getenv), and
    // the loading rules hold for these directories too.
    bool allow_environment_plugins = true;
    double trial_seconds = 10;
    std::vector<std::string> order = {"cpu", "cuda", "opencl", "opencv"};
    std::map<std::string, BackendSettings> backends;
    Policy policy;
    ModelSettings model;
    std::string source = "built-in defaults";  // the file, for messages
};

// Reads a configuration; `name` begins every error. Failure VDT_E_CONFIG naming the key (as a JSON pointer), or line
// and column of what is no JSON; VDT_E_FILE.
Config parse_config(const std::string& text, const std::string& name);
Config read_config(const std::filesystem::path& file);

// Policy of $VEDETTE_BACKEND: clauses separated by ';', each [OPERATION=]CHOICE; CHOICE is auto, NAME[:DEVICE] or
// prefer:NAME[:DEVICE], force:NAME[:DEVICE], forbid:NAME,NAME... Failure VDT_E_CONFIG naming the variable and the
// clause.
Policy parse_backend_variable(const std::string& value);
// Absolute directories of $VEDETTE_PLUGIN_PATH, separated by ':'. Failure VDT_E_CONFIG for relative ones.
std::vector<std::filesystem::path> parse_plugin_path_variable(const std::string& value);

}  // namespace vedette::host
