// Lines on a picture.
#pragma once

#include "bench_picture.h"
#include "find/quad.h"

#include <cstdint>
#include <vector>

namespace vedette::cli {

using host::Point;

struct Color {
    std::uint8_t blue, green, red;
};

// Pixels of a line: readable on a 4K picture that is shown whole, and not larger than the elements of a small one.
std::uint32_t line_width(const Picture& picture);

// Draws the closed polygon with a white outline on a BGR8 picture. Corners are edges of pixels; those outside the
// picture are fine.
void draw_polygon(Picture& picture, const std::vector<Point>& corners, const Color& color);

}  // namespace vedette::cli
