// A boosted cascade as OpenCV's files describe it, checked: every index is in range, every rectangle inside the window,
// every path through a tree ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vedette::cascade {

enum class FeatureKind : std::uint8_t { haar, lbp };

// Upright: from its left upper corner. Tilted: from its topmost corner, `w` down to the right, `h` down to the left.
struct Rectangle {
    int x, y, w, h;
};

struct HaarFeature {
    Rectangle rectangle[3];
    float weight[3];  // 0 in the third place: two rectangles
    bool tilted;
};

// A node of a weak classifier. `left` when a Haar feature is below `threshold`, or the subset holds an LBP code.
// A child above 0 is a later node of the same tree; 0 and below is leaf -child.
struct Node {
    int left, right;
    int feature;
    float threshold;
};

struct Tree {
    std::uint32_t first_node, nodes;  // and nodes + 1 leaves or fewer
    std::uint32_t first_leaf, leaves;
};

struct Stage {
    std::uint32_t first_tree, trees;
    float threshold;  // less OpenCV's margin of 1e-5
};

constexpr int lbp_subset_words = 8;  // 256 codes

struct Model {
    FeatureKind kind = FeatureKind::haar;
    int width = 0, height = 0;  // of the window
    std::vector<Stage> stages;
    std::vector<Tree> trees;
    std::vector<Node> nodes;
    std::vector<float> leaves;
    std::vector<std::int32_t> subsets;  // of LBP nodes, lbp_subset_words each
    std::vector<HaarFeature> haar;
    std::vector<Rectangle> lbp;  // of one of the three by three blocks
    bool has_tilted = false;
};

// Reads OpenCV's XML, the format of cascades trained since OpenCV 2 or the older one with features inside the trees.
// Throws Failure VDT_E_FORMAT naming what is wrong, VDT_E_UNSUPPORTED for cascades of HOG features.
Model read_model(std::string_view xml);

}  // namespace vedette::cascade
