// Whether a homography between keypoints shows where a pattern is, or is chance. Looks at no pixels.
#pragma once

#include "quad.h"

#include <vedette/plugin/result.h>

#include <cstdint>
#include <vector>

namespace vedette::host {

// Bounds of a match. Positives on real screens have 23 to 115 inliers; nothing else there has more than 3.
constexpr std::uint32_t kLeastInliers = 12;
constexpr double kLeastShare = 0.25;                // of the pairs that agree
constexpr double kLeastArea = 0.1, kMostArea = 10;  // of the quad, over the pattern's
constexpr double kLeastInside = 0.7;                // of the quad's area that lies in the region

// What a keypoint calls x, edges of pixels call x + this: keypoints count from the centre of the first pixel, and lie a
// quarter of a pixel right and below of it, as OpenCV's do (its doubled first octave is not shifted back).
constexpr double kKeypointToEdge = 0.25;

enum class PlaceFlaw : std::uint8_t {
    none,
    few_inliers,
    small_share,
    horizon,  // a corner does not arrive on this side of infinity
    mirrored,
    not_convex,
    area,
    outside
};

struct Place {
    PlaceFlaw flaw = PlaceFlaw::none;  // the first in the order above
    std::uint32_t inliers = 0;         // pairs that agree and have places of their own in both pictures
    bool has_quad = false;             // the homography maps all corners
    Quad quad{};                       // when it does: in the coordinates of `region`
    double area = 0;                   // of the quad over the pattern's; from `area` on also `inside`:
    double inside = 0;                 // share of the quad in the region
};

// Whether keypoints lie at `least` different places. Of a pattern, or a region, where they do not lie at kLeastInliers,
// no pairs could show anything.
bool has_enough_places(const std::vector<vdt_keypoint>& keypoints, std::size_t least = kLeastInliers);

// The pattern's side lengths and the region are pixels, both above 0. `homography` takes edges of the pattern's pixels
// to edges of the region's, whose corner is (0, 0). Rows that pairs name exist.
Place place_by_features(const std::vector<vdt_keypoint>& pattern, const std::vector<vdt_keypoint>& region,
                        const std::vector<vdt_descriptor_match>& pairs, const Homography& homography,
                        double pattern_width, double pattern_height, double region_width, double region_height);

}  // namespace vedette::host
