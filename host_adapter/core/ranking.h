// The ways in which a call can be done, with what each is predicted to cost.
#pragma once

#include "device_model.h"
#include "execution.h"
#include "policy.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vedette::host {

// A variant on a device whose time can be predicted.
struct Option {
    std::shared_ptr<Device> device;
    DeviceModel* model = nullptr;
    std::uint32_t variant = 0;
    std::string variant_name;
    std::uint32_t slot = 0;  // of the name, in `model`
    // At the profile's efficiency, without correction: right after another call, and after a rest.
    model::Terms terms, rested;
    double efficiency = 1;
    std::uint32_t size_class = 0;
    std::uint32_t flags = 0;  // VDT_COST_...

    // "cuda", "cuda:1".
    std::string device_name() const;
};
std::string device_name(const Device& device);

// Backends among which the policy leaves the choice: options with a prediction first, then, one after the other, what
// has none.
struct Group {
    std::vector<Option> options;
    std::vector<Candidate> candidates;
    std::vector<std::shared_ptr<Device>> lost;  // out of use since a failure
};

// A device that the policy allows and nobody opened yet. `backend` "": there is none.
struct Unopened {
    std::string backend;
    std::uint32_t device = 0;
};

// What the policy allows and is no option.
struct Excluded {
    std::string device;  // "cuda:1", or a backend's name
    std::string reason;
};

struct Ranking {
    vdt_op op = 0;
    Selection selection;
    std::vector<Group> groups;  // by the policy's rank
    std::vector<Excluded> excluded;
    Unopened unopened;  // of the first group
};

// Copies that a call makes because of where its images lie: inputs that the device does not keep, outputs on the host.
model::Transfers transfers_of(const std::vector<vdt_image>& inputs, const std::vector<vdt_image>& outputs) noexcept;

// The options of `operation` on one opened device that gives costs, one a variant; empty when it does not support the
// call or gives none for it: `why_not` (may be NULL) then gets a sentence. Costs that cannot be are noted with the
// device as a bug.
std::vector<Option> options_on(Device& device, DeviceModel& model, const Operation& operation, std::string* why_not);

}  // namespace vedette::host
