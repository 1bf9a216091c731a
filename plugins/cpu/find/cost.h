// Counts of the work of template_map and template_find, for the host's model [A].
#pragma once

#include "../op.h"

namespace vedette::cpu::find {

// The query was checked and has images; pixels are not looked at.
void cost_of_map(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_find(const Device& device, const vdt_query& query, vdt_cost& cost);

}  // namespace vedette::cpu::find
