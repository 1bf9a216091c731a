// From the hits of one pattern to its items, in the order and number that ops.h defines.
#pragma once

#include <vedette/plugin/ops.h>

#include <kernels/template_hits.h>

#include <cstdint>
#include <vector>

namespace vedette::cuda_plugin {

// Keeps the best `max_results` of `hits`, best first, then top, then left, after what `flags` (VDT_FIND_...) ask for;
// returns how many there were.
std::uint64_t choose_hits(std::vector<cuda::Hit>& hits, std::uint32_t flags, std::size_t max_results);

}  // namespace vedette::cuda_plugin
