#include "ops/cascade_program.h"

#include <cascade/feature_form.h>
#include <cascade/whole_leaves.h>

#include <algorithm>
#include <span>

namespace vedette::opencl {

namespace {

// As the kernels' records.
struct Stump {
    std::int32_t place[12];
    float weight[3];
    float threshold;
    std::int32_t gain;
    std::uint32_t form;
};
struct HaarNode {
    std::int32_t place[12];
    float weight[3];
    float threshold;
    std::int32_t left, right;
};
struct LbpNode {
    std::int32_t place[16];
    std::uint32_t subset[cascade::lbp_subset_words];
    std::int32_t left, right;
};
struct Tree {
    std::uint32_t first_node, first_leaf;
};
struct Stage {
    std::uint32_t first_tree, trees;
    std::int32_t start, sure, doubt;
    float threshold;
};
static_assert(sizeof(Stump) == 72 && sizeof(HaarNode) == 72 && sizeof(LbpNode) == 104 && sizeof(Stage) == 24);

std::int32_t place_of(const CascadeTables& tables, const cascade::Corner& corner, bool tilted) {
    return tables.place(corner.x, corner.y) + (tilted ? tables.tilted : 0);
}

Stump stump_of(const CascadeTables& tables, const cascade::Node& node, const cascade::HaarFeature& feature) {
    const cascade::FeatureForm form = cascade::form_of(feature);
    Stump stump{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(form.count); ++i)
        stump.place[i] = place_of(tables, form.corner[i], feature.tilted);
    std::copy(std::begin(feature.weight), std::end(feature.weight), stump.weight);
    stump.threshold = node.threshold;
    stump.form = static_cast<std::uint32_t>(form.kind);
    return stump;
}

HaarNode haar_of(const CascadeTables& tables, const cascade::Node& node, const cascade::HaarFeature& feature) {
    HaarNode made{};
    for (std::size_t i = 0; i < 3; ++i) {
        made.weight[i] = feature.weight[i];
        if (i == 2 && feature.weight[i] == 0) break;
        const auto corners = cascade::corners_of(feature.rectangle[i], feature.tilted);
        for (std::size_t k = 0; k < 4; ++k) made.place[4 * i + k] = place_of(tables, corners[k], feature.tilted);
    }
    made.threshold = node.threshold;
    made.left = node.left;
    made.right = node.right;
    return made;
}

LbpNode lbp_of(const CascadeTables& tables, const cascade::Node& node, const cascade::Rectangle& block,
               const std::int32_t* subset) {
    LbpNode made{};
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) made.place[4 * y + x] = tables.place(block.x + x * block.w, block.y + y * block.h);
    for (int i = 0; i < cascade::lbp_subset_words; ++i) made.subset[i] = static_cast<std::uint32_t>(subset[i]);
    made.left = node.left;
    made.right = node.right;
    return made;
}

// The leaf that a tree of one node ends in on one side.
std::size_t leaf_index(const cascade::Tree& tree, int child) {
    return static_cast<std::size_t>(std::int64_t{tree.first_leaf} - child);
}

template <class T>
Buffer<std::byte> upload(const Device& device, const std::vector<T>& table) {
    const auto bytes = std::as_bytes(std::span(table));
    Buffer<std::byte> memory = device.buffer<std::byte>(bytes.size());
    write(device.service.get(), memory, bytes.data(), bytes.size(), cl::blocking);
    return memory;
}

}  // namespace

CascadeKind kind_of(const cascade::Model& model) {
    if (model.kind == cascade::FeatureKind::lbp) return CascadeKind::lbp;
    const bool stumps =
        std::all_of(model.trees.begin(), model.trees.end(), [](const cascade::Tree& tree) { return tree.nodes == 1; });
    return stumps ? CascadeKind::stumps : CascadeKind::trees;
}

CascadeProgram::CascadeProgram(const Device& device, const cascade::Model& model, const CascadeTables& tables)
    : stage_count_(static_cast<std::uint32_t>(model.stages.size())) {
    const CascadeKind kind = kind_of(model);
    const cascade::WholeLeaves whole = cascade::whole_leaves(model);
    std::vector<Stump> stumps;
    std::vector<HaarNode> haar;
    std::vector<LbpNode> lbp;
    std::vector<Tree> trees;
    std::vector<Stage> stages;
    std::vector<float> leaves;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        const cascade::Node& node = model.nodes[i];
        const auto feature = static_cast<std::size_t>(node.feature);
        if (kind == CascadeKind::trees) haar.push_back(haar_of(tables, node, model.haar[feature]));
        if (kind == CascadeKind::lbp)
            lbp.push_back(
                lbp_of(tables, node, model.lbp[feature], model.subsets.data() + i * cascade::lbp_subset_words));
    }
    for (std::size_t i = 0; i < model.stages.size(); ++i) {
        const cascade::Stage& stage = model.stages[i];
        Stage made{stage.first_tree, stage.trees, 0, whole.stages[i].sure, whole.stages[i].doubt, stage.threshold};
        for (std::uint32_t t = stage.first_tree; t < stage.first_tree + stage.trees; ++t) {
            const cascade::Tree& tree = model.trees[t];
            trees.push_back({tree.first_node, tree.first_leaf});
            if (kind != CascadeKind::stumps) continue;
            const cascade::Node& node = model.nodes[tree.first_node];
            Stump stump = stump_of(tables, node, model.haar[static_cast<std::size_t>(node.feature)]);
            const std::size_t left = leaf_index(tree, node.left);
            const std::size_t right = leaf_index(tree, node.right);
            stump.gain = whole.leaves[left] - whole.leaves[right];
            made.start += whole.leaves[right];
            stumps.push_back(stump);
            leaves.push_back(model.leaves[left]);
            leaves.push_back(model.leaves[right]);
        }
        stages.push_back(made);
    }
    if (kind != CascadeKind::stumps) leaves = model.leaves;
    stages_ = upload(device, stages);
    nodes_ = kind == CascadeKind::stumps  ? upload(device, stumps)
             : kind == CascadeKind::trees ? upload(device, haar)
                                          : upload(device, lbp);
    trees_ = upload(device, trees);
    whole_leaves_ = upload(device, whole.leaves);
    leaves_ = upload(device, leaves);
}

}  // namespace vedette::opencl
