// The manifest beside a plugin's library: what it is called, where it lies, what it needs.
#pragma once

#include "device.h"

#include <filesystem>
#include <string>
#include <vector>

namespace vedette::host {

// What the configuration says of one backend.
struct BackendSettings {
    bool enabled = true;
    std::vector<OptionValue> options;
};

struct Manifest {
    std::string id;
    std::string library;  // file name only
    std::uint32_t abi_major = 0;
    std::uint32_t abi_minor_min = 0;
    std::uint32_t abi_minor_max = 0;
    std::vector<std::string> needs;  // sonames tried before the library is loaded
    // Listing the devices takes memory and threads of drivers, and they may give no costs: before the library is loaded
    // for the sake of a choice alone, a process of its own looks whether one does.
    bool list_apart = false;
    std::vector<OptionValue> options;
    std::string description;
};

// Reads and checks a manifest. Failure VDT_E_FILE or VDT_E_CONFIG naming the file and the key.
Manifest read_manifest(const std::filesystem::path& file);
Manifest parse_manifest(const std::string& text, const std::string& name);

}  // namespace vedette::host
