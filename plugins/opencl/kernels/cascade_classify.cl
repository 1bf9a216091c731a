// Features and stages of a cascade, from tables of sums in global memory.
//
// KIND: 0 Haar features, trees of one node each; 1 Haar features in trees; 2 local binary patterns in trees.
//
// Values are decided as OpenCV decides them: a feature in float, times the window's norm, against a threshold. Leaves
// are added up in whole numbers, in any order; only where such a sum is too near the stage's threshold to be sure are
// they added in double, in OpenCV's order.
#include "image.cl"
#include "soft_root.cl"

// Places are distances in the tables from the window's left top corner.
#if KIND == 0
// A tree of one node: adds `gain` to the stage's sum when feature * norm is below the threshold.
typedef struct {
    int place[12];
    float weight[3];
    float threshold;
    int gain;
    uint form;
} Node;
#elif KIND == 1
// A child above 0 is a later node of the tree; 0 and below is leaf -child.
typedef struct {
    int place[12];    // 0 - 1 - 2 + 3 of each rectangle
    float weight[3];  // 0 in the third place: two rectangles
    float threshold;
    int left, right;
} Node;
#else
typedef struct {
    int place[16];  // corners of the three by three blocks, row by row
    uint subset[8];
    int left, right;
} Node;
#endif

typedef struct {
    uint first_node, first_leaf;
} Tree;

typedef struct {
    uint first_tree, trees;
    int start;  // what whole sums begin with
    int sure;   // sums from here on pass
    int doubt;  // sums below fail; between them OpenCV's sum in double decides
    float threshold;
} Stage;

// A classifier as arguments of kernels and functions; `leaves` of trees of one node: left and right of each.
#define CLASSIFIER_PARAMETERS                                                                        \
    __global const Stage *restrict stages, __global const Node *restrict nodes,                      \
        __global const Tree *restrict trees, __global const int *restrict whole_leaves,              \
        __global const float *restrict leaves
#define CLASSIFIER stages, nodes, trees, whole_leaves, leaves

#ifdef VDT_DOUBLES
#define REAL double
#define REAL_OF(value) ((double)(value))
#define REAL_ADD(a, b) ((a) + (b))
#define REAL_LESS(a, b) ((a) < (b))
#define REAL_BITS(a) as_ulong(a)
#else
#define REAL ulong
#define REAL_OF(value) soft_double(value)
#define REAL_ADD(a, b) soft_add(a, b)
#define REAL_LESS(a, b) soft_less(a, b)
#define REAL_BITS(a) (a)
#endif

// Sums are modulo 2^32; those of rectangles fit.
#define AT(i) window[node->place[i]]
#define RECTANGLE(i) ((float)(int)(AT(i) - AT((i) + 1) - AT((i) + 2) + AT((i) + 3)))

#if KIND == 0
// The numbers of vedette::cascade::FormKind.
inline float feature_of(__global const Node *node, __global const uint *window) {
    switch (node->form) {
        case 0:
            return (float)(int)(AT(0) - AT(1) + AT(2) - AT(3) + 2 * (AT(4) - AT(5)));
        case 1:
            return node->weight[1] * RECTANGLE(4) - RECTANGLE(0);
        case 2:
        case 3: {
            const uint sum = AT(0) + AT(1) + AT(2) + AT(3) - 2 * (AT(4) + AT(5) + AT(6) + AT(7)) + 4 * AT(8);
            return (float)(int)(node->form == 2 ? sum : 0u - sum);
        }
        default: {
            float sum = node->weight[0] * RECTANGLE(0) + node->weight[1] * RECTANGLE(4);
            if (node->form == 5) sum += node->weight[2] * RECTANGLE(8);
            return sum;
        }
    }
}
#elif KIND == 1
inline float feature_of(__global const Node *node, __global const uint *window) {
    float sum = node->weight[0] * RECTANGLE(0) + node->weight[1] * RECTANGLE(4);
    if (node->weight[2] != 0) sum += node->weight[2] * RECTANGLE(8);
    return sum;
}
#endif

