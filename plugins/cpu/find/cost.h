// Counts of the work of template_map and template_find, for the host's model [A].
#pragma once

#include "../op.h"

namespace vedette::cpu::find {

// The query was checked and has images. The pixels of a find are looked at where they are at hand (search/sample.h).
void cost_of_map(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_find(const Device& device, const vdt_query& query, vdt_cost& cost);

// How it is done: the names that efficiencies go by.
const char* way_of_map(const Device& device, const vdt_query& query);
const char* way_of_find(const Device& device, const vdt_query& query);

}  // namespace vedette::cpu::find
