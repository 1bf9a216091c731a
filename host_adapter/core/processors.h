#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vedette::host {

// Processors this process can keep busy: those it may run on, and no more than the quota of its control group (a
// container that may use two of sixty-four cores is slowed down when sixty-four threads try). At least 1.
std::uint32_t usable_processors();

// Processors of a cgroup v2 "cpu.max" ("QUOTA PERIOD", "max PERIOD"), rounded up; nothing when it sets no limit.
std::optional<std::uint32_t> processors_of_quota(const std::string& cpu_max);

}  // namespace vedette::host
