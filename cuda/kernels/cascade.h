// Searches an image with a boosted cascade: cv::CascadeClassifier::detectMultiScale, the same windows and weights.
//
// All scaled images are made from the source in one kernel. The second takes tiles of windows: a block sums the pixels
// under its tile up in shared memory and takes its windows through the stages. The third drops those that OpenCV would
// have skipped. How: cascade.cu, cascade_tile.cuh, cascade_classify.cuh.
#pragma once

#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

enum class CascadeKind : std::uint8_t { stumps /* Haar, trees of one node */, trees /* Haar */, lbp };

// Ways to compute a feature; the numbers are those of vedette::cascade::FormKind.
enum class CascadeForm : std::uint32_t { edge = 0, line = 1, cross = 2, minus_cross = 3, two = 4, three = 5 };

// Places are distances in the tile's table of sums from the window's left top corner: 16 bits are enough for a table
// that fits into shared memory.
//
// A tree of one node: adds `gain` to the stage's sum when feature * norm is below the threshold.
struct alignas(16) CascadeStump {
    std::uint16_t place[12];
    float threshold;
    std::int32_t gain;
    float weight[3];
    CascadeForm form;
};
static_assert(sizeof(CascadeStump) == 48);

// A node of a larger tree. A child above 0 is a later node of the tree; 0 and below is leaf -child.
struct alignas(16) CascadeHaarNode {
    std::uint16_t place[12];  // 0 - 1 - 2 + 3 of each rectangle
    float weight[3];          // 0 in the third place: two rectangles
    float threshold;
    std::int16_t left, right;
    std::uint32_t padding;
};
static_assert(sizeof(CascadeHaarNode) == 48);

struct alignas(16) CascadeLbpNode {
    std::uint16_t place[16];  // corners of the three by three blocks, row by row
    std::uint32_t subset[8];
    std::int16_t left, right;
    std::uint32_t padding[3];
};
static_assert(sizeof(CascadeLbpNode) == 80);

struct CascadeTree {
    std::uint32_t first_node, first_leaf;
};

struct CascadeStage {
    std::uint32_t first_tree, trees;
    std::int32_t start;  // what whole sums begin with
    std::int32_t sure;   // sums from here on pass
    std::int32_t doubt;  // sums below fail; between them OpenCV's sum in double decides
    float threshold;
};

// A classifier for tables of one layout, in device memory.
struct CascadeProgram {
    const CascadeStump* stumps;  // of CascadeKind::stumps, one a tree
    const CascadeHaarNode* haar;
    const CascadeLbpNode* lbp;
    const CascadeTree* trees;  // of the other kinds
    const CascadeStage* stages;
    const std::int32_t* whole_leaves;  // of trees
    const float* leaves;               // stumps: left and right of each
    std::uint32_t stage_count;
    std::uint32_t cached_stumps;  // so many of the first are kept in shared memory
};

// How the tiles of levels of one step (1 or 2 pixels between windows) lie in shared memory. Windows whose place in the
// table is the same modulo 32 are taken by the same lane.
struct CascadeLayout {
    std::int32_t step;
    std::int32_t columns, rows;              // windows of a tile; columns is 16, 32, 64 or 128
    std::int32_t pixel_width, pixel_height;  // under them
    std::int32_t pitch;                      // of the table; odd
    std::int32_t half;                       // where odd columns begin, with step 2
    std::int32_t tilted;                     // from the sums to the tilted sums, 0 without
    std::int32_t bank_windows;               // the most windows that a lane has
    std::int32_t norm_place[4];              // inner corners of a window
    // Bytes from the beginning of shared memory.
    std::uint32_t norm_at, lists_at, bitmap_at, stumps_at, bytes;

    std::int32_t place(std::int32_t x, std::int32_t y) const {
        return y * pitch + (step == 1 ? x : (x & 1) * half + (x >> 1));
    }
};

// A layout whose table, lists and `cached_stumps` fit a block of the device, with two blocks a multiprocessor where
// that is possible; `bytes` is 0 when none fits.
CascadeLayout cascade_layout(const DeviceLimits& limits, std::int32_t step, std::int32_t window_width,
                             std::int32_t window_height, bool tilted, std::uint32_t cached_stumps);

// One scaled image and its windows.
struct CascadeLevel {
    const std::int32_t* column;  // of the source, for each column of the level; NULL: the level is the source
    const std::int32_t* row;
    const std::uint16_t* column_weight;  // of the column or row after it, in 1/256
    const std::uint16_t* row_weight;
    std::uint8_t* pixels;  // rows of `pitch` bytes
    std::size_t pitch;
    std::int32_t width, height;
    std::int32_t columns, rows;  // of windows
    std::int32_t step;
    std::int32_t tiles_across;
    std::uint32_t first_tile;   // of all levels of the batch
    std::uint32_t first_block;  // of the kernel that makes the scaled images
};

// A window that passed all stages.
struct CascadeWindow {
    double score;  // what the last stage sums up to
    std::uint32_t level;
    std::uint32_t column, row;  // among the level's windows
    std::uint32_t padding;
};

// What lanes did in a stage: a stump, or a tree, for a window each.
struct CascadeCounts {
    unsigned long long issued;  // places of warps that ran
    unsigned long long needed;  // places that had a window to decide
};

enum class CascadeVariant : std::uint8_t {
    compacted,  // survivors of each stage are gathered, so that lanes stay busy
    straight    // a lane takes a window through all stages
};

// Levels that are searched together; their scaled images are in memory at once.
struct CascadeBatch {
    View<const std::uint8_t> source;
    const CascadeLevel* levels;  // device memory
    std::uint32_t level_count;
    std::uint32_t first_level;    // number of the first one, for the result
    std::uint32_t tiles, blocks;  // of both kernels
    CascadeKind kind;
    CascadeVariant variant;
    CascadeLayout layout[2];  // by step
    CascadeProgram program[2];
    std::int32_t window_width, window_height;
    double norm_area;
    float norm_limit;
    unsigned* bitmap;        // of windows that the first stage does not reject, words of each tile together
    CascadeWindow* windows;  // found, in any order
    unsigned* found;         // how many; may exceed `capacity`. Zero before the batch
    unsigned capacity;
    CascadeWindow* kept;  // memory that host and device reach, `kept_capacity` windows; in any order
    unsigned* kept_count;
    unsigned kept_capacity;
    CascadeCounts* counts;  // one for each stage; NULL: not counted
};

// Pixels of a level that a block of the first kernel makes.
inline constexpr std::int32_t cascade_block_width = 128;
inline constexpr std::int32_t cascade_block_height = 32;

// Lets the kernels have their shared memory; when a plan is made.
void prepare_cascade(const CascadeBatch& batch);
void run_cascade(const CascadeBatch& batch, cudaStream_t stream);

}  // namespace vedette::cuda
