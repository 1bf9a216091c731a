// Restoration of a whole image by the operation restore.
#pragma once

#include "library.h"
#include "point_spread.h"

#include <functional>
#include <string>

namespace vedette::cli {

struct RestoreSettings {
    std::uint32_t method = VDT_RESTORE_RICHARDSON_LUCY;
    std::uint32_t iterations = 0;
    std::string backend;
};

struct RestoreReport {
    std::uint32_t tiles = 0;
    std::uint32_t tile_side = 0;
    PointSpread spread;  // the one that was used: blind, the one that was found
    std::string backend, device, variant, choice;
    double measured_ms = 0;  // of the operation's calls together
};

// Restores 8-bit GRAY, BGR or BGRA pixels in place; alpha stays as it is. Each colour channel is restored on its own:
// a lens blurs all of them, and an image that is sharp in brightness only keeps coloured fringes, by which the
// comparison of colours in a find would refuse it.
//
// Blind: the point-spread function is found on the tile with the most structure, in the mean of its channels, beginning
// with `spread`, and the image is then restored with it: one lens took the whole image, and most tiles of a screenshot
// have too little structure to find it again. What lies beyond the first guess's reach is cut off.
//
// `progress` is told how many of all tiles are done.
RestoreReport restore_image(const Context& context, vdt_pixels& pixels, unsigned char* data, PointSpread spread,
                            const RestoreSettings& settings,
                            const std::function<void(std::uint32_t done, std::uint32_t all)>& progress);

}  // namespace vedette::cli
