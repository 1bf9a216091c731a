// From an extremum of the scale space to a keypoint: place and scale to a fraction of a pixel, contrast and edge tests.
#pragma once

#include <cstdint>

#include "features/octave.h"

namespace vedette::cpu::features {

struct Tests {
    double contrast = 0.04;  // contrast_threshold
    double edge = 10;        // edge_threshold
};

// A keypoint without direction. Pixel and layer where refining ended, and the offsets from it.
struct Place {
    std::uint32_t layer, y, x;
    float layer_offset, y_offset, x_offset;
    float response;
};

// Refines the extremum at (x, y) of layer `layer` by at most five Newton steps [Lowe 2004, section 4; limits as
// cv::SIFT]; false when it leaves the octave, does not settle, or fails a test. `layers`: octave_layers + 3 of them.
bool refine(const ScaleSpace& space, const SiftLayer* layers, const Tests& tests, std::uint32_t x, std::uint32_t y,
            std::uint32_t layer, Place& place);

}  // namespace vedette::cpu::features
