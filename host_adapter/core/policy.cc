#include "policy.h"

#include "failure.h"

#include <algorithm>

namespace vedette::host {
namespace {

// The rule of one source for one operation: the operation's own choice, else the general one; both forbid.
Rule rule_for(const Policy& policy, vdt_op op) {
    Rule rule = policy.general;
    const auto own = policy.operations.find(op);
    if (own == policy.operations.end()) return rule;
    if (own->second.mode != Mode::Unset) {
        rule.mode = own->second.mode;
        rule.backend = own->second.backend;
        rule.device = own->second.device;
    }
    rule.forbidden.insert(own->second.forbidden.begin(), own->second.forbidden.end());
    return rule;
}

std::string device_name(const std::string& backend, std::int32_t device) {
    return device < 0 ? backend : backend + ":" + std::to_string(device);
}

}  // namespace

Selection select_backends(const PolicyLayers& layers, vdt_op op, const std::string& asked,
                          const std::vector<std::string>& known) {
    Rule chosen;
    std::string chosen_by;
    if (!asked.empty() && asked != "auto") {
        const BackendName name = parse_backend_name(asked, "The backend");
        chosen = {Mode::Force, name.backend, name.device, {}};
        chosen_by = "the call";
    }
    std::map<std::string, std::string> forbidden_by;
    for (const PolicyLayer& layer : layers) {
        const Rule rule = rule_for(layer.policy, op);
        for (const std::string& backend : rule.forbidden) forbidden_by.try_emplace(backend, layer.name);
        if (chosen.mode != Mode::Unset || rule.mode == Mode::Unset) continue;
        chosen = rule;
        chosen_by = layer.name;
    }

    Selection selection;
    selection.forced = chosen.mode == Mode::Force;
    const bool named = selection.forced || chosen.mode == Mode::Prefer;
    if (selection.forced) {
        const auto forbidden = forbidden_by.find(chosen.backend);
        if (forbidden != forbidden_by.end())
            throw Failure(VDT_E_UNAVAILABLE, chosen.backend + " was asked for by " + chosen_by +
                                                 " but is forbidden by " + forbidden->second + ".");
        selection.candidates.push_back({chosen.backend, chosen.device,
                                        device_name(chosen.backend, chosen.device) + " was asked for by " + chosen_by});
        return selection;
    }
    if (named && !forbidden_by.contains(chosen.backend)) {
        const std::string why = device_name(chosen.backend, chosen.device) + " is preferred by " + chosen_by;
        selection.candidates.push_back({chosen.backend, chosen.device, why});
        if (chosen.device >= 0)
            selection.candidates.push_back({chosen.backend, -1, chosen.backend + " is preferred by " + chosen_by, 1});
    }
    const std::uint32_t others = selection.candidates.empty() ? 0 : selection.candidates.back().group + 1;
    bool first = true;
    for (const std::string& backend : known) {
        if (forbidden_by.contains(backend)) continue;
        const char* const place = first ? " is first in the configured order" : " is next in the configured order";
        first = false;
        if (named && backend == chosen.backend) continue;
        selection.candidates.push_back({backend, -1, backend + place, others});
    }
    for (const auto& [backend, by] : forbidden_by)
        if (std::find(known.begin(), known.end(), backend) != known.end())
            selection.notes.push_back(backend + " is forbidden by " + by);
    if (selection.candidates.empty() && !selection.notes.empty()) {
        std::string text = "Every backend is forbidden";
        for (const std::string& note : selection.notes) text += "; " + note;
        throw Failure(VDT_E_UNAVAILABLE, text + ".");
    }
    return selection;
}

}  // namespace vedette::host
