// Classifiers in OpenCV's XML for tests of cascade_detect.
#pragma once

#include <random>
#include <string>

namespace vedette::reference {

enum class CascadeStyle { stumps, trees, tilted, real_weights, lbp, lbp_trees };

// A classifier of random features, thresholds and leaves whose stages each let through a good part of the windows.
std::string random_cascade(std::mt19937& random, CascadeStyle style);

}  // namespace vedette::reference
