#include "ops/cascade_program.h"

#include <cascade/feature_form.h>
#include <cascade/whole_leaves.h>

#include <algorithm>
#include <cstring>

namespace vedette::cuda_plugin {

namespace {

// 9 KB: the stages before hold nine tenths of the work of OpenCV's frontal face classifiers on screenshots.
constexpr std::uint32_t most_cached_stumps = 192;

static_assert(static_cast<int>(cuda::CascadeForm::edge) == static_cast<int>(cascade::FormKind::edge) &&
              static_cast<int>(cuda::CascadeForm::line) == static_cast<int>(cascade::FormKind::line) &&
              static_cast<int>(cuda::CascadeForm::cross) == static_cast<int>(cascade::FormKind::cross) &&
              static_cast<int>(cuda::CascadeForm::minus_cross) == static_cast<int>(cascade::FormKind::minus_cross) &&
              static_cast<int>(cuda::CascadeForm::two) == static_cast<int>(cascade::FormKind::two) &&
              static_cast<int>(cuda::CascadeForm::three) == static_cast<int>(cascade::FormKind::three));

std::uint16_t place_of(const cuda::CascadeLayout& layout, const cascade::Corner& corner, bool tilted) {
    return static_cast<std::uint16_t>(layout.place(corner.x, corner.y) + (tilted ? layout.tilted : 0));
}

cuda::CascadeStump stump_of(const cuda::CascadeLayout& layout, const cascade::Node& node,
                            const cascade::HaarFeature& feature) {
    const cascade::FeatureForm form = cascade::form_of(feature);
    cuda::CascadeStump stump{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(form.count); ++i)
        stump.place[i] = place_of(layout, form.corner[i], feature.tilted);
    stump.threshold = node.threshold;
    std::copy(std::begin(feature.weight), std::end(feature.weight), stump.weight);
    stump.form = static_cast<cuda::CascadeForm>(form.kind);
    return stump;
}

cuda::CascadeHaarNode haar_of(const cuda::CascadeLayout& layout, const cascade::Node& node,
                              const cascade::HaarFeature& feature) {
    cuda::CascadeHaarNode made{};
    for (std::size_t i = 0; i < 3; ++i) {
        made.weight[i] = feature.weight[i];
        if (i == 2 && feature.weight[i] == 0) break;
        const auto corners = cascade::corners_of(feature.rectangle[i], feature.tilted);
        for (std::size_t k = 0; k < 4; ++k) made.place[4 * i + k] = place_of(layout, corners[k], feature.tilted);
    }
    made.threshold = node.threshold;
    made.left = static_cast<std::int16_t>(node.left);
    made.right = static_cast<std::int16_t>(node.right);
    return made;
}

cuda::CascadeLbpNode lbp_of(const cuda::CascadeLayout& layout, const cascade::Node& node,
                            const cascade::Rectangle& block, const std::int32_t* subset) {
    cuda::CascadeLbpNode made{};
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
            made.place[4 * y + x] = place_of(layout, {block.x + x * block.w, block.y + y * block.h}, false);
    for (int i = 0; i < cascade::lbp_subset_words; ++i) made.subset[i] = static_cast<std::uint32_t>(subset[i]);
    made.left = static_cast<std::int16_t>(node.left);
    made.right = static_cast<std::int16_t>(node.right);
    return made;
}

template <class T>
std::size_t append(std::vector<std::byte>& bytes, const std::vector<T>& table) {
    const std::size_t at = (bytes.size() + 127) / 128 * 128;
    bytes.resize(at + table.size() * sizeof(T));
    if (!table.empty()) std::memcpy(bytes.data() + at, table.data(), table.size() * sizeof(T));
    return at;
}

// The leaf that a tree of one node ends in on one side.
std::size_t leaf_index(const cascade::Tree& tree, int child) {
    return static_cast<std::size_t>(std::int64_t{tree.first_leaf} - child);
}

}  // namespace

cuda::CascadeKind kind_of(const cascade::Model& model) {
    if (model.kind == cascade::FeatureKind::lbp) return cuda::CascadeKind::lbp;
    const bool stumps =
        std::all_of(model.trees.begin(), model.trees.end(), [](const cascade::Tree& tree) { return tree.nodes == 1; });
    return stumps ? cuda::CascadeKind::stumps : cuda::CascadeKind::trees;
}

std::uint32_t cached_stumps_of(const cascade::Model& model) {
    if (kind_of(model) != cuda::CascadeKind::stumps) return 0;
    std::uint32_t count = 0;
    for (const cascade::Stage& stage : model.stages) {
        const std::uint32_t end = stage.first_tree + stage.trees;
        if (end > most_cached_stumps) break;
        count = end;
    }
    return count;
}

cuda::CascadeProgram CascadeImage::at(const std::byte* base) const {
    cuda::CascadeProgram program{};
    program.stumps = reinterpret_cast<const cuda::CascadeStump*>(base + stumps);
    program.haar = reinterpret_cast<const cuda::CascadeHaarNode*>(base + haar);
    program.lbp = reinterpret_cast<const cuda::CascadeLbpNode*>(base + lbp);
    program.trees = reinterpret_cast<const cuda::CascadeTree*>(base + trees);
    program.stages = reinterpret_cast<const cuda::CascadeStage*>(base + stages);
    program.whole_leaves = reinterpret_cast<const std::int32_t*>(base + whole_leaves);
    program.leaves = reinterpret_cast<const float*>(base + leaves);
    program.stage_count = stage_count;
    program.cached_stumps = cached_stumps;
    return program;
}

CascadeImage image_of(const cascade::Model& model, const cuda::CascadeLayout& layout) {
    const cuda::CascadeKind kind = kind_of(model);
    const cascade::WholeLeaves whole = cascade::whole_leaves(model);
    std::vector<cuda::CascadeStump> stumps;
    std::vector<cuda::CascadeHaarNode> haar;
    std::vector<cuda::CascadeLbpNode> lbp;
    std::vector<cuda::CascadeTree> trees;
    std::vector<cuda::CascadeStage> stages;
    std::vector<float> leaves;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        const cascade::Node& node = model.nodes[i];
        const auto feature = static_cast<std::size_t>(node.feature);
        if (kind == cuda::CascadeKind::trees) haar.push_back(haar_of(layout, node, model.haar[feature]));
        if (kind == cuda::CascadeKind::lbp)
            lbp.push_back(
                lbp_of(layout, node, model.lbp[feature], model.subsets.data() + i * cascade::lbp_subset_words));
    }
    for (std::size_t i = 0; i < model.stages.size(); ++i) {
        const cascade::Stage& stage = model.stages[i];
        cuda::CascadeStage made{};
        made.first_tree = stage.first_tree;
        made.trees = stage.trees;
        made.sure = whole.stages[i].sure;
        made.doubt = whole.stages[i].doubt;
        made.threshold = stage.threshold;
        for (std::uint32_t t = stage.first_tree; t < stage.first_tree + stage.trees; ++t) {
            const cascade::Tree& tree = model.trees[t];
            trees.push_back({tree.first_node, tree.first_leaf});
            if (kind != cuda::CascadeKind::stumps) continue;
            const cascade::Node& node = model.nodes[tree.first_node];
            cuda::CascadeStump stump = stump_of(layout, node, model.haar[static_cast<std::size_t>(node.feature)]);
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
    if (kind != cuda::CascadeKind::stumps) leaves = model.leaves;
    CascadeImage image;
    image.stumps = append(image.bytes, stumps);
    image.haar = append(image.bytes, haar);
    image.lbp = append(image.bytes, lbp);
    image.trees = append(image.bytes, trees);
    image.stages = append(image.bytes, stages);
    image.whole_leaves = append(image.bytes, whole.leaves);
    image.leaves = append(image.bytes, leaves);
    image.stage_count = static_cast<std::uint32_t>(stages.size());
    image.cached_stumps = cached_stumps_of(model);
    return image;
}

}  // namespace vedette::cuda_plugin
