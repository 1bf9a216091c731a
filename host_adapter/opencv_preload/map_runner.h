// One template_map of libvedette.
#pragma once

#include "library.h"
#include "score_map.h"

namespace vedette::compat {

// Images of 1 or 3 channels, 8-bit; `mask` may be empty. The result goes to `out`, rows of `out_step` bytes. False when
// no backend did it, or only the reference, which is slower than the OpenCV it stands for; `answer` says which.
bool run_map(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask, int method,
             float* out, std::ptrdiff_t out_step, MapAnswer& answer);

}  // namespace vedette::compat
