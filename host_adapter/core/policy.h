// Which backends may do an operation, in which order, and why: pure rules, without any plugin.
#pragma once

#include <vedette/plugin/ops.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace vedette::host {

enum class Mode { Unset, Auto, Prefer, Force };

// One source's rule. `forbidden` stands beside the choice: what any source forbids is never used.
struct Rule {
    Mode mode = Mode::Unset;
    std::string backend;       // with Prefer and Force
    std::int32_t device = -1;  // -1 = any device of the backend
    std::set<std::string> forbidden;
};

// The rules of one source: for every operation, and for single ones, which come first.
struct Policy {
    Rule general;
    std::map<vdt_op, Rule> operations;
};

// Policies by rank, the highest first. `name` is how a sentence names the source: "VEDETTE_BACKEND", "the
// configuration".
struct PolicyLayer {
    std::string name;
    Policy policy;
};
using PolicyLayers = std::vector<PolicyLayer>;

// A backend to try. `device` -1: every device in turn; else that one only.
struct Candidate {
    std::string backend;
    std::int32_t device = -1;
    std::string why;  // "cpu is first in the configured order"
    // Candidates of one group are equal to the policy: which of them is taken is for the predictions. Counted from 0,
    // never falling.
    std::uint32_t group = 0;
};

struct Selection {
    std::vector<Candidate> candidates;
    bool forced = false;  // no other backend may do it
    // Why backends are missing from `candidates`: "opencl is forbidden by the configuration".
    std::vector<std::string> notes;
};

// A backend and device as people write them: "cpu", "cuda:1". Failure VDT_E_ARGUMENT naming `what` when it is neither.
struct BackendName {
    std::string backend;
    std::int32_t device = -1;
};
BackendName parse_backend_name(const std::string& text, const std::string& what);

// Orders `known` (the backends that are there, in the configured order) for `op`. `asked`: "" or "auto" = by the
// layers, else "NAME[:DEVICE]", which is forced. A forced or preferred backend is a candidate even when it is not
// known, so that the caller hears why it cannot be had. Failure VDT_E_ARGUMENT (malformed `asked`), VDT_E_UNAVAILABLE
// (the forced backend is forbidden, or everything is).
Selection select_backends(const PolicyLayers& layers, vdt_op op, const std::string& asked,
                          const std::vector<std::string>& known);

}  // namespace vedette::host
