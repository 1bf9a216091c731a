// Squares below each other in one image, as fft2 and restore take them.
#pragma once

#include <opencv2/core.hpp>

#include "op.h"

namespace vedette::opencv {

// Throws VDT_E_SIZE unless `side` is 32, 64, 128, 256 or 512; `operation` begins the sentence.
void check_side(const char* operation, std::uint32_t side);

// Rows of square number `index`.
cv::Mat square_of(const cv::Mat& images, std::uint32_t index);

// Transform of a square of real or complex numbers, in CV_64FC2. Inverse: with the factor 1 / side^2.
cv::Mat transformed(const cv::Mat& square, bool inverse);

}  // namespace vedette::opencv
