// A plugin inside the test program whose answers each test writes itself.
#pragma once

#include "core/registry.h"

#include <vedette/plugin/plugin.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace vedette::test {

// What a fake plugin answers and how often it was asked. Answers may throw: a plugin that breaks the contract.
struct Fake {
    std::string id;
    std::uint32_t device_count = 1;
    vdt_code no_device_code = VDT_E_NO_DEVICE;
    bool keeps_images = false;
    bool own_memory = false;  // as a graphics processor's
    bool no_costs = false;    // VDT_DEVICE_NO_COSTS, whether the slot is there or not
    std::vector<std::string> variants = {"plain"};

    std::function<vdt_code(vdt_error*)> create;                                      // default: succeeds
    std::function<vdt_code(std::uint32_t, vdt_error*)> device_open;                  // default: succeeds
    std::function<vdt_code(const vdt_query&, vdt_op_support&, vdt_error*)> support;  // default: yes, one variant
    std::function<vdt_code(const vdt_query&, vdt_cost&, vdt_error*)> cost;           // default: the slot is NULL
    std::function<vdt_code(const vdt_query&, vdt_error*)> plan_create;               // default: succeeds
    std::function<vdt_code(const vdt_call&, vdt_error*)> run;                        // default: succeeds, empty lists
    std::function<vdt_code(const vdt_image&, vdt_error*)> resident_create;           // default: succeeds

    const vdt_host* host = nullptr;  // given to the last create
    std::atomic<int> creates{0}, destroys{0}, opens{0}, closes{0};
    std::atomic<int> plans_made{0}, plans_destroyed{0}, runs{0};
    std::atomic<int> costs_asked{0};
    std::atomic<int> residents_made{0}, residents_destroyed{0};
};

// Fills `error` and returns `code`.
vdt_code fail(vdt_error* error, vdt_code code, const char* text);

// Number of fakes that can be there at the same time; each has its own table.
inline constexpr int fake_places = 3;

// Puts `fake` in place `place` (0 to fake_places - 1) and gives what a context takes. The fake outlives the context.
host::BuiltInPlugin built_in(Fake& fake, int place);

}  // namespace vedette::test
