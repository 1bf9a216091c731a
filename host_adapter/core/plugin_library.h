// Loads a plugin's library and takes its table.
#pragma once

#include "manifest.h"

#include <vedette/plugin/plugin.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace vedette::host {

// What loading gave, or at which stage it ended: "needs", "load" or "negotiate".
struct LoadedTable {
    const vdt_plugin* table = nullptr;
    std::uint32_t abi_minor = 0;  // the agreed one
    std::string stage;
    vdt_code code = VDT_OK;
    std::string reason;
};

// Loads `library` (canonical path) with all symbols bound at once and none shown to others, after each of `needs`. It
// stays loaded until the process ends: code of a plugin may be on some thread's stack or in some handler's list for
// ever. `entering` (may be empty) is called before each stage. Thread rule: any; one at a time inside.
LoadedTable load_plugin(const std::filesystem::path& library, const std::string& id,
                        const std::vector<std::string>& needs,
                        const std::function<void(const char* stage)>& entering = {});

// Calls `entry` and checks the table it gives. Stage "negotiate".
LoadedTable negotiate(vdt_plugin_entry_fn entry, const std::string& id);

}  // namespace vedette::host
