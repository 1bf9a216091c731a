#include "parameters.h"

#include <cmath>

namespace vedette::model {
namespace {

struct Description {
    const char* name;
    const char* unit;
};

constexpr std::array<Description, parameter_count> descriptions = {{
    {nullptr, ""},
    {"processors", ""},
    {"lanes", ""},
    {"bundle", ""},
    {"clock", "Hz"},
    {"operation_time", "s"},
    {"global_latency", "s"},
    {"global_bandwidth", "bytes/s"},
    {"shared_latency", "s"},
    {"shared_bandwidth", "bytes/s"},
    {"constant_latency", "s"},
    {"atomic_time", "s"},
    {"barrier_time", "s"},
    {"launch_time", "s"},
    {"graph_node_time", "s"},
    {"shared_bytes", "bytes"},
    {"constant_bytes", "bytes"},
    {"to_device_pinned", "bytes/s"},
    {"to_device_pageable", "bytes/s"},
    {"to_host_pinned", "bytes/s"},
    {"to_host_pageable", "bytes/s"},
    {"copy_latency", "s"},
    {"cache2_bytes", "bytes"},
    {"cache2_bandwidth", "bytes/s"},
    {"cache3_bytes", "bytes"},
    {"cache3_bandwidth", "bytes/s"},
    {"constant_cache_bytes", "bytes"},
    {"shared_banks", ""},
    {"refs_in_flight", ""},
    {"next_launch_time", "s"},
    {"open_time", "s"},
    {"to_device_small", "bytes/s"},
    {"to_host_small", "bytes/s"},
    {"to_device_start", "s"},
    {"to_host_start", "s"},
    {"copy_row_time", "s"},
}};

}  // namespace

bool Parameters::set(const vdt_param& value) noexcept {
    if (value.id == 0 || value.id >= parameter_count || value.source == VDT_SOURCE_DEFAULT ||
        value.source > VDT_SOURCE_MEASURED || !std::isfinite(value.value) || value.value <= 0)
        return false;
    vdt_param& entry = values_[value.id];
    entry = value;
    if (!std::isfinite(entry.spread) || entry.spread < 0) entry.spread = 0;
    entry.reserved = 0;
    return true;
}

bool Parameters::set(std::uint32_t id, double value) noexcept {
    vdt_param param{};
    param.id = id;
    param.source = VDT_SOURCE_PROPERTIES;
    param.value = value;
    return set(param);
}

void Parameters::merge(const Parameters& other) noexcept {
    for (std::uint32_t id = 1; id < parameter_count; ++id)
        if (other.values_[id].source != 0 && other.values_[id].source >= values_[id].source)
            values_[id] = other.values_[id];
}

std::uint32_t Parameters::source() const noexcept {
    std::uint32_t best = VDT_SOURCE_DEFAULT;
    for (const vdt_param& value : values_)
        if (value.source > best) best = value.source;
    return best;
}

const char* parameter_name(std::uint32_t id) noexcept {
    return id < parameter_count ? descriptions[id].name : nullptr;
}

std::optional<std::uint32_t> parameter_of_name(std::string_view name) noexcept {
    for (std::uint32_t id = 1; id < parameter_count; ++id)
        if (name == descriptions[id].name) return id;
    return std::nullopt;
}

const char* parameter_unit(std::uint32_t id) noexcept {
    return id < parameter_count ? descriptions[id].unit : "";
}

}  // namespace vedette::model
