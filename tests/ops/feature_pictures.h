// Pictures for the tests of features: real screens, blobs, and what a camera would make of a picture.
#pragma once

#include <string>

#include "feature_run.h"

namespace vedette::ops {

// An image file as GRAY8. Throws std::runtime_error when it cannot be read.
TestImage gray_from_file(const std::string& path);
// examples/sample/screen.png.
TestImage sample_screen();
// A file of the folder with real data; none() with a line that everyone sees when the folder is not there.
TestImage real_picture(const std::string& name);

// A change of place: turned by `angle` degrees about (center_x, center_y), scaled, moved; and of light.
struct Change {
    double angle = 0, scale = 1;
    double gain = 1, offset = 0;
    double perspective = 0;  // of the denominator, for each pixel to the right
};
// As a homography from the picture to the changed one, about the picture's centre.
std::array<double, 9> homography_of(const Change& change, const TestImage& picture);
// Bilinear; outside the picture gray 128.
TestImage changed(const TestImage& picture, const Change& change);

// A light spot exp(-r^2 / (2 sigma^2)) on gray.
TestImage blob(std::uint32_t width, std::uint32_t height, double x, double y, double sigma, double height_of_peak);

}  // namespace vedette::ops
