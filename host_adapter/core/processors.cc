#include "processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace vedette::host {
namespace {

std::string first_line(const std::string& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

// This process's place in the one hierarchy of cgroup v2: the line "0::/path".
std::string control_group() {
    std::ifstream stream("/proc/self/cgroup");
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with("0::/")) return line.substr(3);
    return "/";
}

}  // namespace

std::optional<std::uint32_t> processors_of_quota(const std::string& cpu_max) {
    std::istringstream stream(cpu_max);
    double quota = 0;
    double period = 0;
    if (!(stream >> quota >> period) || !(quota > 0) || !(period > 0)) return std::nullopt;
    return static_cast<std::uint32_t>(std::clamp(std::ceil(quota / period), 1.0, 65536.0));
}

std::uint32_t usable_processors() {
    std::uint32_t count = std::max(1u, std::thread::hardware_concurrency());  // honours the affinity mask
    // A limit of any group above holds too.
    for (std::string group = control_group();; group.resize(group.find_last_of('/'))) {
        if (const auto quota = processors_of_quota(first_line("/sys/fs/cgroup" + group + "/cpu.max")))
            count = std::min(count, *quota);
        if (group.find('/') == std::string::npos) return count;
    }
}

}  // namespace vedette::host
