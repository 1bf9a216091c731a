// Restoration of a whole image by the operation restore.
#pragma once

#include "../core/execution.h"
#include "../core/image.h"
#include "point_spread.h"

#include <vedette/plugin/ops.h>

#include <functional>
#include <string>

namespace vedette::host {

struct RestoreSettings {
    std::uint32_t method = VDT_RESTORE_RICHARDSON_LUCY;
    std::uint32_t iterations = 0;
    std::string backend;
};

struct RestoreReport {
    std::uint32_t tiles = 0;
    std::uint32_t tile_side = 0;
    PointSpread spread;  // the one that was used: blind, the one that was found
    RunReport run;       // of the last call of the operation; measured_ms: of all together
};

// Restores 8-bit GRAY, BGR, BGRA, RGB or RGBA pixels in place; alpha stays as it is. Each colour channel is restored on
// its own: a lens blurs all of them, and an image that is sharp in brightness only keeps coloured fringes, by which the
// comparison of colours in a find would refuse it.
//
// Blind: the point-spread function is found on the tile with the most structure, in the mean of its channels, beginning
// with `spread`, and the image is then restored with it: one lens took the whole image, and most tiles of a screenshot
// have too little structure to find it again. What lies beyond the first guess's reach is cut off.
//
// `progress` is told how many of all tiles are done, on the calling thread. Failure as run_operation.
RestoreReport restore_image(Context& context, Image& image, PointSpread spread, const RestoreSettings& settings,
                            const std::function<void(std::uint32_t done, std::uint32_t all)>& progress);

}  // namespace vedette::host
