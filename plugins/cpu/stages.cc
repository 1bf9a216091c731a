#include "stages.h"

namespace vedette::cpu {

void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept {
    vdt_cost_stage stage = plugin::even_stage(work, span, width, bytes, 64);
    stage.shared_refs = cached;
    plugin::add_launch(cost, stage);
}

}  // namespace vedette::cpu
