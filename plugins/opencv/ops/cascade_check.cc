#include "cascade_check.h"

#include <cmath>
#include <limits>

#include "op.h"

namespace vedette::opencv {

namespace {

constexpr int categories_lbp = 256;  // codes of eight neighbours
constexpr int longest_side = 4096;   // of a window; OpenCV's own classifiers have up to 130

enum class Feature : std::uint8_t { haar, lbp };

struct Model {
    Feature feature;
    int width, height;  // of the window
    int features;
};

int count_of(const cv::FileNode& node) {
    const std::size_t count = node.size();
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) damaged("a list is too long");
    return static_cast<int>(count);
}

cv::FileNode list(const cv::FileNode& node, const char* name) {
    const cv::FileNode found = member(node, name);
    if (!found.isSeq() || count_of(found) == 0) damaged(std::string(name) + " is no list or is empty");
    return found;
}

// A child of node `index`: a leaf (0 or below) or a later node, so that every path ends.
void check_child(int child, int index, int nodes) {
    const bool leaf = child <= 0 && child >= -nodes;
    const bool later = child > index && child < nodes;
    if (!leaf && !later) damaged("a tree node leads to a node or leaf that does not exist");
}

void check_tree(const cv::FileNode& tree, const Model& model) {
    const cv::FileNode internal = list(tree, "internalNodes");
    const int step = model.feature == Feature::haar ? 4 : 3 + categories_lbp / 32;
    const int nodes = count_of(internal) / step;
    if (count_of(internal) % step != 0) damaged("internalNodes has an incomplete node");
    if (count_of(list(tree, "leafValues")) != nodes + 1) damaged("leafValues does not hold one value more than nodes");
    int at = 0;
    for (const cv::FileNode& value : internal) {
        const int field = at % step, index = at / step;
        ++at;
        if (field == 3 && model.feature == Feature::haar) {
            number(value, "a node's threshold");
            continue;
        }
        const int number_of_field = whole_number(value, "a tree node");
        if (field < 2) check_child(number_of_field, index, nodes);
        if (field == 2 && (number_of_field < 0 || number_of_field >= model.features))
            damaged("a tree node uses a feature that does not exist");
    }
    for (const cv::FileNode& value : tree["leafValues"]) number(value, "a leaf value");
}

// x, y, width, height of a rectangle list, wholly inside the window when it is `times` as large.
cv::Rect rectangle_in(const cv::FileNode& values, const Model& model, int times) {
    int side[4] = {};
    int i = 0;
    for (const cv::FileNode& value : values) {
        if (i == 4) break;
        side[i] = whole_number(value, "a feature's rectangle");
        if (side[i] < 0 || side[i] > longest_side) damaged("a feature's rectangle lies outside the window");
        ++i;
    }
    if (i != 4 || side[2] == 0 || side[3] == 0) damaged("a feature's rectangle is empty or incomplete");
    if (side[0] + times * side[2] > model.width || side[1] + times * side[3] > model.height)
        damaged("a feature's rectangle lies outside the window");
    return {side[0], side[1], side[2], side[3]};
}

void check_haar_feature(const cv::FileNode& feature, const Model& model) {
    const cv::FileNode rectangles = list(feature, "rects");
    const bool tilted = !feature["tilted"].empty() && whole_number(feature["tilted"], "tilted") != 0;
    if (count_of(rectangles) < 2 || count_of(rectangles) > 3) damaged("a feature has not two or three rectangles");
    for (const cv::FileNode& values : rectangles) {
        if (!values.isSeq() || count_of(values) != 5) damaged("a feature's rectangle has not five numbers");
        number(*(values.begin() += 4), "a rectangle's weight");
        const cv::Rect r = rectangle_in(values, model, 1);
        // A tilted rectangle hangs from its topmost corner: `width` down to the right, `height` down to the left.
        if (tilted && (r.x - r.height < 0 || r.x + r.width > model.width || r.y + r.width + r.height > model.height))
            damaged("a tilted rectangle lies outside the window");
    }
}

}  // namespace

void damaged(const std::string& what) {
    throw Failure(VDT_E_FORMAT, "the cascade is damaged: " + what);
}

cv::FileNode member(const cv::FileNode& node, const char* name) {
    cv::FileNode found;
    if (node.isMap()) found = node[name];
    if (found.empty()) damaged(std::string(name) + " is missing");
    return found;
}

int whole_number(const cv::FileNode& node, const char* name) {
    if (!node.isInt()) damaged(std::string(name) + " is not a whole number");
    return static_cast<int>(node);
}

double number(const cv::FileNode& node, const char* name) {
    if (!node.isInt() && !node.isReal()) damaged(std::string(name) + " is not a number");
    const auto value = static_cast<double>(node);
    if (!std::isfinite(value)) damaged(std::string(name) + " is not finite");
    return value;
}

void check_cascade(const cv::FileNode& root) {
    if (static_cast<std::string>(member(root, "stageType")) != "BOOST") damaged("stageType is not BOOST");
    const std::string type = static_cast<std::string>(member(root, "featureType"));
    if (type == "HOG")
        throw Failure(VDT_E_UNSUPPORTED, "cascades of HOG features are not supported by OpenCV 3 and later");
    if (type != "HAAR" && type != "LBP") damaged("featureType is neither HAAR nor LBP");
    Model model{type == "HAAR" ? Feature::haar : Feature::lbp, whole_number(member(root, "width"), "width"),
                whole_number(member(root, "height"), "height"), 0};
    // Haar sums are normalised over the window without its border of one pixel.
    if (model.width < 3 || model.height < 3 || model.width > longest_side || model.height > longest_side)
        damaged("width or height of the window is out of range");
    const int categories = whole_number(member(member(root, "featureParams"), "maxCatCount"), "maxCatCount");
    if (categories != (model.feature == Feature::haar ? 0 : categories_lbp))
        damaged("maxCatCount does not fit the type of features");
    const cv::FileNode features = list(root, "features");
    model.features = count_of(features);
    for (const cv::FileNode& feature : features) {
        if (model.feature == Feature::haar)
            check_haar_feature(feature, model);
        else
            rectangle_in(list(feature, "rect"), model, 3);  // a grid of three by three of them
    }
    for (const cv::FileNode& stage : list(root, "stages")) {
        number(member(stage, "stageThreshold"), "stageThreshold");
        for (const cv::FileNode& tree : list(stage, "weakClassifiers")) check_tree(tree, model);
    }
}

}  // namespace vedette::opencv
