// What follows from OpenCV's arithmetic for backends that add leaves up in whole numbers, which neither rounds nor
// depends on the order: only sums too near a threshold need its own way, in double.
#pragma once

#include "cascade/model.h"

#include <cstdint>
#include <vector>

namespace vedette::cascade {

struct WholeStage {
    std::int32_t sure;   // sums from here on pass
    std::int32_t doubt;  // sums below fail; those between are to be added up in double
};

struct WholeLeaves {
    std::vector<std::int32_t> leaves;  // of model.leaves; the scale is each stage's own
    std::vector<WholeStage> stages;
};

// Scales each stage's leaves so that no sum of them, one from each tree, leaves 2^30.
WholeLeaves whole_leaves(const Model& model);

// Windows whose norm, 1 / sqrt(area * sum of squares - sum^2) as a float, is this or more are flat for
// cv::CascadeClassifier: the least float whose product with the area, in double, is at least 0.1.
float flat_norm(double area);

}  // namespace vedette::cascade
