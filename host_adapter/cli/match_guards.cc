#include "match_guards.h"

#include "table.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace vedette::cli {

namespace {

using Polygon = std::vector<Point>;

// Twice the signed area; above 0 when the corners run clockwise as seen on a screen.
double twice_area(const Polygon& polygon) {
    double sum = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        sum += a.x * b.y - b.x * a.y;
    }
    return sum;
}

// Inliers with places of their own: a keypoint with two directions counts once.
std::uint32_t distinct_inliers(const Matching& matching) {
    std::set<std::pair<float, float>> in_pattern, in_screen;
    for (const vdt_descriptor_match& pair : matching.pairs) {
        if (pair.inlier != 0) {
            in_pattern.emplace(matching.pattern[pair.query].x, matching.pattern[pair.query].y);
            in_screen.emplace(matching.screen[pair.train].x, matching.screen[pair.train].y);
        }
    }
    return static_cast<std::uint32_t>(std::min(in_pattern.size(), in_screen.size()));
}

// False when a corner lies on the horizon or corners lie on both sides of it.
bool map_corners(const Matching& matching, Extent pattern, Quad& quad) {
    // Keypoints count from pixel centres and lie a quarter of a pixel right and below, as OpenCV's; corners are edges
    // of pixels.
    constexpr double off = 0.25;
    const auto& h = matching.homography;
    const double right = pattern.width, bottom = pattern.height;
    const Quad corners{Point{0, 0}, Point{right, 0}, Point{right, bottom}, Point{0, bottom}};
    double side = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const double x = corners[i].x - off, y = corners[i].y - off;
        const double w = h[6] * x + h[7] * y + h[8];
        if (w == 0 || w * side < 0) {
            return false;
        }
        side = w;
        quad[i] = {(h[0] * x + h[1] * y + h[2]) / w + off, (h[3] * x + h[4] * y + h[5]) / w + off};
        if (!std::isfinite(quad[i].x) || !std::isfinite(quad[i].y)) {
            return false;
        }
    }
    return true;
}

bool is_convex(const Quad& quad) {
    int left = 0, right = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const Point &a = quad[i], &b = quad[(i + 1) % 4], &c = quad[(i + 2) % 4];
        const double cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
        left += cross < 0 ? 1 : 0;
        right += cross > 0 ? 1 : 0;
    }
    return left == 4 || right == 4;
}

// The part of a convex polygon where distance(point) is not negative; distance is linear.
template <class Distance>
Polygon clipped(const Polygon& polygon, const Distance& distance) {
    Polygon kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const double from = distance(a), to = distance(b);
        if (from >= 0) {
            kept.push_back(a);
        }
        if ((from >= 0) != (to >= 0)) {
            const double part = from / (from - to);
            kept.push_back({a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part});
        }
    }
    return kept;
}

Polygon on_screen(const Quad& quad, Extent screen) {
    Polygon polygon(quad.begin(), quad.end());
    polygon = clipped(polygon, [](const Point& p) { return p.x; });
    polygon = clipped(polygon, [](const Point& p) { return p.y; });
    polygon = clipped(polygon, [&](const Point& p) { return screen.width - p.x; });
    return clipped(polygon, [&](const Point& p) { return screen.height - p.y; });
}

std::string reason_against(const Judgement& judgement, Extent pattern, Extent screen) {
    if (judgement.inliers < least_inliers) {
        return format("only %u pairs of keypoints agree on a place; a match has at least %u", judgement.inliers,
                      least_inliers);
    }
    if (judgement.inliers < least_share * judgement.pairs) {
        return format("only %u of %u pairs of keypoints agree on a place; a match has at least a quarter",
                      judgement.inliers, judgement.pairs);
    }
    if (!judgement.has_quad) {
        return "the pattern's corners map to both sides of the horizon";
    }
    if (!is_convex(judgement.quad)) {
        return "the pattern's corners map to no convex figure";
    }
    const double area = twice_area(Polygon(judgement.quad.begin(), judgement.quad.end())) / 2;
    if (area < 0) {
        return "the place is mirrored";
    }
    const double ratio = area / (static_cast<double>(pattern.width) * pattern.height);
    if (ratio < least_area || ratio > most_area) {
        return format("the place has %.3g times the pattern's area; a match has %.3g to %.3g times", ratio, least_area,
                      most_area);
    }
    const double inside = twice_area(on_screen(judgement.quad, screen)) / 2 / area;
    if (inside < least_inside) {
        return format("only %.0f %% of the place lie on the screen; of a match at least %.0f %%", 100 * inside,
                      100 * least_inside);
    }
    return "";
}

}  // namespace

Judgement judge(const Matching& matching, Extent pattern, Extent screen) {
    Judgement judgement;
    judgement.pairs = static_cast<std::uint32_t>(matching.pairs.size());
    judgement.inliers = distinct_inliers(matching);
    const bool any =
        std::any_of(matching.homography.begin(), matching.homography.end(), [](double value) { return value != 0; });
    if (!any) {
        judgement.reason = matching.pairs.size() < 4
                               ? format("only %u pairs of keypoints are alike; four are needed", judgement.pairs)
                               : "the pairs of keypoints agree on no place";
        return judgement;
    }
    judgement.has_quad = map_corners(matching, pattern, judgement.quad);
    judgement.reason = reason_against(judgement, pattern, screen);
    judgement.found = judgement.reason.empty();
    return judgement;
}

}  // namespace vedette::cli
