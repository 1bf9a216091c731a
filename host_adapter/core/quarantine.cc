#include "quarantine.h"

#include <map>
#include <mutex>
#include <tuple>

namespace vedette::host {
namespace {

struct Lost {
    std::mutex mutex;
    std::map<std::tuple<std::string, std::uint32_t, std::string>, std::string> reasons;
};

Lost& lost() {
    static Lost& devices = *new Lost;  // never destroyed: contexts may be used while the process ends
    return devices;
}

}  // namespace

void remember_lost_device(const std::string& library, std::uint32_t index, const std::string& uid,
                          const std::string& reason) {
    if (library.empty()) return;
    Lost& devices = lost();
    const std::lock_guard lock(devices.mutex);
    devices.reasons.try_emplace({library, index, uid}, reason);
}

std::optional<std::string> lost_device(const std::string& library, std::uint32_t index, const std::string& uid) {
    Lost& devices = lost();
    const std::lock_guard lock(devices.mutex);
    const auto found = devices.reasons.find({library, index, uid});
    if (found == devices.reasons.end()) return std::nullopt;
    return found->second;
}

}  // namespace vedette::host
