// Calls of cv::matchTemplate both ways, and what they may differ by.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>

namespace vedette::preload_test {

// The function that the preloaded library stands before.
using MatchTemplate = void (*)(cv::InputArray, cv::InputArray, cv::OutputArray, int, cv::InputArray);
MatchTemplate opencv_match_template();

// The log's last line, which says who did the last call of this process.
std::string last_log_line();

struct Case {
    cv::Mat image, pattern, mask;
    int method = 0;
};

// Calls both. The values must agree; `by_vedette`: who must have done it. Boost.Test checks; a failure says the cell.
void expect_same(const Case& one, bool by_vedette);

// Largest difference seen by expect_same for a method, relative as it is judged there.
double largest_difference(int method);

// Both must throw a cv::Exception with one code, or give the same bytes.
void expect_original(cv::InputArray image, cv::InputArray pattern, int method, cv::InputArray mask = cv::noArray());

// Noise over a page with lines: neither flat nor random throughout. `type` 8-bit, or float with values of bytes.
cv::Mat picture(cv::Size size, int type, std::uint64_t seed);
// 0 and 255, about `taken` of it not 0, at least one pixel.
cv::Mat random_mask(cv::Size size, double taken, std::uint64_t seed);

}  // namespace vedette::preload_test
