// Resampling by explicit weights, for what cv::resize has not (aligned corners) or does roughly: INTER_AREA leaves out
// pixels that are covered by less than a thousandth.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace vedette::opencv {

// One input position and its weight in an output position.
struct Tap {
    int index;
    double weight;
};
// For each output position its taps.
using Taps = std::vector<std::vector<Tap>>;

// Area average; out <= in.
Taps area_taps(int in, int out);
// Bilinear at x * (in - 1) / (out - 1).
Taps aligned_taps(int in, int out);

// One output row: the weighted sum of rows of `in` (CV_32F).
void sum_rows(const cv::Mat& in, const std::vector<Tap>& taps, cv::Mat out);

}  // namespace vedette::opencv
