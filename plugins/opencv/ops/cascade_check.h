// Checks a classifier before OpenCV uses it. OpenCV's reader trusts most of what it reads: an index beyond the
// features, a fourth rectangle or a loop of nodes would make it read, write or run without end.
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace vedette::opencv {

// Throws Failure VDT_E_FORMAT: "the cascade is damaged: <what>".
[[noreturn]] void damaged(const std::string& what);

// `root`: a classifier in the new format.
void check_cascade(const cv::FileNode& root);

// The member of a map or sequence; damaged when it is missing.
cv::FileNode member(const cv::FileNode& node, const char* name);
int whole_number(const cv::FileNode& node, const char* name);
double number(const cv::FileNode& node, const char* name);

}  // namespace vedette::opencv
