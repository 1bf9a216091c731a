// template_many.h on compute capability 9.0: more than many_half patterns, by products of warpgroups.
#pragma once

#include "kernels/template_many.h"

#include <cstdint>
#include <vector>

namespace vedette::cuda {

bool many_wide_takes(int width, int height, int patterns, const DeviceLimits& limits);
std::vector<std::uint32_t> many_wide_words(const std::vector<std::vector<std::int8_t>>& pixels, int width, int height);
void many_wide_prepare(const DeviceLimits& limits);
// `slack`: what sums less their mean may be off by.
void many_wide_hits(const TemplateScene& scene, const ManyOperand& operand, const ManyTests& tests, float slack,
                    const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
