// Text of a cascade classifier, in the form that cv::CascadeClassifier::read takes.
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace vedette::opencv {

// A parsed classifier in OpenCV's new format.
struct CascadeText {
    cv::FileStorage storage;  // keeps what `root` points into
    cv::FileNode root;
};

// Parses XML of the new or the old format and checks every number that OpenCV later uses as an index or a place.
// Failure VDT_E_FORMAT says what is damaged.
CascadeText read_cascade(const std::string& text);

}  // namespace vedette::opencv
