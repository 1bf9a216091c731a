// How much a search looks at, for estimates of its cost.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>

#include "cascade/model.h"

namespace vedette::cascade {

struct Estimate {
    Model model;             // its size alone
    double pixels = 0;       // of all scaled images
    double windows = 0;      // of all scales
    double classifiers = 0;  // weak ones that a window meets on average, those included that are flat and meet none
    double divergence = 1;   // lane-operations issued over those needed, when `bundle` windows go in lock-step
};

// Reads the window's size off the head of the classifier's text and parses nothing else. How many windows are flat is
// sampled where the query's pixels are at hand (plugin/cpp/expectation.hpp), and as on usual screens where not; the
// others are expected to fail as they do in frontalface_default. `bundle`: as in expected_divergence. The parameters
// are checked.
Estimate estimate_of(const vdt_cascade_params& params, const vdt_image& image, double bundle);

}  // namespace vedette::cascade
