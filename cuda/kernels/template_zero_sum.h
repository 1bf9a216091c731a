// Eight-bit stand-ins of a pattern for the matrix kernel, and the bound that makes candidates of them.
//
// Let t be the pattern less its mean (of each channel, over the taken pixels), v integers near a multiple of t whose
// sum is 0 in each channel, w a window less its mean, and c = cos(v, t). A window of score s has an angle of at most
// acos(s) + acos(c) to v, so v . I = v . w >= |v| |w| (s c - sqrt(1 - s^2) sqrt(1 - c^2)) [gpu-notes]. With a mask |w|
// is at least the norm of a part of the taken pixels, less that part's own mean.
//
// Quads: four windows share one bound, from the part A that is in all of them. With a the norm of the image over A,
// less A's mean m, and b that of I - m over the rest B of a window, |w|^2 >= a^2 + r b^2, r = 1 - |B| / n, since the
// window's own mean takes off at most |B| b^2 / n; and v . I <= |v_A| a + |v_B| b, since the sum of v is 0. From v . I
// >= S |w|, S = |v| (s c - ...), follow S a <= v . I and, where r S^2 > |v_B|^2, an upper limit proportional to a: a
// window whose contrast lies in B alone is no candidate.
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

// The factor that brings values of that root mean square and largest magnitude to what is rounded to eight bits.
double zero_sum_scale(double deviation, double largest);
// Values whose sum is 0, at most 126 in magnitude, as integers whose sum is 0.
std::vector<std::int8_t> rounded_to_zero_sum(const std::vector<double>& wanted);

// Pixels less 128; the pattern has no mask.
std::vector<std::int8_t> less_128(const Pattern& pattern);

// The largest rectangle of taken pixels.
WindowPart largest_taken_part(const Pattern& pattern);

// Of |v| |w|, what v . I of a window of score `threshold` reaches at least; 0 where that rejects too little.
double least_share(const ZeroSumPattern& pattern, double threshold);

// The factor of window_thresholds that loses no position of score `threshold` or more; 0 when there is none that
// rejects anything worth while.
float candidate_factor(const ZeroSumPattern& pattern, const WindowPart& part, double threshold);

// What quad_factors needs to know of a pattern: norms of v inside and outside the part that a quad's windows share, as
// it lies in each of the four.
struct QuadNorms {
    double inside[4] = {};
    double outside[4] = {};
    double share = 0;  // of the taken pixels, that lie in the part
    bool usable = false;
};
QuadNorms quad_norms(const ZeroSumPattern& coefficients, const Pattern& pattern, const WindowPart& part);

// The factor as candidate_factor's, of quad_thresholds, and the upper limit in the same unit; both 0 where quads keep
// too many windows.
struct QuadFactors {
    float lower = 0;
    float upper = 0;  // `lower` to quad_most_ratio times that
};
QuadFactors quad_factors(const ZeroSumPattern& coefficients, const QuadNorms& norms, const WindowPart& part,
                         double threshold);

}  // namespace vedette::cuda
