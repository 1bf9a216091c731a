// What ops.h asks of pyramid, for backends that halve by exact sums of integers and by single precision.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>

namespace vedette::imaging {

// Checks a query, general ones too, and fills formats, determinism and tolerance of the answer. Throws Failure.
void answer_pyramid(const vdt_query& query, vdt_op_support& answer);

// Throws Failure unless `params` are sound for a call with so many outputs and ask for `planned_method`.
void check_pyramid_call(const vdt_pyramid_params& params, std::uint32_t outputs, std::uint32_t planned_method);

}  // namespace vedette::imaging
