// Filling of vdt_cost.
#pragma once

#include "op.h"

namespace vedette::cpu {

// Appends a stage: counted always, written when the caller's array has room for it.
void add_stage(vdt_cost& cost, const vdt_cost_stage& stage) noexcept;

}  // namespace vedette::cpu
