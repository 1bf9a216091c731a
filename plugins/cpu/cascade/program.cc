#include "cascade/program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace vedette::cpu::cascade {

namespace {

constexpr int whole_bits = 30;                          // of the largest sum of leaves
constexpr double exact_float = 1 << 24;                 // whole numbers up to it have a float of their own
constexpr double least_textured_norm_times_area = 0.1;  // at or above it cv::CascadeClassifier calls a window flat

std::int32_t clamped(double value) {
    return static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0));
}

// The least float whose product with the area, in double, is at least that of a flat window.
float flat_norm(double area) {
    auto norm = static_cast<float>(least_textured_norm_times_area / area);
    while (area * static_cast<double>(norm) >= least_textured_norm_times_area) norm = std::nextafter(norm, 0.0F);
    while (area * static_cast<double>(norm) < least_textured_norm_times_area)
        norm = std::nextafter(norm, std::numeric_limits<float>::max());
    return norm;
}

// Corners of a feature's rectangles by what they are multiplied with, those that cancel out left out.
using Corners = std::map<std::int32_t, std::vector<std::int32_t>>;

Corners corners_of(const CascadeHaarNode& node, int rectangles) {
    std::map<std::int32_t, std::int32_t> factors;
    for (int i = 0; i < rectangles; ++i) {
        const auto weight = static_cast<std::int32_t>(node.weight[i]);
        const std::int32_t signs[4] = {1, -1, -1, 1};
        for (int k = 0; k < 4; ++k) factors[node.corner[i][k]] += weight * signs[k];
    }
    Corners corners;
    for (const auto& [corner, factor] : factors)
        if (factor != 0) corners[factor].push_back(corner);
    return corners;
}

// Whether `corners` are `counts[i]` with the factor `factors[i]`, and none else.
template <std::size_t n>
bool matches(const Corners& corners, const int (&factors)[n], const std::size_t (&counts)[n]) {
    if (corners.size() != n) return false;
    for (std::size_t i = 0; i < n; ++i) {
        const auto found = corners.find(factors[i]);
        if (found == corners.end() || found->second.size() != counts[i]) return false;
    }
    return true;
}

// Whether OpenCV's floats hold every value that the feature and its parts can take.
bool is_exact(const HaarFeature& feature, int rectangles) {
    double most = 0;
    for (int i = 0; i < rectangles; ++i) {
        const Rectangle& r = feature.rectangle[i];
        const auto weight = static_cast<double>(feature.weight[i]);
        if (weight != std::floor(weight) || std::abs(weight) > 64) return false;
        // A tilted rectangle covers twice the pixels that w and h say.
        most += std::abs(weight) * 255 * r.w * r.h * (feature.tilted ? 2 : 1);
    }
    return most < exact_float;
}

}  // namespace

Program::Program(const Model& model, const Layout& layout) : layout_(layout) {
    const bool is_haar = model.kind == FeatureKind::haar;
    bool only_stumps = is_haar;
    leaves_ = model.leaves;
    whole_leaves_.resize(leaves_.size());
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        const Node& node = model.nodes[i];
        const auto feature = static_cast<std::size_t>(node.feature);
        branches_.push_back({node.left, node.right});
        if (is_haar)
            haar_.push_back(haar_node(node, model.haar[feature]));
        else
            lbp_.push_back(lbp_node(model.lbp[feature], model.subsets.data() + i * lbp_subset_words));
    }
    for (const Tree& tree : model.trees) {
        trees_.push_back({tree.first_node, tree.nodes, tree.first_leaf});
        only_stumps = only_stumps && tree.nodes == 1;
    }
    if (only_stumps)
        for (std::size_t i = 0; i < model.trees.size(); ++i) {
            const std::uint32_t node = model.trees[i].first_node;
            const auto feature = static_cast<std::size_t>(model.nodes[node].feature);
            stumps_.push_back(stump(model, haar_[node], model.haar[feature]));
        }
    for (const Stage& stage : model.stages) add_stage(model, stage);

    view_.kind = !is_haar ? CascadeKind::lbp : (only_stumps ? CascadeKind::haar_stumps : CascadeKind::haar_trees);
    view_.stage_count = static_cast<std::uint32_t>(stages_.size());
    view_.stages = stages_.data();
    view_.stumps = stumps_.data();
    view_.trees = trees_.data();
    view_.branches = branches_.data();
    view_.haar = haar_.data();
    view_.lbp = lbp_.data();
    view_.leaves = leaves_.data();
    view_.whole_leaves = whole_leaves_.data();
    const int right = model.width - 1, bottom = model.height - 1;
    const std::int32_t corner[4] = {layout.place(1, 1), layout.place(right, 1), layout.place(1, bottom),
                                    layout.place(right, bottom)};
    std::copy(std::begin(corner), std::end(corner), view_.norm_corner);
    view_.norm_area = static_cast<double>(model.width - 2) * (model.height - 2);
    view_.norm_limit = flat_norm(view_.norm_area);
}

