// Features of cascades, for `lanes` neighbouring windows at a time. Included only by sources that are compiled once per
// instruction set.
#pragma once

#include "kernels/cascade.h"
#include "kernels/cascade_simd.h"

namespace vedette::cpu::VEDETTE_ISA {

namespace {

inline Ints rectangle(const std::int32_t* window, const std::int32_t* corner) {
    return add(sub(sub(load(window + corner[0]), load(window + corner[1])), load(window + corner[2])),
               load(window + corner[3]));
}

inline std::int32_t rectangle_at(const std::int32_t* window, const std::int32_t* corner) {
    const auto at = [&](int i) { return static_cast<std::uint32_t>(window[corner[i]]); };
    return static_cast<std::int32_t>(at(0) - at(1) - at(2) + at(3));
}

template <CascadeShape shape>
inline Floats feature(const std::int32_t* window, const CascadeStump& stump) {
    const auto at = [&](int i) { return load(window + stump.corner[i]); };
    if constexpr (shape == CascadeShape::edge) {
        const Ints twice = sub(at(4), at(5));
        return to_floats(add(add(sub(at(0), at(1)), sub(at(2), at(3))), add(twice, twice)));
    } else if constexpr (shape == CascadeShape::line) {
        return sub(mul(to_floats(rectangle(window, stump.corner + 4)), all(stump.weight[1])),
                   to_floats(rectangle(window, stump.corner)));
    } else if constexpr (shape == CascadeShape::cross || shape == CascadeShape::minus_cross) {
        const Ints outer = add(add(at(0), at(1)), add(at(2), at(3)));
        const Ints centre = at(8);
        const Ints inner = sub(sub(add(centre, centre), add(at(4), at(5))), add(at(6), at(7)));
        const Ints sum = add(outer, add(inner, inner));
        return to_floats(shape == CascadeShape::cross ? sum : sub(all(0), sum));
    } else {
        Floats sum = add(mul(all(stump.weight[0]), to_floats(rectangle(window, stump.corner))),
                         mul(all(stump.weight[1]), to_floats(rectangle(window, stump.corner + 4))));
        if constexpr (shape == CascadeShape::three)
            sum = add(sum, mul(all(stump.weight[2]), to_floats(rectangle(window, stump.corner + 8))));
        return sum;
    }
}

// Four vectors of windows at a time: what is known of a stump is fetched once for all of them.
constexpr std::uint32_t group_vectors = 4;

struct Group {
    const std::int32_t* window[group_vectors];
    Floats norm[group_vectors];
    Ints sum[group_vectors];
};

template <CascadeShape shape>
inline void add_stump(const CascadeStump& stump, Group& group) {
    const Floats threshold = all(stump.threshold);
    const Ints gain = all(stump.gain);
    for (std::uint32_t v = 0; v < group_vectors; ++v) {
        const Floats value = mul(feature<shape>(group.window[v], stump), group.norm[v]);
        group.sum[v] = add_where(group.sum[v], less(value, threshold), gain);
    }
}

inline void run_stumps(const CascadeProgram& program, const CascadeStage& stage, Group& shared) {
    // Kept in registers; member by member, for which no string instruction is used.
    Group group;
    for (std::uint32_t v = 0; v < group_vectors; ++v) {
        group.window[v] = shared.window[v];
        group.norm[v] = shared.norm[v];
        group.sum[v] = shared.sum[v];
    }
    const CascadeStump* stump = program.stumps + stage.first_tree;
    for (const CascadeStump* const end = stump + stage.trees; stump != end; ++stump) {
        switch (stump->shape) {
            case CascadeShape::edge:
                add_stump<CascadeShape::edge>(*stump, group);
                break;
            case CascadeShape::line:
                add_stump<CascadeShape::line>(*stump, group);
                break;
            case CascadeShape::cross:
                add_stump<CascadeShape::cross>(*stump, group);
                break;
            case CascadeShape::minus_cross:
                add_stump<CascadeShape::minus_cross>(*stump, group);
                break;
            case CascadeShape::two:
                add_stump<CascadeShape::two>(*stump, group);
                break;
            case CascadeShape::three:
                add_stump<CascadeShape::three>(*stump, group);
                break;
        }
    }
    for (std::uint32_t v = 0; v < group_vectors; ++v) shared.sum[v] = group.sum[v];
}

// Lanes that go left at a node.
inline Mask goes_left(const CascadeHaarNode& node, const std::int32_t* window, Floats norm) {
    Floats sum = add(mul(all(node.weight[0]), to_floats(rectangle(window, node.corner[0]))),
                     mul(all(node.weight[1]), to_floats(rectangle(window, node.corner[1]))));
    if (node.weight[2] != 0) sum = add(sum, mul(all(node.weight[2]), to_floats(rectangle(window, node.corner[2]))));
    return less(mul(sum, norm), all(node.threshold));
}

inline bool goes_left_at(const CascadeHaarNode& node, const std::int32_t* window, float norm) {
    float sum = node.weight[0] * static_cast<float>(rectangle_at(window, node.corner[0])) +
                node.weight[1] * static_cast<float>(rectangle_at(window, node.corner[1]));
    if (node.weight[2] != 0) sum += node.weight[2] * static_cast<float>(rectangle_at(window, node.corner[2]));
    return sum * norm < node.threshold;
}

// The blocks round the middle one, clockwise from the left upper one: first corners, and the bit each sets when its sum
// is not below the middle one's.
struct LbpBlock {
    int corner;
    std::int32_t bit;
};
constexpr LbpBlock lbp_blocks[] = {{0, 128}, {1, 64}, {2, 32}, {6, 16}, {10, 8}, {9, 4}, {8, 2}, {4, 1}};

inline Mask goes_left(const CascadeLbpNode& node, const std::int32_t* window, Floats) {
    Ints sum[16];
    for (int i = 0; i < 16; ++i) sum[i] = load(window + node.corner[i]);
    const auto block = [&](int i) { return add(sub(sub(sum[i], sum[i + 1]), sum[i + 4]), sum[i + 5]); };
    const Ints middle = block(5);
    Ints code = all(255);
    for (const LbpBlock& around : lbp_blocks)
        code = add_where(code, less(block(around.corner), middle), all(-around.bit));
    return in_subset(node.subset, code);
}

inline bool goes_left_at(const CascadeLbpNode& node, const std::int32_t* window, float) {
    const auto block = [&](int i) {
        const std::int32_t corner[4] = {node.corner[i], node.corner[i + 1], node.corner[i + 4], node.corner[i + 5]};
        return rectangle_at(window, corner);
    };
    const std::int32_t middle = block(5);
    std::int32_t code = 0;
    for (const LbpBlock& around : lbp_blocks) code |= block(around.corner) >= middle ? around.bit : 0;
    return (node.subset[code >> 5] >> (code & 31) & 1) != 0;
}

constexpr std::uint32_t most_tree_nodes = 256;

// All nodes that any lane reaches, each for all lanes.
template <class Node>
inline Ints add_tree(const CascadeProgram& program, const CascadeTree& tree, const Node* nodes,
                     const std::int32_t* window, Floats norm, Ints sum) {
    const CascadeBranch* const branches = program.branches + tree.first_node;
    const std::int32_t* const leaves = program.whole_leaves + tree.first_leaf;
    nodes += tree.first_node;
    if (tree.nodes == 1) {
        const Mask left = goes_left(nodes[0], window, norm);
        sum = add_where(sum, left, all(leaves[-branches[0].left]));
        return add_where(sum, first_only(all_lanes(), left), all(leaves[-branches[0].right]));
    }
    Mask reached[most_tree_nodes];
    reached[0] = all_lanes();
    for (std::uint32_t i = 1; i < tree.nodes; ++i) reached[i] = no_lanes();
    for (std::uint32_t i = 0; i < tree.nodes; ++i) {
        if (bits(reached[i]) == 0) continue;
        const Mask left = goes_left(nodes[i], window, norm);
        const Mask sides[2] = {both(reached[i], left), first_only(reached[i], left)};
        const std::int32_t children[2] = {branches[i].left, branches[i].right};
        for (int side = 0; side < 2; ++side) {
            if (children[side] > 0)
                reached[children[side]] = either(reached[children[side]], sides[side]);
            else
                sum = add_where(sum, sides[side], all(leaves[-children[side]]));
        }
    }
    return sum;
}

template <class Node>
inline void run_trees(const CascadeProgram& program, const CascadeStage& stage, const Node* nodes, Group& group) {
    for (std::uint32_t v = 0; v < group_vectors; ++v) {
        Ints sum = group.sum[v];
        for (std::uint32_t i = 0; i < stage.trees; ++i)
            sum = add_tree(program, program.trees[stage.first_tree + i], nodes, group.window[v], group.norm[v], sum);
        group.sum[v] = sum;
    }
}

// What a stage sums up to for one window, added as OpenCV adds.
template <class Node>
inline double stage_sum(const CascadeProgram& program, const CascadeStage& stage, const Node* nodes,
                        const std::int32_t* window, float norm) {
    double sum = 0;
    for (std::uint32_t i = 0; i < stage.trees; ++i) {
        const CascadeTree& tree = program.trees[stage.first_tree + i];
        std::int32_t node = 0;
        do {
            const CascadeBranch& branch = program.branches[tree.first_node + static_cast<std::uint32_t>(node)];
            node = goes_left_at(nodes[tree.first_node + static_cast<std::uint32_t>(node)], window, norm) ? branch.left
                                                                                                         : branch.right;
        } while (node > 0);
        sum += static_cast<double>(program.leaves[static_cast<std::int64_t>(tree.first_leaf) - node]);
    }
    return sum;
}

inline double exact_sum(const CascadeProgram& program, const CascadeStage& stage, const std::int32_t* window,
                        float norm) {
    return program.kind == CascadeKind::lbp ? stage_sum(program, stage, program.lbp, window, norm)
                                            : stage_sum(program, stage, program.haar, window, norm);
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
