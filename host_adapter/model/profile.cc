#include "profile.h"

#include "core/json_input.h"
#include "core/operations.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace vedette::model {
namespace {

constexpr std::string_view of_one_thread = ", one thread";

using host::JsonObject;
using nlohmann::json;

constexpr std::uint64_t format_version = 1;
constexpr std::size_t longest_text = 256;
constexpr double largest = 1e30;
constexpr const char* sources[] = {"default", "properties", "measured"};

json parameters_json(const Parameters& parameters) {
    json all = json::object();
    for (std::uint32_t id = 1; id < parameter_count; ++id) {
        if (!parameters.has(id)) continue;
        const vdt_param& entry = parameters.entry(id);
        all[parameter_name(id)] = {{"value", entry.value},
                                   {"unit", parameter_unit(id)},
                                   {"source", sources[entry.source]},
                                   {"spread", entry.spread},
                                   {"samples", entry.samples}};
    }
    return all;
}

std::uint32_t source_of(JsonObject& object) {
    object.require("source");
    const std::string name = object.text("source", 16, "");
    for (std::uint32_t source = VDT_SOURCE_PROPERTIES; source <= VDT_SOURCE_MEASURED; ++source)
        if (name == sources[source]) return source;
    object.fail("source", "must be \"properties\" or \"measured\"");
}

Parameters read_parameters(JsonObject object) {
    Parameters parameters;
    for (auto& [name, value] : object.members()) {
        vdt_param entry{};
        value.require("value");
        entry.value = value.real("value", 0, largest, 0);
        entry.source = source_of(value);
        entry.spread = value.real("spread", 0, largest, 0);
        entry.samples = static_cast<std::uint32_t>(value.whole("samples", 0, UINT32_MAX, 0));
        value.text("unit", 16, "");
        value.finish();
        const auto id = parameter_of_name(name);
        if (!id) continue;  // of a later version
        entry.id = *id;
        if (!parameters.set(entry)) value.fail("value", "must be above 0");
    }
    return parameters;
}

std::map<std::string, Efficiency> read_efficiencies(JsonObject object) {
    std::map<std::string, Efficiency> all;
    for (auto& [variant, value] : object.members()) {
        value.require("value");
        Efficiency& one = all[variant];
        one.value = value.real("value", Efficiency::least, Efficiency::most, 1);
        one.spread = value.real("spread", 0, largest, 0);
        one.samples = static_cast<std::uint32_t>(value.whole("samples", 0, UINT32_MAX, 0));
        value.finish();
    }
    return all;
}

std::map<std::uint32_t, Correction> read_corrections(JsonObject object) {
    std::map<std::uint32_t, Correction> all;
    for (auto& [name, value] : object.members()) {
        const std::size_t digits = name.size();
        if (digits == 0 || digits > 2 || name.find_first_not_of("0123456789") != std::string::npos)
            object.fail(name, "must be the number of a size class");
        value.require("log_factor");
        const double factor = value.real("log_factor", -largest, largest, 0);
        const auto count = static_cast<std::uint32_t>(value.whole("count", 0, UINT32_MAX, 0));
        value.finish();
        const auto of_class = static_cast<std::uint32_t>(std::stoul(name));
        if (of_class < size_classes) all[of_class] = Correction(factor, count);
    }
    return all;
}

}  // namespace

std::string Profile::fitted_name(const std::string& variant, const vdt_cost& cost) const {
    const bool alone = kind == VDT_DEVICE_CPU && cost.launches == 0 && cost.stage_count != 0;
    return alone ? variant + std::string(of_one_thread) : variant;
}

double Profile::efficiency(vdt_op op, const std::string& name) const {
    std::vector<double> same_name, same_op, all;
    for (const auto& [other, variants] : efficiencies)
        for (const auto& [fitted, efficiency] : variants) {
            if (other == op && fitted == name) return efficiency.value;
            all.push_back(efficiency.value);
            if (other == op) same_op.push_back(efficiency.value);
            if (fitted == name) same_name.push_back(efficiency.value);
        }
    const std::string_view whole(name);
    if (same_name.empty() && whole.ends_with(of_one_thread))
        return efficiency(op, std::string(whole.substr(0, whole.size() - of_one_thread.size())));
    std::vector<double>& alike = !same_name.empty() ? same_name : !same_op.empty() ? same_op : all;
    if (alike.empty()) return 1;
    const auto middle = alike.begin() + static_cast<std::ptrdiff_t>(alike.size() / 2);
    std::nth_element(alike.begin(), middle, alike.end());
    return *middle;
}

Machine machine_of(const Profile& profile) noexcept {
    return Machine(profile.parameters, profile.kind == VDT_DEVICE_CPU);
}

std::string write_profile(const Profile& profile) {
    json document = {{"schema", format_version},       {"plugin", profile.key.plugin},
                     {"version", profile.key.version}, {"device", profile.key.device},
                     {"driver", profile.key.driver},   {"kind", profile.kind},
                     {"recorded", profile.recorded},   {"parameters", parameters_json(profile.parameters)}};
    json efficiencies = json::object();
    for (const auto& [op, variants] : profile.efficiencies)
        for (const auto& [variant, one] : variants)
            efficiencies[host::operation_name(op)][variant] = {
                {"value", one.value}, {"spread", one.spread}, {"samples", one.samples}};
    json corrections = json::object();
    for (const auto& [op, variants] : profile.corrections)
        for (const auto& [variant, classes] : variants)
            for (const auto& [of_class, one] : classes)
                corrections[host::operation_name(op)][variant][std::to_string(of_class)] = {
                    {"log_factor", one.log_factor()}, {"count", one.count()}};
    document["efficiencies"] = std::move(efficiencies);
    document["corrections"] = std::move(corrections);
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Profile read_profile(const std::string& text, const std::string& name) {
    const json document = host::parse_json(text, name);
    JsonObject object(document, name, "");
    object.require("schema");
    object.whole("schema", format_version, format_version, format_version);
    Profile profile;
    for (const auto& [key, place] : {std::pair{"plugin", &profile.key.plugin},
                                     {"version", &profile.key.version},
                                     {"device", &profile.key.device},
                                     {"driver", &profile.key.driver}}) {
        object.require(key);
        *place = object.text(key, longest_text, "");
    }
    profile.kind = static_cast<std::uint32_t>(object.whole("kind", 0, UINT32_MAX, 0));
    profile.recorded = object.text("recorded", 64, "");
    object.require("parameters");
    if (auto parameters = object.object("parameters")) profile.parameters = read_parameters(*parameters);
    if (auto efficiencies = object.object("efficiencies"))
        for (auto& [op_name, variants] : efficiencies->members())
            if (const auto op = host::operation_of_name(op_name))
                profile.efficiencies[*op] = read_efficiencies(variants);
    if (auto corrections = object.object("corrections"))
        for (auto& [op_name, variants] : corrections->members())
            if (const auto op = host::operation_of_name(op_name))
                for (auto& [variant, classes] : variants.members())
                    profile.corrections[*op][variant] = read_corrections(classes);
    object.finish();
    return profile;
}

}  // namespace vedette::model
