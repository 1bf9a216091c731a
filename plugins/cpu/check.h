// Checks of what the host hands in. All of it may be wrong; nothing is dereferenced before it was looked at.
// Each throws Failure with one sentence that names the culprit.
#pragma once

#include "op.h"

namespace vedette::cpu {

// With `Pixels::present` the planes must lie inside their buffers; a query's images have no pixels yet.
enum class Pixels { absent, present };

// Memory kinds that this backend reads and writes: ordinary host memory, pinned or not.
constexpr std::uint32_t memory_mask = 1u << VDT_MEMORY_HOST | 1u << VDT_MEMORY_PINNED;

// `role` and `index` name the image in the error's text ("input", 2).
void check_image(const vdt_image* image, Pixels pixels, const char* role, std::uint32_t index);

void check_query(const vdt_query* query);

// `inputs` and `outputs`: how many images the plan was made for; nothing behind a count that differs is read. The
// shapes are compared elsewhere.
void check_call(const vdt_call* call, std::size_t inputs, std::size_t outputs);

// The parameters behind `params` are at least `size` bytes by their own word.
void check_params(const void* params, std::uint32_t size, const char* operation);

}  // namespace vedette::cpu
