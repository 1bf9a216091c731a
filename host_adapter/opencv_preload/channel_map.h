// Score maps of images with 2 and 4 channels, put together from maps of 1 and 3.
#pragma once

#include "byte_image.h"
#include "map_runner.h"

namespace vedette::compat {

// Sums of squares and products add up over channels; the normed methods are then divided as cv::matchTemplate does it
// [OpenCV 4.6, common_matchTemplate]. `facts` are the pattern's under `mask`. With a mask only the methods that are not
// normed: the caller has checked. Result as run_map's; throws std::bad_alloc.
bool run_channel_map(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask,
                     const PatternFacts& facts, const MapCall& call, MapAnswer& answer);

}  // namespace vedette::compat