inline bool goes_left(__global const Node *node, __global const uint *window, float norm) {
#if KIND == 2
    // The blocks round the middle one, clockwise from the left upper one, set bits from the highest down when their
    // sums are not below the middle one's.
#define BLOCK(i) ((int)(AT(i) - AT((i) + 1) - AT((i) + 4) + AT((i) + 5)))
    const int middle = BLOCK(5);
    const uint code = (BLOCK(0) >= middle ? 128u : 0u) | (BLOCK(1) >= middle ? 64u : 0u) |
                      (BLOCK(2) >= middle ? 32u : 0u) | (BLOCK(6) >= middle ? 16u : 0u) |
                      (BLOCK(10) >= middle ? 8u : 0u) | (BLOCK(9) >= middle ? 4u : 0u) |
                      (BLOCK(8) >= middle ? 2u : 0u) | (BLOCK(4) >= middle ? 1u : 0u);
    return (node->subset[code >> 5] >> (code & 31) & 1) != 0;
#else
    return feature_of(node, window) * norm < node->threshold;
#endif
}

// The leaf that a window ends in.
inline uint leaf_of(CLASSIFIER_PARAMETERS, uint tree, __global const uint *window, float norm) {
#if KIND == 0
    return 2 * tree + (goes_left(nodes + tree, window, norm) ? 0u : 1u);
#else
    const Tree at = trees[tree];
    int node = 0;
    do {
        __global const Node *here = nodes + at.first_node + node;
        node = goes_left(here, window, norm) ? here->left : here->right;
    } while (node > 0);
    return at.first_leaf + (uint)(-node);
#endif
}

// What one tree adds to the whole sum; a stump's part that every window has is in stage.start.
inline int tree_value(CLASSIFIER_PARAMETERS, uint tree, __global const uint *window, float norm) {
#if KIND == 0
    return goes_left(nodes + tree, window, norm) ? nodes[tree].gain : 0;
#else
    return whole_leaves[leaf_of(CLASSIFIER, tree, window, norm)];
#endif
}

// What a stage sums up to, added as OpenCV adds.
inline REAL exact_sum(CLASSIFIER_PARAMETERS, Stage stage, __global const uint *window, float norm) {
    REAL sum = 0;
    for (uint tree = stage.first_tree; tree < stage.first_tree + stage.trees; ++tree)
        sum = REAL_ADD(sum, REAL_OF(leaves[leaf_of(CLASSIFIER, tree, window, norm)]));
    return sum;
}

// `sum`: the whole one.
inline bool passes(CLASSIFIER_PARAMETERS, Stage stage, int sum, __global const uint *window, float norm) {
    if (sum < stage.doubt) return false;
    if (sum >= stage.sure) return true;
    return !REAL_LESS(exact_sum(CLASSIFIER, stage, window, norm), REAL_OF(stage.threshold));
}

// Stages `first` to `last` - 1, until one rejects the window.
inline bool passes_stages(CLASSIFIER_PARAMETERS, uint first, uint last, __global const uint *window, float norm) {
    for (uint number = first; number < last; ++number) {
        const Stage stage = stages[number];
        int sum = stage.start;
        for (uint tree = stage.first_tree; tree < stage.first_tree + stage.trees; ++tree)
            sum += tree_value(CLASSIFIER, tree, window, norm);
        if (!passes(CLASSIFIER, stage, sum, window, norm)) return false;
    }
    return true;
}

// 1 / sqrt(area * squares - sum^2), rounded as if each step of it were done in double and the last one to float; 0 for
// windows that OpenCV calls flat: the square is below `least`. Both are bits of doubles.
inline float norm_of(uint sum, uint squares, ulong area, ulong least) {
#ifdef VDT_DOUBLES
    const double whole = (double)(int)sum;
    const double square = as_double(area) * (double)squares - whole * whole;
    return square >= as_double(least) ? (float)(1 / sqrt(square)) : 0.0f;
#else
    const ulong whole = soft_whole(abs((int)sum));
    const ulong square = soft_add(soft_multiply(area, soft_whole(squares)), soft_multiply(whole, whole) ^ SOFT_SIGN);
    return soft_less(square, least) ? 0.0f : soft_to_float(soft_reciprocal(soft_root(square)));
#endif
}
