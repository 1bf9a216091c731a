// Features and stages of a cascade, from a table of sums in shared memory.
//
// Values are decided as OpenCV decides them: a feature in float, times the window's norm, against a threshold. Leaves
// are added up in whole numbers, in any order; only where such a sum is too near the stage's threshold to be sure are
// they added in double, in OpenCV's order.
#pragma once

#include "device/warp.cuh"
#include "kernels/cascade.h"

#include <type_traits>

namespace vedette::cuda {

struct CascadeRecord {
    uint4 words[3];
};

__device__ __forceinline__ unsigned place_of(const CascadeRecord& record, int index) {
    const uint4& four = record.words[index / 8];
    const unsigned pair = index % 8 / 2 == 0   ? four.x
                          : index % 8 / 2 == 1 ? four.y
                          : index % 8 / 2 == 2 ? four.z
                                               : four.w;
    return index % 2 == 0 ? pair & 0xffffu : pair >> 16;
}

__device__ __forceinline__ CascadeRecord record_of(const CascadeStump* stump) {
    const auto* const words = reinterpret_cast<const uint4*>(stump);
    return {{words[0], words[1], words[2]}};
}
__device__ __forceinline__ float threshold_of(const CascadeRecord& r) {
    return __uint_as_float(r.words[1].z);
}
__device__ __forceinline__ int gain_of(const CascadeRecord& r) {
    return static_cast<int>(r.words[1].w);
}
__device__ __forceinline__ CascadeForm form_of(const CascadeRecord& r) {
    return static_cast<CascadeForm>(r.words[2].w);
}

// Sums are modulo 2^32; those of rectangles fit.
template <CascadeForm form>
__device__ __forceinline__ float feature_of(const CascadeRecord& r, const unsigned* window) {
    const auto at = [&](int i) { return window[place_of(r, i)]; };
    const auto rectangle = [&](int i) {
        return static_cast<float>(static_cast<int>(at(i) - at(i + 1) - at(i + 2) + at(i + 3)));
    };
    if constexpr (form == CascadeForm::edge) {
        return static_cast<float>(static_cast<int>(at(0) - at(1) + at(2) - at(3) + 2 * (at(4) - at(5))));
    } else if constexpr (form == CascadeForm::line) {
        return __uint_as_float(r.words[2].y) * rectangle(4) - rectangle(0);
    } else if constexpr (form == CascadeForm::cross || form == CascadeForm::minus_cross) {
        const unsigned sum = at(0) + at(1) + at(2) + at(3) - 2 * (at(4) + at(5) + at(6) + at(7)) + 4 * at(8);
        return static_cast<float>(static_cast<int>(form == CascadeForm::cross ? sum : 0u - sum));
    } else {
        float sum = __uint_as_float(r.words[2].x) * rectangle(0) + __uint_as_float(r.words[2].y) * rectangle(4);
        if constexpr (form == CascadeForm::three) sum += __uint_as_float(r.words[2].z) * rectangle(8);
        return sum;
    }
}

// Calls body with the form as a constant.
template <class Body>
__device__ __forceinline__ void with_form(CascadeForm form, const Body& body) {
    switch (form) {
        case CascadeForm::edge:
            return body(std::integral_constant<CascadeForm, CascadeForm::edge>());
        case CascadeForm::line:
            return body(std::integral_constant<CascadeForm, CascadeForm::line>());
        case CascadeForm::cross:
            return body(std::integral_constant<CascadeForm, CascadeForm::cross>());
        case CascadeForm::minus_cross:
            return body(std::integral_constant<CascadeForm, CascadeForm::minus_cross>());
        case CascadeForm::two:
            return body(std::integral_constant<CascadeForm, CascadeForm::two>());
        case CascadeForm::three:
            return body(std::integral_constant<CascadeForm, CascadeForm::three>());
    }
}

__device__ __forceinline__ bool goes_left(const CascadeRecord& record, const unsigned* window, float norm) {
    bool left = false;
    with_form(form_of(record), [&](auto form) {
        left = feature_of<decltype(form)::value>(record, window) * norm < threshold_of(record);
    });
    return left;
}

__device__ __forceinline__ bool goes_left(const CascadeHaarNode& node, const unsigned* window, float norm) {
    const auto rectangle = [&](int i) {
        return static_cast<float>(static_cast<int>(window[node.place[i]] - window[node.place[i + 1]] -
                                                   window[node.place[i + 2]] + window[node.place[i + 3]]));
    };
    float sum = node.weight[0] * rectangle(0) + node.weight[1] * rectangle(4);
    if (node.weight[2] != 0) sum += node.weight[2] * rectangle(8);
    return sum * norm < node.threshold;
}

// The blocks round the middle one, clockwise from the left upper one, set bits from the highest down when their sums
// are not below the middle one's.
__device__ __forceinline__ bool goes_left(const CascadeLbpNode& node, const unsigned* window, float) {
    unsigned sum[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) sum[i] = window[node.place[i]];
    const auto block = [&](int i) { return static_cast<int>(sum[i] - sum[i + 1] - sum[i + 4] + sum[i + 5]); };
    const int middle = block(5);
    unsigned code = 0;
    const auto add = [&](int corner) { code = code << 1 | (block(corner) >= middle ? 1u : 0u); };
    add(0), add(1), add(2), add(6), add(10), add(9), add(8), add(4);
    return (node.subset[code >> 5] >> (code & 31) & 1) != 0;
}

// The leaf of a tree that a window ends in.
template <class Node>
__device__ __forceinline__ std::uint32_t leaf_of(const Node* nodes, const CascadeTree& tree, const unsigned* window,
                                                 float norm) {
    int node = 0;
    do {
        const Node& at = nodes[tree.first_node + static_cast<unsigned>(node)];
        node = goes_left(at, window, norm) ? at.left : at.right;
    } while (node > 0);
    return tree.first_leaf + static_cast<unsigned>(-node);
}

template <CascadeKind kind>
__device__ __forceinline__ auto nodes_of(const CascadeProgram& program) {
    if constexpr (kind == CascadeKind::lbp)
        return program.lbp;
    else
        return program.haar;
}

// What one tree adds to the whole sum; a stump's part that every window has is in stage.start.
template <CascadeKind kind>
__device__ __forceinline__ int tree_value(const CascadeProgram& program, std::uint32_t tree, const unsigned* window,
                                          float norm) {
    if constexpr (kind == CascadeKind::stumps) {
        const CascadeRecord record = record_of(program.stumps + tree);
        return goes_left(record, window, norm) ? gain_of(record) : 0;
    } else {
        return program.whole_leaves[leaf_of(nodes_of<kind>(program), program.trees[tree], window, norm)];
    }
}

// What a stage sums up to, added as OpenCV adds.
template <CascadeKind kind>
__device__ __noinline__ double exact_sum(const CascadeProgram& program, const CascadeStage& stage,
                                         const unsigned* window, float norm) {
    double sum = 0;
    for (std::uint32_t tree = stage.first_tree; tree < stage.first_tree + stage.trees; ++tree) {
        std::uint32_t leaf;
        if constexpr (kind == CascadeKind::stumps)
            leaf = 2 * tree + (goes_left(record_of(program.stumps + tree), window, norm) ? 0u : 1u);
        else
            leaf = leaf_of(nodes_of<kind>(program), program.trees[tree], window, norm);
        sum += static_cast<double>(program.leaves[leaf]);
    }
    return sum;
}

template <CascadeKind kind>
__device__ __forceinline__ bool passes(const CascadeProgram& program, const CascadeStage& stage, int sum,
                                       const unsigned* window, float norm) {
    if (sum < stage.doubt) return false;
    if (sum >= stage.sure) return true;
    return !(exact_sum<kind>(program, stage, window, norm) < static_cast<double>(stage.threshold));
}

// The whole sums of `count` windows a lane; what is known of a tree is fetched once for all. `stumps`: those of the
// program, or a copy in shared memory.
template <CascadeKind kind, int count>
__device__ __forceinline__ void add_stage(const CascadeProgram& program, const CascadeStump* stumps,
                                          const CascadeStage& stage, const unsigned* const (&window)[count],
                                          const float (&norm)[count], int (&sum)[count]) {
#pragma unroll
    for (int k = 0; k < count; ++k) sum[k] = stage.start;
    if constexpr (kind == CascadeKind::stumps) {
        if (stage.trees == 0) return;
        const CascadeStump* stump = stumps + stage.first_tree;
        // The next record is on its way while a stump is worked on.
        CascadeRecord next = record_of(stump);
        for (std::uint32_t left = stage.trees; left != 0; --left) {
            const CascadeRecord record = next;
            if (left > 1) next = record_of(++stump);
            const float threshold = threshold_of(record);
            const int gain = gain_of(record);
            with_form(form_of(record), [&](auto form) {
#pragma unroll
                for (int k = 0; k < count; ++k)
                    if (feature_of<decltype(form)::value>(record, window[k]) * norm[k] < threshold) sum[k] += gain;
            });
        }
    } else {
        for (std::uint32_t tree = stage.first_tree; tree < stage.first_tree + stage.trees; ++tree)
#pragma unroll
            for (int k = 0; k < count; ++k) sum[k] += tree_value<kind>(program, tree, window[k], norm[k]);
    }
}

}  // namespace vedette::cuda
