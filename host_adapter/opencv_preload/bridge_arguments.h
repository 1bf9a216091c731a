// What the calls of the bridge share.
#pragma once

#include <algorithm>
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <string>

#include "score_map.h"

namespace vedette::compat {

inline Raster raster_of(const cv::Mat& image) {
    return {image.data,       static_cast<std::ptrdiff_t>(image.step[0]),
            image.cols,       image.rows,
            image.channels(), image.depth() == CV_32F};
}

// A program that sets OpenCV's threads means these; without that Vedette's configuration decides (0).
inline std::uint32_t wanted_threads() {
    const int threads = cv::getNumThreads();
    return threads == cv::getNumberOfCPUs() ? 0 : static_cast<std::uint32_t>(std::max(threads, 1));
}

// For the log: "1920x1080 CV_8UC3".
inline std::string describe(const cv::_InputArray& array) {
    if (array.kind() == cv::_InputArray::NONE) return "none";
    const cv::Size size = array.size();
    return std::to_string(size.width) + "x" + std::to_string(size.height) + " " + cv::typeToString(array.type());
}

inline std::string in_milliseconds(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f ms", value);
    return text;
}

}  // namespace vedette::compat
