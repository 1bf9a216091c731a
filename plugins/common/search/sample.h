// What a template search is expected to meet, from a look at some windows of the scene.
#pragma once

#include <vedette/plugin/plugin.h>

#include <optional>

namespace vedette::search {

// Share of the windows of `region` that a bound by the means and norms of 7 x 7 blocks keeps at `threshold`, for a
// pattern at its own size: as pruned searches do, which take about so many blocks. `mask` may be of format
// VDT_FORMAT_NONE; with one, the blocks that lie wholly in it bound the score. `usual` is the share that is expected
// without looking. Nothing when the pixels are not at hand or of other formats than gray and BGR bytes. Looks at some
// hundred thousand pixels at most, a quarter of a millisecond; does not allocate.
std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        const vdt_image& mask, double threshold, double usual) noexcept;

// The same for windows whose score reaches the threshold; without a mask.
std::optional<double> sampled_hits(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                   double threshold, double usual) noexcept;

}  // namespace vedette::search
