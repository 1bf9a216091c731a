// Whether a homography between keypoints shows where a pattern is on a screen, or is chance.
#pragma once

#include <vedette/plugin/result.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vedette::cli {

struct Point {
    double x = 0, y = 0;
};

struct Extent {
    std::uint32_t width, height;
};

// A pattern's place: corners in screen pixels, top left, top right, bottom right, bottom left of the pattern.
using Quad = std::array<Point, 4>;

// What feature_match gave for a pattern (query) and a screen (train).
struct Matching {
    std::vector<vdt_keypoint> pattern, screen;
    std::vector<vdt_descriptor_match> pairs;
    std::array<double, 9> homography{};  // all zero: none
};

struct Judgement {
    bool found = false;
    std::string reason;  // why not, "" when found
    Quad quad{};         // when there is a homography that maps all corners
    bool has_quad = false;
    std::uint32_t pairs = 0;
    std::uint32_t inliers = 0;  // with places of their own in both pictures
};

// Bounds of a match; each is far from the values of right matches on real screens (23 inliers and more).
constexpr std::uint32_t least_inliers = 12;
constexpr double least_share = 0.25;                // of the pairs
constexpr double least_area = 0.1, most_area = 10;  // of the quad, over that of the pattern
constexpr double least_inside = 0.7;                // of the quad's area that lies on the screen

Judgement judge(const Matching& matching, Extent pattern, Extent screen);

}  // namespace vedette::cli
