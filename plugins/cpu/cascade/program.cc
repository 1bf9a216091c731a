#include "cascade/program.h"

#include <algorithm>
#include <utility>

namespace vedette::cpu::cascade {

namespace {

static_assert(static_cast<int>(CascadeShape::edge) == static_cast<int>(FormKind::edge) &&
              static_cast<int>(CascadeShape::line) == static_cast<int>(FormKind::line) &&
              static_cast<int>(CascadeShape::cross) == static_cast<int>(FormKind::cross) &&
              static_cast<int>(CascadeShape::minus_cross) == static_cast<int>(FormKind::minus_cross) &&
              static_cast<int>(CascadeShape::two) == static_cast<int>(FormKind::two) &&
              static_cast<int>(CascadeShape::three) == static_cast<int>(FormKind::three));

}  // namespace

Program::Program(const Model& model, const Layout& layout) : layout_(layout) {
    const bool is_haar = model.kind == FeatureKind::haar;
    bool only_stumps = is_haar;
    leaves_ = model.leaves;
    WholeLeaves whole = whole_leaves(model);
    whole_leaves_ = std::move(whole.leaves);
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
            stumps_.push_back(stump(haar_[node], model.haar[feature]));
        }
    for (std::size_t i = 0; i < model.stages.size(); ++i) add_stage(model, model.stages[i], whole.stages[i]);

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

void Program::add_stage(const Model& model, const Stage& stage, const WholeStage& whole) {
    CascadeStage made{};
    made.first_tree = stage.first_tree;
    made.trees = stage.trees;
    made.threshold = stage.threshold;
    for (std::uint32_t i = 0; i < stage.trees && !stumps_.empty(); ++i) {
        const Tree& tree = model.trees[stage.first_tree + i];
        CascadeStump& stump = stumps_[stage.first_tree + i];
        const CascadeBranch& branch = branches_[tree.first_node];
        const std::int32_t right =
            whole_leaves_[static_cast<std::size_t>(std::int64_t{tree.first_leaf} - branch.right)];
        const std::int32_t left = whole_leaves_[static_cast<std::size_t>(std::int64_t{tree.first_leaf} - branch.left)];
        stump.gain = left - right;
        made.start += right;
    }
    made.sure = whole.sure;
    made.doubt = whole.doubt;
    stages_.push_back(made);
}

CascadeHaarNode Program::haar_node(const Node& node, const HaarFeature& feature) const {
    CascadeHaarNode made{};
    made.threshold = node.threshold;
    for (int i = 0; i < 3; ++i) {
        made.weight[i] = feature.weight[i];
        if (i == 2 && feature.weight[i] == 0) break;
        const auto corner = corners_of(feature.rectangle[i], feature.tilted);
        for (std::size_t k = 0; k < 4; ++k) made.corner[i][k] = place(corner[k], feature.tilted);
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

CascadeStump Program::stump(const CascadeHaarNode& node, const HaarFeature& feature) const {
    const FeatureForm form = form_of(feature);
    CascadeStump made{};
    made.shape = static_cast<CascadeShape>(form.kind);
    made.threshold = node.threshold;
    std::copy(std::begin(node.weight), std::end(node.weight), made.weight);
    for (int i = 0; i < form.count; ++i)
        made.corner[i] = place(form.corner[static_cast<std::size_t>(i)], feature.tilted);
    return made;
}

}  // namespace vedette::cpu::cascade
