// Frames drawn round what a command found.
#pragma once

#include "bench_picture.h"

#include <vector>

namespace vedette::cli {

// Green lines with a white outline, outside the rectangle so that what was found stays visible; as wide as `find` draws
// them. `bgr` is BGR8; what lies outside of it is cut off.
void draw_frame(Picture& bgr, const vdt_rect& rectangle);

}  // namespace vedette::cli
