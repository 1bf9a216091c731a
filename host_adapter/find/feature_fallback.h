// A pattern that is rotated or seen in perspective: found by its local features.
#pragma once

#include "coarse_scales.h"
#include "compose.h"
#include "features.h"

#include <optional>

namespace vedette::host {

// What the guards say of a set of pairs and its homography.
struct FeatureVerdict {
    bool accepted = false;
    // The quad is the upright pattern at one size: what remains is to judge it as such, by residual.
    bool upright = false;
    Quad quad;          // screen pixels
    double factor = 1;  // root of the quotient of the areas
};

// The guards of a feature match (feature_place.h). The keypoints of `screen` count from the region's corner.
FeatureVerdict judge_features(const FeatureSet& pattern, const FeatureSet& screen, const FeaturePairs& pairs,
                              std::uint32_t width, std::uint32_t height, const Window& region);

// How much smaller pattern and region are when features are looked for: what a large screen costs is bounded, as far as
// the pattern's shorter side leaves enough to see.
double feature_reduction(std::uint32_t width, std::uint32_t height, const Window& region);

// At how many different places a pattern must have features before a screen is searched for them.
std::size_t least_feature_places(std::uint32_t width, std::uint32_t height);

// What features find of one pattern in the query's region.
struct FeatureFinding {
    std::optional<vdt_match> match;  // stage VDT_STAGE_FEATURES; score: the warped correlation
    std::optional<ScaleHint> hint;   // or: it stands upright at this size, to be judged there
};

// Nothing when there are too few features, no backend has the operations, or a guard refuses. Failure as
// find_patterns.
FeatureFinding find_by_features(Screen& screen, Pattern& pattern, const FindQuery& query,
                                const FeatureOperations& operations, const Workers& workers);

}  // namespace vedette::host
