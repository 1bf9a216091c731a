#include "stages.h"

namespace vedette::cpu {

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
