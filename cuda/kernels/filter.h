// filter: correlation with a line across and one down, or with a matrix. Formulas: filter in vedette/plugin/ops.h.
//
// Two ways [sources: the caching criterion of Kapustin's thesis]: tile, where a block keeps the pixels that its results
// stand on in shared memory, and direct, where every result reads all pixels through the caches; lines are then two
// kernels with a whole image of sums between them. Short symmetric lines of one element a pixel need no shared memory
// to be kept: a strip of the image passes through the registers of a warp.
#pragma once

#include "kernels/convert.h"
#include "runtime/device.h"

namespace vedette::cuda {

enum class FilterKind : std::uint8_t {
    lines,        // single precision, across first
    fixed_lines,  // bytes in fixed point, down first
    matrix        // single precision
};

inline constexpr int filter_weight_bits = 15;  // of fixed_lines
inline constexpr int filter_word_bits = 6;     // behind the point, of what lies between the two directions
inline constexpr int most_known_taps = 15;     // of lines whose sums are made from registers

// `weight`: in device memory, taps of them; as whole numbers of 2^-filter_weight_bits for fixed_lines. `known`: the
// same again on the host's side where they are few; kernels find them in constant memory.
struct FilterLine {
    std::int32_t taps = 1;
    bool symmetric = false;
    const void* weight = nullptr;
    union {
        float real[most_known_taps];
        std::int32_t fixed[most_known_taps];
    } known = {};
};

// Elements that are filtered alike: all channels of interleaved pixels, or one channel of each.
struct FilterGroup {
    View<const std::byte> in;  // width in pixels
    View<std::byte> out;
    std::int32_t in_first = 0, in_step = 1;  // element k of a row is the in_first + k * in_step-th in memory
    std::int32_t out_first = 0, out_step = 1;
};

struct FilterJob {
    FilterKind kind = FilterKind::lines;
    Depth in_depth = Depth::bits8, out_depth = Depth::bits8;  // equal, or the output is real
    std::int32_t width = 0, height = 0;                       // pixels
    std::int32_t elements = 1;                                // of a pixel in a group
    std::int32_t groups = 1;
    bool apart = false;  // a row's elements of a group do not lie side by side in memory, coming or going
    std::int32_t kernel_width = 1, kernel_height = 1;
    std::int32_t anchor_x = 0, anchor_y = 0;
    float border_value = 0, delta = 0;
    // What stands at -anchor_x ... width + kernel_width - anchor_x - 2, and the same down: the pixel, or -1 for
    // border_value. In device memory.
    const std::int32_t* columns = nullptr;
    const std::int32_t* rows = nullptr;
    FilterLine across, down;        // unless kind is matrix
    const float* matrix = nullptr;  // kernel_height rows of kernel_width, in device memory
};

struct FilterGroups {
    FilterGroup group[3];
};

// The results of a block.
struct FilterTile {
    std::int32_t pixels = 0, rows = 0;  // 0: the pixels under no tile fit
    std::size_t shared_bytes = 0;
};

// The tile for a block that may have `shared_limit` bytes of shared memory. Reads kind, elements and the kernel's
// sides.
FilterTile filter_tile(const FilterJob& job, std::size_t shared_limit) noexcept;

// Must be called once on a device before filter_by_tiles of the same kind, depths and tile.
void allow_filter_tiles(const FilterJob& job, const FilterTile& tile);
void filter_by_tiles(const FilterJob& job, const FilterTile& tile, const FilterGroups& groups, cudaStream_t stream);

// Rows of a warp's strip on the current device; 0: strips do not serve the job. Does not read what lies in device
// memory.
std::int32_t filter_strip_rows(const DeviceLimits& limits, const FilterJob& job);
// Pixels of a strip's rows that are results, where strips serve; 32 lanes load four pixels each.
std::int32_t filter_strip_width(const FilterJob& job) noexcept;
void filter_by_strips(const FilterJob& job, std::int32_t rows, const FilterGroups& groups, cudaStream_t stream);

// Bytes of scratch of the direct way; 0 for a matrix.
std::size_t filter_direct_scratch(const FilterJob& job) noexcept;
void filter_directly(const FilterJob& job, const FilterGroups& groups, std::byte* scratch, cudaStream_t stream);

}  // namespace vedette::cuda
