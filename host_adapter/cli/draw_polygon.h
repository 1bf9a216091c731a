// Lines on a picture.
#pragma once

#include "bench_picture.h"
#include "match_guards.h"

#include <cstdint>
#include <vector>

namespace vedette::cli {

struct Color {
    std::uint8_t blue, green, red;
};

// Draws the closed polygon with a white outline on a BGR8 picture. Corners are edges of pixels; those outside the
// picture are fine.
void draw_polygon(Picture& picture, const std::vector<Point>& corners, const Color& color);

}  // namespace vedette::cli
