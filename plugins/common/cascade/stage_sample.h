// How far the windows of an image get in a cascade, from a look at some of them.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>
#include <vector>

#include "cascade/model.h"
#include "cascade/scales.h"

namespace vedette::cascade {

// Entry 0: all windows that were looked at; entry 1 + s: those that enter stage s, which of Haar features are those
// that are not flat; the last: those that pass all stages. `groups`: groups of neighbouring windows of which any does.
struct StageSample {
    std::vector<std::uint32_t> windows, groups;
};

// Whether the features are of a kind that is evaluated here: upright ones.
bool can_sample(const Model& model) noexcept;

// Some hundred windows, in groups of `lanes` side by side, of all scales in proportion to their windows, at the same
// places on every run. A window that OpenCV skips, since the one before it failed in the first stage, enters no second
// one. The image is of GRAY8 and its pixels are at hand; the classifier can be sampled. About a millisecond (one core
// of Zen 3).
StageSample sample_stages(const Model& model, const std::vector<Scale>& scales, const vdt_image& image,
                          std::uint32_t lanes);

}  // namespace vedette::cascade
