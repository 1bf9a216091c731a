// The search's inner loops, compiled once per instruction set. All pixels enter as I - 128, so that sums are small:
// with channels * w * h < 2^17 (see max_area) every integer below fits its type. Of larger windows, up to
// max_pruned_area, only sums of squares do not: they are given modulo 2^32, with their highest bits beside them.
//
// Buffers are given with `pad` readable (outputs: writable) elements beyond the count a call names; what lies there is
// meaningless. Nothing here allocates, locks or throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../op.h"

namespace vedette::cpu::find {

// Largest channels * width * height of a pattern for the 32-bit kernels: 2^14 * area < 2^31.
constexpr std::int64_t max_area = (std::int64_t{1} << 17) - 1;
// The same for the bound test: 2^7 * area < 2^31. Columns have less than max_area pixels.
constexpr std::int64_t max_pruned_area = (std::int64_t{1} << 24) - 1;
constexpr int max_channels = 3;
// Elements that kernels may touch beyond a count: one group of positions of the widest instruction set.
constexpr int pad = 128;

// One image row enters, one leaves: column sums of the last h rows and of their squares (all channels together).
struct ColumnStep {
    int count;
    int channels;
    const std::uint8_t* enter[max_channels];
    const std::uint8_t* leave[max_channels];  // h rows earlier, or a row of 128
    const std::uint8_t* ahead[max_channels];  // a row that enters soon, to be fetched into the cache
    std::int32_t* sum[max_channels];
    std::int32_t* square;
};

// The same for blocks: column sums of the last block_h rows and the squares of the last 2 block_h rows.
struct BlockStep {
    int count;
    int channels;
    const std::uint8_t* enter[max_channels];
    const std::uint8_t* leave[max_channels];       // block_h rows earlier, or a row of 128
    const std::uint8_t* pair_leave[max_channels];  // 2 block_h rows earlier, or a row of 128
    std::int16_t* sum[max_channels];
    std::int32_t* pair_square;  // NULL = not wanted
};

// Sums over windows of `width` columns: window[x] = sum of column[x .. x + width - 1], modulo 2^32. column[-1] is
// readable.
struct WindowSum {
    int count;
    int width;
    const std::int32_t* column;
    std::int32_t* window;
    // Each column's sum, which is not negative then, is shifted right by so many bits first.
    int shift = 0;
};

// One row of block sums (block_w wide), paired with the row block_h above: pair[x] = (upper, lower) as 16-bit halves;
// norm[x] = norm of what is left of the pair's pixels without their block means, all channels together: the root of
// sum I^2 - (upper^2 + lower^2) / block area, times the root of the block area and of 2^-shift, within sqrt_slack of
// it or rounded up by the shift.
struct BlockRow {
    int count;  // positions x
    int channels;
    int block_w, blocks_x;
    int shift;  // of squares, so that they fit: 2^-shift * channels * 2 * 127.5^2 * block area^2 < 2^31
    const std::int16_t* column[max_channels];
    std::int16_t* row[max_channels];          // out: block sums, count + (blocks_x - 1) * block_w
    const std::int16_t* upper[max_channels];  // row, block_h rows earlier; NULL = no pairs yet
    std::int32_t* pair[max_channels];         // out
    const std::int32_t* square;               // of a pair's pixels at x, count + (blocks_x - 1) * block_w
    std::int32_t block_area;                  // for norm
    float* norm;                              // out, NULL = not wanted
    std::int32_t* scratch;                    // count + (blocks_x - 1) * block_w, twice
};

struct Survivor {
    std::int32_t x;
    float need;  // what the detail inside the blocks must add at least, or the window is no hit
};

// The bound test of a row of windows; the meaning of the terms is in bound.h.
struct TestRow {
    int count;
    int channels;
    const std::int32_t* sum[max_channels];
    const std::int32_t* square;
    int pair_rows;  // rows of block pairs in a window
    int block_w, blocks_x;
    const std::int32_t* const* pair;              // channels * pair_rows rows
    const float* const* norm;                     // pair_rows rows
    const std::int32_t* inner_sum[max_channels];  // over all blocks
    const std::int32_t* inner_square;             // NULL = the blocks cover the window
    // Of squares that exceed 32 bits, else NULL: at most the square divided by high_unit, and short of it by less than
    // the window's width.
    const std::int32_t* square_high;
    const std::int32_t* inner_square_high;
    float high_unit;
    const std::int32_t* coefficient;  // channels * pair_rows * blocks_x pairs of 16-bit halves
    const float* cell;                // pair_rows * blocks_x factors of the norms
    std::int32_t area;                // of a window, one channel
    float inverse_area, inverse_outer;
    float scale;                                     // of the coefficients
    float inner[max_channels], outer[max_channels];  // weights of the sums inside and outside the blocks
    float slack;                                     // absolute
    float residual, outer_residual,
        limit;  // norms of the pattern's detail in and outside the blocks; the score's limit
};

// correlation[x] = sum over channels, pair rows j, blocks i of pair[j][x + i block_w] . coefficient[j][i] (pairs of 16
// bits).
struct CorrelateRow {
    int count;
    int channels;
    int pair_rows, block_w, blocks_x;
    const std::int32_t* const* pair;
    const std::int32_t* coefficient;
    std::int32_t* correlation;
};

// Packs packed_rows image rows, from row[0] downwards: packed[x] holds their pixels at x, the first lowest, each in 32
// / packed_rows bits.
struct PackRows {
    int count;
    const std::uint8_t* row[4];
    std::int32_t* packed;
};

// difference[x] = packed[x] - later[x], 16 bits at a time.
struct PackedDifference {
    int count;
    const std::int32_t* packed;
    const std::int32_t* later;
    std::int32_t* difference;
};

// out[o][x] = sum over channels, groups j, columns i of packed[channel][o + j][x + i] . coefficient[channel][j][i]
// (values of a dword against signed coefficients of as many bits), less `offset`, plus add[0][o][x] and add[1][o][x],
// modulo 2^32. Values are pixels, or with 16 bits each signed numbers, too.
struct CorrelateRows {
    int count;
    int outputs;  // o, at most 4
    int channels;
    int w, groups;
    const std::int32_t* const* packed;  // [channel * (groups + outputs - 1) + row]
    const std::int32_t* coefficient;
    std::int32_t offset;
    const std::int32_t* const* add[2];  // either may be NULL; a row added may be the one written
    std::int32_t* const* out;
};

// The bound test under a mask; the terms: masked.h.
struct MaskedRow {
    int count;
    int channels;
    const std::int32_t* sum[max_channels];  // of the whole rectangle
    const std::int32_t* square;
    int pairs;                               // of blocks inside the mask
    const std::int32_t* const* pair;         // [channel * pairs + k]: that pair's values by position
    const std::int32_t* coefficient;         // the same order
    const float* const* norm;                // [k]: of that pair's detail
    const std::int32_t* const* pair_square;  // [k]: sums of squares of that pair's pixels
    const float* cell;                       // [k]: factors of the norms
    std::int32_t inner;                      // pixels of all pairs, one channel
    float inverse_area, inverse_inner;       // 1 / pixels of the rectangle, of the blocks; one channel
    float scale;
    float residual, limit, gain;  // gain = sqrt(limit^2 - residual^2)
};

// What scores are made of: sums of I' = I - 128 and T' = T - 128 over the window or, with a mask, over its masked
// pixels.
struct ScoreRow {
    int count;
    int channels;
    const std::int32_t* correlation;  // sum of I' T'
    const std::int32_t* sum[max_channels];
    const std::int32_t* square;
    double area;                       // pixels, one channel
    double pattern_sum[max_channels];  // of T'
    double pattern_variance;           // v_T
    double pattern_square;             // sum of T^2, all channels (not shifted)
};

// Rows of an image: rows[y] + x is readable up to `pad` bytes beyond the width.
using Rows = const std::uint8_t* const*;

// Places whose products are summed up together.
constexpr int most_dots = 4;

// At each place k: sum[k] = sum over y < count, i < w of rows[y][x[k] + i] * coefficient[y * stride + i]. Coefficients
// are 0 from w to `stride`, the next multiple of 32. Exact when no lane exceeds 32 bits: 255 * |coefficient| * count *
// stride / 8 < 2^31.
struct Dots {
    int places;  // 1 to most_dots
    std::int64_t x[most_dots];
    Rows rows;
    const std::int8_t* coefficient;
    int stride, w, count;
    std::int64_t sum[most_dots];  // out
};

// Rows or columns transformed together.
constexpr int fft_lanes = 8;

// A complex tile of n x n values, n a power of two of at least 8; rows `stride` values apart.
struct FftTile {
    int n;
    std::ptrdiff_t stride;
    double* re;
    double* im;
    double* panel;        // scratch of 2 * n * fft_lanes
    const double* roots;  // exp(-2 pi i k / n), k < n, as pairs
};

// What goes into a tile: sums over channels of pixels - 128 (or their squares) at columns x_re + i and x_im + i, of
// `rows` rows; or, with no channels, `values` as the real part. The rest is 0.
struct FftSource {
    int rows;
    int columns_re, columns_im;
    std::int64_t x_re, x_im;
    int channels;
    Rows pixels[max_channels];
    bool squared;
    const std::int8_t* values;
    std::ptrdiff_t value_stride;
};

struct Kernels {
    int group;        // positions a group: counts of BlockRow, TestRow and CorrelateRow are rounded up to it
    int packed_rows;  // of PackRows and CorrelateRows: 2 or 4
    void (*column_step)(const ColumnStep&);
    void (*block_step)(const BlockStep&);
    void (*window_sum)(const WindowSum&);
    void (*block_row)(const BlockRow&);
    // Windows that may reach the limit, in order of x; at most `count` of them.
    int (*test_row)(const TestRow&, Survivor* survivors);
    void (*correlate_row)(const CorrelateRow&);
    void (*pack_rows)(const PackRows&);
    void (*packed_difference)(const PackedDifference&);
    void (*correlate_rows)(const CorrelateRows&);
    // As test_row; of the survivors only x is set.
    int (*masked_row)(const MaskedRow&, Survivor* survivors);
    // Positions whose score may be at or above `threshold`; a superset by rounding only.
    int (*hits_row)(const ScoreRow&, double threshold, std::int32_t* positions);
    // Values of template_map, `method` as in ops.h.
    void (*map_row)(const ScoreRow&, std::uint32_t method, bool masked, float* out);
    void (*dots)(Dots&);
    void (*small_dots)(Dots&);  // the same for coefficients within +-63
    void (*masked_sums)(Rows rows, std::int64_t x, const std::int8_t* mask, int stride, int w, int h, std::int64_t* sum,
                        std::int64_t* square);
    void (*fft_forward)(const FftTile& tile, const FftSource& source);
    // out (+)= in * conj(pattern).
    void (*fft_multiply)(const FftTile& out, const FftTile& in, const FftTile& pattern, bool first);
    // The inverse, rounded to integers: `columns` values of the real part of each row, then columns_im of the imaginary
    // one.
    void (*fft_inverse)(const FftTile& tile, int rows, int columns, double* out, std::ptrdiff_t out_stride,
                        int columns_im);
    // `count` interleaved pixels of three bytes into three rows of bytes.
    void (*split_row)(const std::uint8_t* in, std::uint8_t* const* out, int count);
};

namespace portable {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}

const Kernels& kernels_for(Isa isa);

}  // namespace vedette::cpu::find
