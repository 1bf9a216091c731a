// How much a search looks at, for estimates of its cost.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>

#include "cascade/model.h"

namespace vedette::cascade {

struct Estimate {
    Model model;         // its size alone
    double pixels = 0;   // of all scaled images
    double windows = 0;  // of all scales
};

// Reads the window's size off the head of the classifier's text and parses nothing else. The parameters are checked.
Estimate estimate_of(const vdt_cascade_params& params, std::uint32_t width, std::uint32_t height);

}  // namespace vedette::cascade
