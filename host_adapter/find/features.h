// Local features of pictures and their pairs, by the operations features and feature_match.
#pragma once

#include "../core/execution.h"
#include "quad.h"

#include <vedette/plugin/result.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vedette::host {

// Keypoints in pixels of the picture at full size, and a row of descriptors for each. Constant once made.
struct FeatureSet {
    std::vector<vdt_keypoint> keypoints;
    Image descriptors;  // GRAYF32; empty without keypoints
};

struct FeaturePairs {
    std::vector<vdt_descriptor_match> pairs;  // query = row of the pattern's set, train = of the screen's
    Homography homography{};                  // from pattern to screen; all zero when there is none
};

// What counts as a pair, and which pairs agree.
struct PairSettings {
    double ratio = 0.75;   // of the nearest descriptor's distance to that of the second
    double tolerance = 3;  // pixels by which an inlier may miss the place that the homography gives it
    std::uint32_t iterations = 2000;
    std::uint64_t seed = 20040101;  // any, but always the same
};

// The operations on the backend the policy picks, or `backend` as run_operation; `limit` may be NULL; `report` tells
// who did it. Failure as run_operation. Features of a GRAY8 picture that has been shrunk by `step_x` and `step_y`;
// `mask` may be NULL. At most `most`, the strongest.
std::shared_ptr<const FeatureSet> extract_features(Context& context, const std::string& backend, CallLimit* limit,
                                                   SharedImage& picture, SharedImage* mask, double step_x,
                                                   double step_y, std::uint32_t most, RunReport& report);
// Of sets without features there are no pairs, and `report` stays as it is.
FeaturePairs pair_features(Context& context, const std::string& backend, CallLimit* limit, const FeatureSet& pattern,
                           const FeatureSet& screen, const PairSettings& settings, RunReport& report);

// How a find gets at features. Both give nothing when no backend offers the operation, or none can do it for these
// pictures; Failure as run_operation for anything else. One thread at a time.
struct FeatureOperations {
    // As extract_features.
    std::function<std::shared_ptr<const FeatureSet>(SharedImage& picture, SharedImage* mask, double step_x,
                                                    double step_y, std::uint32_t most)>
        extract;
    // Pairs that the homography takes to within `tolerance` pixels are its inliers.
    std::function<std::optional<FeaturePairs>(const FeatureSet& pattern, const FeatureSet& screen, double tolerance)>
        match;
    std::string made_by;  // sets of different makers are not compared
};

// On the backend the policy picks, or `backend` as run_operation. `limit` may be NULL; it and `context` outlive the
// result.
FeatureOperations feature_operations(Context& context, const std::string& backend, CallLimit* limit);

}  // namespace vedette::host
