#include "quad.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace vedette::host {
namespace {

// The plane of a point divides it from infinity; nearer than this share of the middle's, a corner is no place.
constexpr double kLeastPlane = 1e-6;

double cross(const Point& a, const Point& b, const Point& c) noexcept {
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

double area_of(const std::vector<Point>& polygon) noexcept {
    double twice = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point& p = polygon[i];
        const Point& q = polygon[(i + 1) % polygon.size()];
        twice += p.x * q.y - q.x * p.y;
    }
    return twice / 2;
}

// The part of a polygon where distance(p) >= 0 [Sutherland, Hodgman 1974].
template <class Distance>
std::vector<Point> clipped(const std::vector<Point>& polygon, Distance&& distance) {
    std::vector<Point> out;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point& p = polygon[i];
        const Point& q = polygon[(i + 1) % polygon.size()];
        const double at_p = distance(p);
        const double at_q = distance(q);
        if (at_p >= 0) out.push_back(p);
        if ((at_p >= 0) == (at_q >= 0)) continue;
        const double share = at_p / (at_p - at_q);
        out.push_back({p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)});
    }
    return out;
}

}  // namespace

Homography shifted(const Homography& homography, double shift) noexcept {
    Homography h = homography;
    for (std::size_t i = 0; i < 9; i += 3) h[i + 2] -= (h[i] + h[i + 1]) * shift;
    for (std::size_t i = 0; i < 3; ++i) {
        h[i] += h[6 + i] * shift;
        h[3 + i] += h[6 + i] * shift;
    }
    return h;
}

bool transform(const Homography& h, Point from, Point& to) noexcept {
    const double w = h[6] * from.x + h[7] * from.y + h[8];
    to = {(h[0] * from.x + h[1] * from.y + h[2]) / w, (h[3] * from.x + h[4] * from.y + h[5]) / w};
    return std::isfinite(to.x) && std::isfinite(to.y);
}

bool transform_rectangle(const Homography& h, double w, double height, Quad& quad) noexcept {
    const Point from[4] = {{0, 0}, {w, 0}, {w, height}, {0, height}};
    const double middle = h[6] * w / 2 + h[7] * height / 2 + h[8];
    for (int i = 0; i < 4; ++i) {
        // All on the same side of the line that goes to infinity.
        const double plane = h[6] * from[i].x + h[7] * from[i].y + h[8];
        if (!(plane / middle > kLeastPlane)) return false;
        if (!transform(h, from[i], quad.corner[static_cast<std::size_t>(i)])) return false;
    }
    return true;
}

bool convex_and_not_mirrored(const Quad& quad) noexcept {
    for (std::size_t i = 0; i < 4; ++i)
        if (!(cross(quad.corner[i], quad.corner[(i + 1) % 4], quad.corner[(i + 2) % 4]) > 0)) return false;
    return true;
}

double area(const Quad& quad) noexcept {
    const auto& c = quad.corner;
    return ((c[2].x - c[0].x) * (c[3].y - c[1].y) - (c[3].x - c[1].x) * (c[2].y - c[0].y)) / 2;
}

double share_inside(const Quad& quad, double x, double y, double w, double h) noexcept {
    std::vector<Point> polygon(quad.corner.begin(), quad.corner.end());
    polygon = clipped(polygon, [&](const Point& p) { return p.x - x; });
    polygon = clipped(polygon, [&](const Point& p) { return x + w - p.x; });
    polygon = clipped(polygon, [&](const Point& p) { return p.y - y; });
    polygon = clipped(polygon, [&](const Point& p) { return y + h - p.y; });
    return area_of(polygon) / area(quad);
}

double distance_from_upright(const Quad& quad, double w, double h) noexcept {
    Point mean;
    for (const Point& corner : quad.corner) {
        mean.x += corner.x / 4;
        mean.y += corner.y / 4;
    }
    const double factor = std::sqrt(std::max(area(quad), 0.0) / (w * h));
    const double sign_x[4] = {-0.5, 0.5, 0.5, -0.5};
    const double sign_y[4] = {-0.5, -0.5, 0.5, 0.5};
    double most = 0;
    for (std::size_t i = 0; i < 4; ++i)
        most = std::max(most, std::hypot(quad.corner[i].x - mean.x - sign_x[i] * w * factor,
                                         quad.corner[i].y - mean.y - sign_y[i] * h * factor));
    return most;
}

}  // namespace vedette::host
