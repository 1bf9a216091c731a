// What `vedette match` says of a homography between keypoints: the guards are find/feature_place.h, the sentences ours.
#pragma once

#include "find/feature_place.h"

#include <vedette/plugin/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vedette::cli {

using host::Point;
using host::Quad;

struct Extent {
    std::uint32_t width, height;
};

// What feature_match gave for a pattern (query) and a screen (train).
struct Matching {
    std::vector<vdt_keypoint> pattern, screen;
    std::vector<vdt_descriptor_match> pairs;
    host::Homography homography{};  // all zero: none
};

struct Judgement {
    bool found = false;
    std::string reason;  // why not, "" when found
    Quad quad{};         // screen pixels, when there is a homography that maps all corners
    bool has_quad = false;
    std::uint32_t pairs = 0;
    std::uint32_t inliers = 0;  // with places of their own in both pictures
};

Judgement judge(const Matching& matching, Extent pattern, Extent screen);

}  // namespace vedette::cli
