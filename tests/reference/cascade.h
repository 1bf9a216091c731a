// cascade_detect by brute force: every window alone, every rectangle pixel by pixel, in double.
#pragma once

#include <vedette/plugin/ops.h>

#include <array>
#include <cstdint>
#include <vector>

namespace vedette::reference {

struct CascadeRectangle {
    int x, y, w, h;
    double weight;
};

// A Haar feature, or with `subset` an LBP feature: then the one rectangle is a block of the three by three.
struct CascadeNode {
    int left, right;  // above 0: a later node; else leaf -n
    double threshold;
    std::vector<CascadeRectangle> rectangles;
    bool tilted = false;
    std::vector<std::uint32_t> subset = {};  // eight words
};

struct CascadeTree {
    std::vector<CascadeNode> nodes;
    std::vector<double> leaves;
};

struct CascadeStage {
    double threshold;  // as in the file
    std::vector<CascadeTree> trees;
};

struct CascadeModel {
    int width, height;
    std::vector<CascadeStage> stages;
};

struct CascadeWindow {
    vdt_item item;
    // Some window of its row has a value so near a threshold that single precision may decide otherwise, which also
    // decides about those that are skipped.
    bool in_doubtful_row;
};

struct CascadeResult {
    std::vector<CascadeWindow> windows;  // by scale, row, column; ungrouped
    std::uint64_t rows = 0, doubtful_rows = 0;
};

// `image` is GRAY8; `params.cascade` is not looked at.
CascadeResult cascade_windows(const vdt_image& image, const CascadeModel& model, const vdt_cascade_params& params);

}  // namespace vedette::reference
