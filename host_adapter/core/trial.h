// Loads a plugin in a process of its own first, so that one that crashes, hangs or exits does not take the application
// along.
#pragma once

#include "device.h"

#include <filesystem>
#include <string>
#include <vector>

namespace vedette::host {

struct TrialRequest {
    std::filesystem::path program;  // vedette-probe-plugin
    std::filesystem::path library;  // canonical path
    std::string id;
    std::vector<std::string> needs;
    std::vector<OptionValue> options;
    double seconds = 10;
};

struct TrialVerdict {
    bool good = false;
    bool gives_costs = false;  // one of the devices does
    // When it is not good:
    std::string stage;
    vdt_code code = VDT_OK;
    std::string reason;
};

// Runs the whole of loading (entry, create, devices, destroy) in a child and says how it ended. A verdict about a file
// (path, size, time of change) and the options it is given holds as long as this process. Takes at most `seconds`.
// Thread rule: any.
TrialVerdict try_plugin(const TrialRequest& request);

// The child's side, called by vedette-probe-plugin with its arguments; returns its exit status.
int serve_trial(int argc, char** argv);

}  // namespace vedette::host
