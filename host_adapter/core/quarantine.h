// Devices that failed for good in this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vedette::host {

// A device that is lost stays lost for every later context of the process: driver state does not come back. Known by
// the plugin's library, its number and its uid. Plugins without a library (part of the program) are not remembered.
void remember_lost_device(const std::string& library, std::uint32_t index, const std::string& uid,
                          const std::string& reason);
// Why it was taken out, when it was. Thread rule of both: any.
std::optional<std::string> lost_device(const std::string& library, std::uint32_t index, const std::string& uid);

}  // namespace vedette::host
