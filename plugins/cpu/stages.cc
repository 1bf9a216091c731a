#include "stages.h"

namespace vedette::cpu {

void add_stage(vdt_cost& cost, const vdt_cost_stage& stage) noexcept {
    if (cost.stage_count < cost.stage_capacity) {
        auto* const bytes = reinterpret_cast<unsigned char*>(cost.stages);
        *reinterpret_cast<vdt_cost_stage*>(bytes + std::uint64_t{cost.stage_count} * cost.stage_size) = stage;
    }
    ++cost.stage_count;
}

void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept {
    vdt_cost_stage stage{};
    stage.work = work;
    stage.span = span;
    stage.width = width;
    stage.divergence = 1;
    stage.global_bytes = bytes;
    stage.global_refs = bytes / 64;
    stage.shared_refs = cached;
    add_stage(cost, stage);
    ++cost.launches;
}

}  // namespace vedette::cpu
