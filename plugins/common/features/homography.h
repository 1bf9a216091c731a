// Homographies between point sets [Hartley, Zisserman: Multiple View Geometry, 2nd ed., chapter 4].
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace vedette::matching {

struct Point {
    double x = 0, y = 0;
};

// By rows; maps (x, y, 1) to a multiple of (x', y', 1).
using Homography = std::array<double, 9>;

// A change of coordinates (x - middle) * scale that brings points around 0 with a mean distance of sqrt 2.
struct Normalization {
    Point middle;
    double scale = 1;

    static Normalization of(const std::vector<Point>& points);
    Point apply(Point p) const noexcept { return {(p.x - middle.x) * scale, (p.y - middle.y) * scale}; }
};
// The homography between unnormalised points, from one between normalised ones.
Homography denormalized(const Homography& homography, const Normalization& from, const Normalization& to) noexcept;

// Whether three of the four points lie (nearly) on a line.
bool has_collinear_three(const Point (&points)[4]) noexcept;
// Whether the four pairs keep the sense of rotation of every triple, or turn that of every triple: what a homography
// does to points on one side of its horizon.
bool keeps_or_turns_all(const Point (&from)[4], const Point (&to)[4]) noexcept;

// The homography through four pairs of which no three are collinear, with a positive third coordinate at from[0]; false
// when there is none.
bool homography_through(const Point (&from)[4], const Point (&to)[4], Homography& homography) noexcept;

// Whether the points' scatter has two axes: the lesser at least a thousandth of the greater.
bool spans_area(const std::vector<Point>& points) noexcept;

// Least squares: the linear solution, then Levenberg-Marquardt on the distances in the second set. At least four pairs.
// `from`, `to` come back normalised. False when no homography comes out.
bool fit_homography(std::vector<Point>& from, std::vector<Point>& to, Homography& homography);

}  // namespace vedette::matching
