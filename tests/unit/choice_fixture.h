// Fakes that say what they cost.
#pragma once

#include "find_fixture.h"

namespace vedette::test {

// Costs of `milliseconds` on a device of which nothing is known: a chain of dependent operations. GPU: 2.5 ns each.
inline auto takes(double milliseconds, double bytes_to_device = 0) {
    return [=](const vdt_query& query, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
        cost.stage_count = 1;
        cost.bytes_to_device = bytes_to_device;
        if (cost.stage_capacity == 0) return VDT_OK;
        vdt_cost_stage& stage = cost.stages[0];
        stage = {};
        // Longer for later variants.
        stage.span = milliseconds * (1 + query.variant) * 1e-3 / 2.5e-9;
        stage.width = 1;
        stage.divergence = 1;
        return VDT_OK;
    };
}

inline const char* const at_once = R"(, "model": {"opening": "at_once"})";

struct Machines : Backends {
    // All of them devices with memory of their own, so that their parameters do not depend on this machine.
    Machines() {
        for (Fake* fake : {&first, &second, &third}) fake->own_memory = true;
    }
};

}  // namespace vedette::test
