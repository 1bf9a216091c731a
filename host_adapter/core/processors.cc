#include "processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

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

// Those that the affinity mask allows the calling thread. std::thread::hardware_concurrency counts what the machine
// has: bound to 2 of 32 processors (taskset) it says 32.
std::uint32_t processors_of_mask() {
    constexpr std::size_t most_sets = 64;  // of 1024 processors each: beyond what kernels are built for
    for (std::size_t sets = 1; sets <= most_sets; sets *= 2) {
        std::vector<cpu_set_t> mask(sets);
        if (::sched_getaffinity(0, sets * sizeof(cpu_set_t), mask.data()) == 0)
            return static_cast<std::uint32_t>(std::max(1, CPU_COUNT_S(sets * sizeof(cpu_set_t), mask.data())));
    }
    return std::max(1u, std::thread::hardware_concurrency());
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
    std::uint32_t count = processors_of_mask();
    // A limit of any group above holds too.
    for (std::string group = control_group();; group.resize(group.find_last_of('/'))) {
        if (const auto quota = processors_of_quota(first_line("/sys/fs/cgroup" + group + "/cpu.max")))
            count = std::min(count, *quota);
        if (group.find('/') == std::string::npos) return count;
    }
}

}  // namespace vedette::host
