// cv::matchTemplate of a program that runs with LD_PRELOAD, against the same OpenCV reached past the preloaded library.
#define BOOST_TEST_MODULE opencv_preload
#include "boost_test.h"
