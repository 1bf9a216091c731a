// What a search is expected to meet, from a look at some windows of the scene.
#pragma once

#include <vedette/plugin/plugin.h>

#include <optional>

namespace vedette::cpu::find {

// Share of the windows of `region` that the bound of `pattern` (bound.h) keeps at `threshold`, for blocks as they are
// usual, without a mask; `usual` is the share that is expected without looking. Nothing when the pixels are not at
// hand. Looks at some hundred thousand pixels at most, a quarter of a millisecond; does not allocate.
std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        double threshold, double usual) noexcept;

}  // namespace vedette::cpu::find
