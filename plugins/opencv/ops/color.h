// Changes of channels and of depth, as ops.h defines them for convert.
#pragma once

#include <opencv2/core.hpp>

#include "formats.h"

namespace vedette::opencv {

// `in` with the channels of `to`, in the depth of `in`; only gray made of float colours is CV_64F, not yet rounded. An
// alpha that is added is the largest value of an integer depth, and 0 in float.
cv::Mat change_channels(const cv::Mat& in, Colors from, Colors to);

// 8-bit and 16-bit integers into each other.
cv::Mat change_integer_depth(const cv::Mat& in, int depth);

// v * scale + offset in double, rounded once to float.
cv::Mat integers_to_float(const cv::Mat& in, double scale, double offset);

// v * scale + offset in double, rounded half to even, saturated; a value that is no number becomes 0.
cv::Mat floats_to_integers(const cv::Mat& in, int depth, double scale, double offset);

}  // namespace vedette::opencv
