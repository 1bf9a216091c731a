// How much a search looks at, for estimates of its cost.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>
#include <vector>

#include "cascade/model.h"
#include "cascade/scales.h"

namespace vedette::cascade {

// What is expected of a stage: its weak classifiers, the share of all windows that enters it, and the share of all
// groups of `lanes` neighbouring windows of which any does.
struct StageEstimate {
    double classifiers, entering, together;
};

struct Estimate {
    Model model;                        // its window's size alone
    std::vector<Scale> scales;          // that have windows
    std::vector<StageEstimate> stages;  // of the classifier, in order
    double pixels = 0;                  // of all scaled images
    double windows = 0;                 // of all scales
    double classifiers = 0;             // that a window meets on average, those included that are flat and meet none
    double divergence =
        1;  // lane-operations issued over those needed, when `lanes` windows side by side go in lock-step
};

// From the classifier, which is read (known.h), and from windows of the image where its pixels are at hand: so many
// that the cost of a few is not known well, and that of most is [stage_sample.h]. Where the pixels are elsewhere, or
// the classifier is damaged or of tilted features, windows are expected to fail as they do on usual screens in
// frontalface_default. `lanes`: as in StageEstimate, at least 1. The parameters are checked.
Estimate estimate_of(const vdt_cascade_params& params, const vdt_image& image, std::uint32_t lanes);

}  // namespace vedette::cascade
