// Eight-bit stand-ins of a pattern for the matrix kernel, and the bound that makes candidates of them.
//
// Let t be the pattern less its mean (of each channel, over the taken pixels), v integers near a multiple of t whose
// sum is 0 in each channel, w a window less its mean, and c = cos(v, t). A window of score s has an angle of at most
// acos(s) + acos(c) to v, so v . I = v . w >= |v| |w| (s c - sqrt(1 - s^2) sqrt(1 - c^2)) [gpu-notes]. With a mask |w|
// is at least the norm of a part of the taken pixels, less that part's own mean.
#pragma once

#include "kernels/template_pattern.h"
#include "kernels/template_windows.h"

#include <cstdint>
#include <vector>

namespace vedette::cuda {

struct ZeroSumPattern {
    std::vector<std::int8_t> values;  // rows of width * channels, 0 where nothing is taken
    double norm = 0;
    double cosine = 0;  // to the pattern
};

// The pattern has variance.
ZeroSumPattern zero_sum(const Pattern& pattern);

// Pixels less 128; the pattern has no mask.
std::vector<std::int8_t> less_128(const Pattern& pattern);

// The largest rectangle of taken pixels.
WindowPart largest_taken_part(const Pattern& pattern);

// The factor of window_thresholds that loses no position of score `threshold` or more; 0 when there is none that
// rejects anything worth while.
float candidate_factor(const ZeroSumPattern& pattern, const WindowPart& part, double threshold);

}  // namespace vedette::cuda
