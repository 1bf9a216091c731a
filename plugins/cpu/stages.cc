#include "stages.h"

namespace vedette::cpu {

void add_stage(vdt_cost& cost, const vdt_cost_stage& stage) noexcept {
    if (cost.stage_count < cost.stage_capacity) {
        auto* const bytes = reinterpret_cast<unsigned char*>(cost.stages);
        *reinterpret_cast<vdt_cost_stage*>(bytes + std::uint64_t{cost.stage_count} * cost.stage_size) = stage;
    }
    ++cost.stage_count;
}

}  // namespace vedette::cpu
