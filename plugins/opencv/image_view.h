// Between the ABI's image views and cv::Mat.
#pragma once

#include <vedette/plugin/image.h>

#include <opencv2/core.hpp>

namespace vedette::opencv {

// The pixels of `image` (checked by check_image, not I64), channels interleaved in the format's order. Shares the
// caller's memory where cv::Mat can express it; rows that run upwards (negative stride) and separate planes are copied.
// Read only: it must not be the destination of any call, not even of an assignment of a MatExpr, which writes into a
// Mat that has the right size already.
cv::Mat read_pixels(const vdt_image& image);

// Copies `pixels` into the rows of `image` from `first_row` on; both have the same width, depth and channels. Writes
// nothing outside width x height.
void write_pixels(const cv::Mat& pixels, const vdt_image& image, int first_row = 0);

cv::Size size_of(const vdt_image& image) noexcept;

}  // namespace vedette::opencv
