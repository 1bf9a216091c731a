// Kernels of cascade_detect. A strip of a scaled image is summed into rows of an integral image, and all windows of a
// few of its rows are then classified together.
//
// Rows of sums. Windows stand `step` pixels apart, 1 or 2. With step 2 the columns of a row of sums lie apart: even
// ones first, odd ones from `half` on; so window x finds any corner (dx, dy) at one constant distance from the sum at
// index x of its first row, whatever the step, and neighbouring windows read neighbouring sums. Sums are modulo 2^32.
#pragma once

#include <cstdint>

namespace vedette::cpu {

// How a column of a scaled image comes from two of the source, cv::INTER_LINEAR_EXACT.
struct CascadeColumns {
    const std::int32_t* first;     // of the two source columns, for each column
    const std::uint32_t* weights;  // of the two, 256 in all: the first in the low half
    // NULL, or for each four columns (from a multiple of four on) the bytes of eight 16-bit source pixels that they
    // take: possible where four columns span at most eight source columns.
    const std::uint8_t* bytes;
};

// A Haar feature as OpenCV computes it: sum over rectangles of weight * (a - b - c + d), each rounded to float.
struct CascadeHaarNode {
    std::int32_t corner[3][4];
    float weight[3];  // 0 in the third place: two rectangles
    float threshold;
};

// Ways to compute a feature, in fewer steps where rectangles share corners and sums are small enough to be exact.
enum class CascadeShape : std::uint32_t {
    edge,         // corner 0 - 1 + 2 - 3 + 2 * (4 - 5)
    line,         // weight[1] * (4 - 5 - 6 + 7) - (0 - 1 - 2 + 3)
    cross,        // 0 + 1 + 2 + 3 - 2 * (4 + 5 + 6 + 7) + 4 * 8
    minus_cross,  // its negative
    two,          // weight[0] * (0 - 1 - 2 + 3) + weight[1] * (4 - 5 - 6 + 7)
    three         // the same with weight[2] * (8 - 9 - 10 + 11)
};

// A tree of one node: adds `gain` to the stage's sum when the feature is below the threshold.
struct CascadeStump {
    CascadeShape shape;
    float threshold;
    std::int32_t gain;
    float weight[3];
    std::int32_t corner[12];
};

struct CascadeLbpNode {
    std::int32_t corner[16];  // of the three by three blocks, row by row
    std::uint32_t subset[8];
};

struct CascadeBranch {
    std::int32_t left, right;  // as Node
};

struct CascadeTree {
    std::uint32_t first_node, nodes, first_leaf;
};

// Leaves are added up in whole numbers, which neither rounds nor depends on the order; only where such a sum is too
// near the threshold to be sure is the stage evaluated as OpenCV does it, in double.
struct CascadeStage {
    std::uint32_t first_tree, trees;
    float threshold;
    std::int32_t start;  // what sums begin with
    std::int32_t sure;   // sums from here on pass
    std::int32_t doubt;  // sums below fail
};

enum class CascadeKind : std::uint32_t { haar_stumps, haar_trees, lbp };

// A classifier for rows of sums of one layout.
struct CascadeProgram {
    CascadeKind kind;
    std::uint32_t stage_count;
    const CascadeStage* stages;
    const CascadeStump* stumps;  // of haar_stumps: one for each tree
    const CascadeTree* trees;
    const CascadeBranch* branches;  // for each node
    const CascadeHaarNode* haar;
    const CascadeLbpNode* lbp;
    const float* leaves;
    const std::int32_t* whole_leaves;
    // Haar windows are normalised by 1 / sqrt(norm_area * sum of squares - sum^2), the window's border left out; those
    // with a norm of norm_limit or more are flat and not classified.
    std::int32_t norm_corner[4];
    double norm_area;
    float norm_limit;
};

constexpr std::uint32_t cascade_most_rows = 16;      // of windows, classified together
constexpr std::uint32_t cascade_most_columns = 256;  // of windows; a multiple of 64
constexpr std::uint32_t cascade_mask_words = cascade_most_columns / 64 + 1;
constexpr std::uint32_t cascade_slack = 32;  // elements that are read beyond the last one needed
constexpr std::uint32_t cascade_norm_pitch = cascade_most_columns + cascade_slack;

// `lanes` windows of a row from x on, some of which are still candidates.
struct CascadeVector {
    std::uint16_t row, x;
};

// Windows to classify, and what the kernel works with. Bit x % 64 of word x / 64 of a row stands for window x.
struct CascadeWindows {
    const std::int32_t* sums;  // first sum of window (0, 0)
    std::int64_t sum_pitch;    // elements from a row of windows to the next
    std::uint32_t rows, columns;
    std::uint8_t* skip;  // for each row: whether the first window is skipped; on return, that of the next strip
    std::uint64_t (*passed)[cascade_mask_words];  // out: windows that passed all stages
    std::uint64_t (*scratch)[cascade_mask_words];
    float (*norm)[cascade_norm_pitch];  // Haar
    CascadeVector* vectors;             // room for cascade_most_rows * cascade_most_columns
    const std::uint32_t* squares;       // Haar: window x of row y has the sum of squares
    std::int64_t squares_pitch;         //   squares[y * pitch + last + x] - squares[y * pitch + first + x]
    std::int32_t squares_first, squares_last;
};

struct CascadeKernels {
    // out[x] = a[x] * (256 - weight) + b[x] * weight, kept with its highest bit inverted. Rows have slack to `count`
    // rounded up to 32; a and b are read to `count` only.
    void (*blend)(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t weight, std::uint32_t count,
                  std::uint16_t* out);
    // Columns [begin, begin + count) of the scaled image, rounded to bytes; begin is a multiple of 4, and count is
    // rounded up to 16. row[0] is the source column `offset`.
    void (*resample)(const std::uint16_t* row, std::int32_t offset, const CascadeColumns& columns, std::uint32_t begin,
                     std::uint32_t count, std::uint8_t* out);

    // out = above + sums of row[0 .. x) for x = 0 .. count; count is rounded up to 32.
    void (*integrate)(const std::uint8_t* row, std::uint32_t count, const std::int32_t* above, std::int32_t* out);
    void (*integrate_halves)(const std::uint8_t* row, std::uint32_t count, std::uint32_t half,
                             const std::int32_t* above, std::int32_t* out);
    // The next row of the sums tilted by 45 degrees (half 0: columns lie together). `prefix`, `falling`, `rising` have
    // count + 2 elements; falling and rising belong to the row above on entry and to this one on return.
    void (*integrate_tilted)(const std::uint8_t* row, std::uint32_t count, std::uint32_t half, std::uint32_t* prefix,
                             std::uint32_t* falling, std::uint32_t* rising, std::int32_t* out);
    // columns[x] += new_row[x]^2 - old_row[x]^2, count rounded up to 32; old_row may be NULL.
    void (*move_squares)(const std::uint8_t* new_row, const std::uint8_t* old_row, std::uint32_t count,
                         std::uint32_t* columns);
    // out[x] = sum of columns[0 .. x) for x = 0 .. count, as rows of sums lie; half 0: together.
    void (*sum_squares)(const std::uint32_t* columns, std::uint32_t count, std::uint32_t half, std::uint32_t* out);

    void (*classify)(const CascadeProgram& program, const CascadeWindows& windows);
    // What the last stage sums up to for a window, in double as OpenCV adds.
    double (*score)(const CascadeProgram& program, const std::int32_t* window, float norm);
};

}  // namespace vedette::cpu
