// The parameters of a device, VDT_PARAM_... of plugin/cost.h.
#pragma once

#include <vedette/plugin/cost.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vedette::model {

// Numbers beyond those of the ABI: what the host measures by itself of the calls of a plugin. Files name them by name,
// so that these may move up.
enum HostParameter : std::uint32_t {
    // Bytes a second of a copy of pageable memory that is too small to be shared out among threads or cut into parts.
    to_device_small = VDT_PARAM_OPEN_TIME + 1,
    to_host_small,
    // Seconds that a large one takes beside its bytes at their rate: until its threads are there and its parts are on
    // their way one behind the other.
    to_device_start,
    to_host_start,
    // Seconds of a row, where the rows of a copy do not lie one behind the other.
    copy_row_time,
    // One above the highest number of a parameter.
    parameter_count
};
// One above the highest number of those that plugins answer.
inline constexpr std::uint32_t plugin_parameter_count = VDT_PARAM_OPEN_TIME + 1;

// Values by number; a parameter may be unknown. Plain data: copied freely.
class Parameters {
public:
    // Makes `value` known. Ignored (false): numbers that are none, values that are not finite or not above 0, source
    // VDT_SOURCE_DEFAULT, which is how a plugin says that it cannot tell.
    bool set(const vdt_param& value) noexcept;
    // Shorthand with source VDT_SOURCE_PROPERTIES.
    bool set(std::uint32_t id, double value) noexcept;
    // Takes what `other` knows; where both know a value, the better source stays, and of equal ones the other's.
    void merge(const Parameters& other) noexcept;

    bool has(std::uint32_t id) const noexcept { return id < parameter_count && values_[id].source != 0; }
    // `otherwise` when it is not known.
    double get(std::uint32_t id, double otherwise) const noexcept { return has(id) ? values_[id].value : otherwise; }
    // With its source, spread and samples; source 0 when it is not known.
    const vdt_param& entry(std::uint32_t id) const noexcept { return values_[id < parameter_count ? id : 0]; }
    // VDT_SOURCE_MEASURED when any was measured.
    std::uint32_t source() const noexcept;

private:
    std::array<vdt_param, parameter_count> values_{};
};

// Name in files and tables, "global_bandwidth"; NULL for numbers that are none.
const char* parameter_name(std::uint32_t id) noexcept;
std::optional<std::uint32_t> parameter_of_name(std::string_view name) noexcept;
// "bytes/s", "s", "Hz", "bytes" or "" for plain numbers.
const char* parameter_unit(std::uint32_t id) noexcept;

}  // namespace vedette::model
