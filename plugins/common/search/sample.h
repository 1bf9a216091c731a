// What a template search is expected to meet, from a look at some windows of the scene.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vedette::search {

// A window that was looked at: its place from the region's corner, and whether it survives.
struct SampledWindow {
    std::uint32_t x, y;
    bool found;
};
constexpr std::size_t most_sampled_windows = 192;

// Looks at windows of `region`, spread evenly over it and the same on every run: at as many as `windows` has room for
// and as some hundred thousand pixels give, large patterns in steps; 0.3 milliseconds (one core of Zen 3). They survive
// when a bound by the means and norms of 7 x 7 blocks reaches `threshold`, for a pattern at its own size: as pruned
// searches do, which take about so many blocks. `mask` may be of format VDT_FORMAT_NONE; with one, the blocks that lie
// wholly in it bound the score. Returns how many it looked at; 0 when the pixels are not at hand, or of other formats
// than gray and BGR bytes, or when the blocks hold too little of what a mask leaves. Does not allocate.
std::size_t sample_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                             const vdt_image& mask, double threshold, std::span<SampledWindow> windows) noexcept;

// The share of windows that survive. `usual`: what is expected without looking.
std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        const vdt_image& mask, double threshold, double usual) noexcept;

// The same for windows whose score reaches the threshold; without a mask.
std::optional<double> sampled_hits(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                   double threshold, double usual) noexcept;

}  // namespace vedette::search
