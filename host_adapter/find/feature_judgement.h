// What is said of a homography between keypoints: a place, or in one sentence why not. The bounds are
// feature_place.h's.
#pragma once

#include "feature_place.h"

#include <vedette/plugin/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vedette::host {

struct Extent {
    std::uint32_t width, height;
};

struct FeatureJudgement {
    bool found = false;
    std::string reason;  // why not, "" when found
    Quad quad{};         // screen pixels, when there is a homography that maps all corners
    bool has_quad = false;
    std::uint32_t pairs = 0;
    std::uint32_t inliers = 0;  // with places of their own in both pictures
};

// `homography` takes edges of the pattern's pixels to edges of the screen's; all zero: there is none. Rows that pairs
// name exist.
FeatureJudgement judge(const std::vector<vdt_keypoint>& pattern, const std::vector<vdt_keypoint>& screen,
                       const std::vector<vdt_descriptor_match>& pairs, const Homography& homography, Extent of_pattern,
                       Extent of_screen);

}  // namespace vedette::host
