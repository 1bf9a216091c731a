// What the tests of features compare keypoints with.
#pragma once

#include "feature_pictures.h"

namespace vedette::ops {

// Of a keypoint from a place, in pixels.
double distance(const vdt_keypoint& a, Point b);
// Between two directions, in degrees: 0 .. 180.
double turn(double a, double b);
// That all keypoints lie in the image, in order of response, with descriptors as SIFT's.
void check_well_formed(const Keypoints& found, const TestImage& image);

}  // namespace vedette::ops
