// The scaled images that cv::CascadeClassifier::detectMultiScale searches, and which windows of each.
#pragma once

#include <cstdint>
#include <vector>

#include "cascade/model.h"

namespace vedette::cascade {

struct Search {
    double scale_factor;
    int min_w, min_h, max_w, max_h;  // as vdt_cascade_params
};

struct Scale {
    float factor;
    int width, height;       // of the scaled image
    int step;                // between windows, across and down
    int columns, rows;       // windows
    int window_w, window_h;  // of a detection
};

// Empty when no window fits. Rows and columns may be 0.
std::vector<Scale> scales_of(const Model& model, const Search& search, int width, int height);

}  // namespace vedette::cascade
