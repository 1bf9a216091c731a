// How well a part of the screen, seen through a homography, looks like a pattern.
#pragma once

#include "quad.h"
#include "view.h"
#include "workers.h"

namespace vedette::host {

// Correlation over all channels of `pattern` and of the screen warped into the pattern's frame, both blurred by a
// Gaussian of two pixels: keypoints lie where contrast is, and this asks of all that is between them. Pixels that
// `mask` (of the pattern's size, or empty) ignores and those that fall outside the screen do not count. 0 when fewer
// than half count, or one side has no contrast.
double warped_correlation(const PixelView& screen, const PixelView& pattern, const PixelView& mask,
                          const Homography& pattern_to_screen, const Workers& workers);

}  // namespace vedette::host