// Scales the stage's leaves so that no sum of them, one from each tree, leaves 2^30.
void Program::add_stage(const Model& model, const Stage& stage) {
    double most = 0;
    for (std::uint32_t i = 0; i < stage.trees; ++i) {
        const Tree& tree = model.trees[stage.first_tree + i];
        float largest = 0;
        for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf)
            largest = std::max(largest, std::abs(leaves_[tree.first_leaf + leaf]));
        most += static_cast<double>(largest);
    }
    int exponent = 0;
    std::frexp(most, &exponent);  // most < 2^exponent
    const int shift = std::min(whole_bits - exponent, 2 * whole_bits);
    CascadeStage made{};
    made.first_tree = stage.first_tree;
    made.trees = stage.trees;
    made.threshold = stage.threshold;
    for (std::uint32_t i = 0; i < stage.trees; ++i) {
        const Tree& tree = model.trees[stage.first_tree + i];
        for (std::uint32_t leaf = tree.first_leaf; leaf < tree.first_leaf + tree.leaves; ++leaf)
            whole_leaves_[leaf] = clamped(std::nearbyint(std::ldexp(static_cast<double>(leaves_[leaf]), shift)));
        if (stumps_.empty()) continue;
        CascadeStump& stump = stumps_[stage.first_tree + i];
        const CascadeBranch& branch = branches_[tree.first_node];
        const std::int32_t right =
            whole_leaves_[static_cast<std::size_t>(std::int64_t{tree.first_leaf} - branch.right)];
        const std::int32_t left = whole_leaves_[static_cast<std::size_t>(std::int64_t{tree.first_leaf} - branch.left)];
        stump.gain = left - right;
        made.start += right;
    }
    // Each leaf is off by half a unit at most; OpenCV's own sum in double by less than one.
    const double off = stage.trees / 2.0 + 2;
    const double threshold = std::ldexp(static_cast<double>(stage.threshold), shift);
    made.sure = clamped(std::ceil(threshold + off));
    made.doubt = clamped(std::floor(threshold - off));
    stages_.push_back(made);
}

CascadeHaarNode Program::haar_node(const Node& node, const HaarFeature& feature) const {
    CascadeHaarNode made{};
    made.threshold = node.threshold;
    for (int i = 0; i < 3; ++i) {
        made.weight[i] = feature.weight[i];
        if (i == 2 && feature.weight[i] == 0) break;
        const Rectangle& r = feature.rectangle[i];
        if (feature.tilted) {
            made.corner[i][0] = layout_.tilted + layout_.place(r.x, r.y);
            made.corner[i][1] = layout_.tilted + layout_.place(r.x - r.h, r.y + r.h);
            made.corner[i][2] = layout_.tilted + layout_.place(r.x + r.w, r.y + r.w);
            made.corner[i][3] = layout_.tilted + layout_.place(r.x + r.w - r.h, r.y + r.w + r.h);
        } else {
            made.corner[i][0] = layout_.place(r.x, r.y);
            made.corner[i][1] = layout_.place(r.x + r.w, r.y);
            made.corner[i][2] = layout_.place(r.x, r.y + r.h);
            made.corner[i][3] = layout_.place(r.x + r.w, r.y + r.h);
        }
    }
    return made;
}

CascadeLbpNode Program::lbp_node(const Rectangle& block, const std::int32_t* subset) const {
    CascadeLbpNode made{};
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
            made.corner[y * 4 + x] = layout_.place(block.x + x * block.w, block.y + y * block.h);
    for (int i = 0; i < lbp_subset_words; ++i) made.subset[i] = static_cast<std::uint32_t>(subset[i]);
    return made;
}

CascadeStump Program::stump(const Model&, const CascadeHaarNode& node, const HaarFeature& feature) const {
    CascadeStump made{};
    made.threshold = node.threshold;
    const int rectangles = node.weight[2] != 0 ? 3 : 2;
    made.shape = rectangles == 3 ? CascadeShape::three : CascadeShape::two;
    for (int i = 0; i < 3; ++i) {
        made.weight[i] = node.weight[i];
        std::copy(std::begin(node.corner[i]), std::end(node.corner[i]), made.corner + 4 * i);
    }
    if (!is_exact(feature, rectangles)) return made;
    Corners corners = corners_of(node, rectangles);
    const auto put = [&](int place, int factor, std::size_t index) { made.corner[place] = corners[factor][index]; };
    if (matches(corners, {1, -1, 2, -2}, {2, 2, 1, 1})) {
        made.shape = CascadeShape::edge;
        for (int i = 0; i < 2; ++i) {
            put(2 * i, 1, static_cast<std::size_t>(i));
            put(2 * i + 1, -1, static_cast<std::size_t>(i));
        }
        put(4, 2, 0);
        put(5, -2, 0);
        return made;
    }
    for (const int sign : {1, -1}) {
        if (!matches(corners, {sign, -2 * sign, 4 * sign}, {4, 4, 1})) continue;
        made.shape = sign > 0 ? CascadeShape::cross : CascadeShape::minus_cross;
        for (int i = 0; i < 4; ++i) {
            put(i, sign, static_cast<std::size_t>(i));
            put(4 + i, -2 * sign, static_cast<std::size_t>(i));
        }
        put(8, 4 * sign, 0);
        return made;
    }
    if (rectangles == 2 && node.weight[0] == -1) made.shape = CascadeShape::line;
    return made;
}

}  // namespace vedette::cpu::cascade
