// Help for plugins written in C++; not part of the ABI. Filling of vdt_cost.
#ifndef VEDETTE_PLUGIN_CPP_COST_HPP
#define VEDETTE_PLUGIN_CPP_COST_HPP

#include "../cost.h"

namespace vedette::plugin {

// Sets all that a plugin counts to nothing; room and struct_size stay.
inline void clear_cost(vdt_cost& cost) noexcept {
    cost.flags = 0;
    cost.stage_count = 0;
    cost.launches = 0;
    cost.bytes_to_device = 0;
    cost.bytes_to_host = 0;
    cost.scratch_bytes = 0;
    cost.shared_bytes = 0;
    cost.constant_bytes = 0;
}

// Appends a stage to a record that check_cost has accepted: counted always, written when the array has room for it.
inline void add_stage(vdt_cost& cost, const vdt_cost_stage& stage) noexcept {
    if (cost.stage_count < cost.stage_capacity) {
        auto* const first = reinterpret_cast<unsigned char*>(cost.stages);
        *reinterpret_cast<vdt_cost_stage*>(first + uint64_t{cost.stage_count} * cost.stage_size) = stage;
    }
    ++cost.stage_count;
}

// A stage whose lanes all have work. `bytes` go to memory in transactions of `transaction` bytes.
inline vdt_cost_stage even_stage(double work, double span, double width, double bytes, double transaction) noexcept {
    vdt_cost_stage stage{};
    stage.work = work;
    stage.span = span;
    stage.width = width;
    stage.divergence = 1;
    stage.global_bytes = bytes;
    stage.global_refs = bytes / transaction;
    return stage;
}

// Appends a stage that is a launch of its own.
inline void add_launch(vdt_cost& cost, const vdt_cost_stage& stage) noexcept {
    add_stage(cost, stage);
    ++cost.launches;
}

}  // namespace vedette::plugin
#endif
