// Four corners that a homography makes of a rectangle.
#pragma once

#include <array>

namespace vedette::host {

// By rows, from pattern to screen pixels: (x, y, 1) -> (x', y', w'), divided by w'. Pixel (i, j) covers [i, i + 1) x
// [j, j + 1).
using Homography = std::array<double, 9>;

struct Point {
    double x = 0, y = 0;
};

// Top left, top right, bottom right, bottom left of what it was.
struct Quad {
    std::array<Point, 4> corner;
};

// The same map where both pictures' coordinates begin `shift` earlier: what was x is called x + shift.
Homography shifted(const Homography& homography, double shift) noexcept;

// Where a homography takes a point. False when that is at or beyond infinity, or no number.
bool transform(const Homography& homography, Point from, Point& to) noexcept;

// Where the rectangle (0, 0) .. (w, h) goes. False when a corner does not arrive on this side of infinity.
bool transform_rectangle(const Homography& homography, double w, double h, Quad& quad) noexcept;

// Every turn from corner to corner is clockwise on the screen (y down): neither folded nor mirrored.
bool convex_and_not_mirrored(const Quad& quad) noexcept;

double area(const Quad& quad) noexcept;  // of a convex one; negative when mirrored

// Share of a convex quad's area that lies in the rectangle (x, y) .. (x + w, y + h).
double share_inside(const Quad& quad, double x, double y, double w, double h) noexcept;

// The largest distance of a corner from that of an upright rectangle with sides w and h times one factor, factor and
// place chosen to suit: the mean of the corners, and the root of the areas.
double distance_from_upright(const Quad& quad, double w, double h) noexcept;

}  // namespace vedette::host
