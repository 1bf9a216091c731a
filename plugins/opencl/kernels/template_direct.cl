// Exact sums over the windows of all positions, for every pattern, mask and size.
//
// MASKED: 1 when a mask was given. SUM: uint when a pattern is so small that its sums stay below 2^32, else ulong.
// WIDE: 1 when 64 bits do not hold area * sum I^2. SLIDE: 1 when a work-item moves the screen's pixels through
// registers, for devices with a register for each number; 0 when it reads them for every pixel of the pattern, for those
// whose registers hold vectors.
//
// A work-item owns eight neighbouring positions of a row. The pattern passes in chunks of 8 x 32 pixels of one channel,
// with the screen's pixels under all windows of the group in local memory, as floats: 256 * 255^2 < 2^24, so that a
// chunk's sums are exact, in the operation that every device does fastest, and fusing a product with its sum changes
// nothing. Per pixel of the pattern and eight positions: a multiplication with addition of eight floats and, without a
// mask, an eighth of three others: the sums of neighbouring windows differ at their ends only. With a mask three more.
#include "template_score.cl"

#define LANES 8
#define CHUNK_ROWS 8
#define CHUNK_COLUMNS 32
#define SUM8 JOIN(SUM, 8)

// What is searched, as the host passes it.
typedef struct {
    uint width, height;  // of the scene, pixels
    uint channels;
    uint left, top;      // of the region, pixels
    uint columns, rows;  // positions
    uint first_row;      // of this launch
    uint pattern_width, pattern_height;
    uint pattern_stride;  // floats; a multiple of 8, zeros beyond the width
} TemplateSearch;

// The position of lane 0.
inline uint search_column() {
    return (uint)get_global_id(0) * LANES;
}
inline uint search_row(const TemplateSearch *search) {
    return search->first_row + (uint)get_global_id(1);
}

inline float sum_of(float8 v) {
    const float4 four = v.lo + v.hi;
    const float2 two = four.lo + four.hi;
    return two.x + two.y;
}

// first, first + ends.s0, first + ends.s0 + ends.s1 ...
inline float8 running_sum(float first, float8 ends) {
    float8 result;
    result.s0 = first;
    result.s1 = result.s0 + ends.s0;
    result.s2 = result.s1 + ends.s1;
    result.s3 = result.s2 + ends.s2;
    result.s4 = result.s3 + ends.s3;
    result.s5 = result.s4 + ends.s4;
    result.s6 = result.s5 + ends.s5;
    result.s7 = result.s6 + ends.s6;
    return result;
}

// Numbers of 128 bits, two's complement, modulo 2^128.
typedef struct {
    ulong low, high;
} Wide;

inline void add_product(Wide *to, ulong a, ulong b) {
    const ulong low = a * b;
    to->low += low;
    to->high += mul_hi(a, b) + (to->low < low ? 1ul : 0ul);
}

inline Wide difference_of(const Wide *a, const Wide *b) {
    Wide result;
    result.low = a->low - b->low;
    result.high = a->high - b->high - (a->low < b->low ? 1ul : 0ul);
    return result;
}

inline real real_of_wide(Wide value) {
    const bool negative = value.high >> 63 != 0;
    if (negative) {
        value.low = ~value.low + 1;
        value.high = ~value.high + (value.low == 0 ? 1ul : 0ul);
    }
    return real_of_bits(soft_of_wide(negative ? SOFT_SIGN : 0, value.high, value.low));
}

// num and v_I from sums of products; `cross` and `own`: sum_c sum I_c sum T_c and sum_c (sum I_c)^2.
#if WIDE
#define MOMENT Wide
#define ADD_PRODUCT(to, a, b) add_product(&(to), a, b)
inline real moment_of(ulong area, ulong sum, const Wide *products) {
    Wide whole = {0, 0};
    add_product(&whole, area, sum);
    return real_of_wide(difference_of(&whole, products));
}
#else
#define MOMENT ulong
#define ADD_PRODUCT(to, a, b) (to) += (ulong)(a) * (ulong)(b)
inline real moment_of(ulong area, ulong sum, const ulong *products) {
    return real_of((long)(area * sum - *products));
}
#endif

// Eight neighbouring pixels of a channel, of which the last of the row stands for those beyond it.
inline float8 eight_of(__global const uchar *restrict line, uint x, uint width, uint channels) {
    if (x + LANES <= width) {
        __global const uchar *restrict from = line + (size_t)x * channels;
        if (channels == 1) return convert_float8(vload8(0, from));
        return convert_float8((uchar8)(from[0], from[3], from[6], from[9], from[12], from[15], from[18], from[21]));
    }
    float eight[LANES];
    for (uint i = 0; i < LANES; ++i) eight[i] = (float)line[(size_t)min(x + i, width - 1) * channels];
    return vload8(0, eight);
}

// What a mask takes of a lane's window.
#define TAKE(v, one)                     \
    {                                    \
        const float8 kept = (v) * (one); \
        values += kept;                  \
        squares += kept * (v);           \
    }

// The whole group takes part. `pattern`: a plane of rows for each channel, 0 where nothing is taken. `mask`: rows of 1
// where something is taken, else 0; one row for all when MASKED is 0. `tile`: (rows of the group + CHUNK_ROWS - 1) rows
// of (LANES * columns of the group + CHUNK_COLUMNS) floats.
inline void window_sums(IMAGE_IN(scene), const TemplateSearch *search, __global const float *restrict pattern,
                        __global const float *restrict mask, const PatternSums *sums, __local float *restrict tile,
                        WindowSums window[LANES]) {
#pragma OPENCL FP_CONTRACT ON
    const uint across = (uint)get_local_size(0), down = (uint)get_local_size(1);
    const uint item_x = (uint)get_local_id(0), item_y = (uint)get_local_id(1);
    const uint left = (uint)get_group_id(0) * across * LANES, top = search->first_row + (uint)get_group_id(1) * down;
    const uint tile_stride = across * LANES + CHUNK_COLUMNS;
    SUM8 product = (SUM8)(0), square = (SUM8)(0);
    MOMENT cross[LANES] = {0}, own[LANES] = {0};
    for (uint c = 0; c < search->channels; ++c) {
        SUM8 sum = (SUM8)(0);
        for (uint row = 0; row < search->pattern_height; row += CHUNK_ROWS)
            for (uint column = 0; column < search->pattern_width; column += CHUNK_COLUMNS) {
                const uint rows = min((uint)CHUNK_ROWS, search->pattern_height - row);
                const uint columns = min((uint)CHUNK_COLUMNS, search->pattern_width - column);
                const uint padded = (columns + LANES - 1) / LANES * LANES;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint y = item_y; y < down + rows - 1; y += down) {
                    // What lies beyond the screen belongs to positions that are not stored.
                    __global const uchar *restrict line =
                        ROW_IN(uchar, scene, min(search->top + top + row + y, search->height - 1)) + c;
                    for (uint x = item_x; x < across + padded / LANES; x += across)
                        vstore8(eight_of(line, search->left + left + column + LANES * x, search->width,
                                         search->channels),
                                x, tile + y * tile_stride);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                float8 products = (float8)(0), squares = (float8)(0), values = (float8)(0);
                float8 square_ends = (float8)(0), value_ends = (float8)(0);
                for (uint r = 0; r < rows; ++r) {
                    __local const float *restrict line = tile + (item_y + r) * tile_stride + LANES * item_x;
                    __global const float *restrict weights =
                        pattern + (size_t)(c * search->pattern_height + row + r) * search->pattern_stride + column;
                    __global const float *restrict taken =
                        mask + (MASKED ? (size_t)(row + r) * search->pattern_stride : 0) + column;
#if SLIDE
                    float8 a = vload8(0, line);
#endif
                    for (uint j = 0; j < padded; j += LANES) {
                        const float8 t = vload8(0, weights + j), m = vload8(0, taken + j);
#if SLIDE
                        const float8 b = vload8(0, line + j + LANES);
                        const float8 v0 = a, v1 = (float8)(a.s1234, a.s567, b.s0), v2 = (float8)(a.s2345, a.s67, b.s01),
                                     v3 = (float8)(a.s3456, a.s7, b.s012), v4 = (float8)(a.hi, b.lo),
                                     v5 = (float8)(a.s567, b.s0123, b.s4), v6 = (float8)(a.s67, b.s0123, b.s45),
                                     v7 = (float8)(a.s7, b.s0123, b.s456);
                        a = b;
#else
                        const float8 v0 = vload8(0, line + j), v1 = vload8(0, line + j + 1),
                                     v2 = vload8(0, line + j + 2), v3 = vload8(0, line + j + 3),
                                     v4 = vload8(0, line + j + 4), v5 = vload8(0, line + j + 5),
                                     v6 = vload8(0, line + j + 6), v7 = vload8(0, line + j + 7);
#endif
                        products += v0 * t.s0;
                        products += v1 * t.s1;
                        products += v2 * t.s2;
                        products += v3 * t.s3;
                        products += v4 * t.s4;
                        products += v5 * t.s5;
                        products += v6 * t.s6;
                        products += v7 * t.s7;
#if MASKED
                        TAKE(v0, m.s0)
                        TAKE(v1, m.s1)
                        TAKE(v2, m.s2)
                        TAKE(v3, m.s3)
                        TAKE(v4, m.s4)
                        TAKE(v5, m.s5)
                        TAKE(v6, m.s6)
                        TAKE(v7, m.s7)
#else
                        const float8 kept = v0 * m;
                        values += kept;
                        squares += kept * v0;
#endif
                    }
#if !MASKED
                    // The next position's window has one more at its end, and one less at its beginning.
                    const float8 enter = vload8(0, line + columns), leave = vload8(0, line);
                    value_ends += enter - leave;
                    square_ends += enter * enter - leave * leave;
#endif
                }
#if !MASKED
                values = running_sum(sum_of(values), value_ends);
                squares = running_sum(sum_of(squares), square_ends);
#endif
                product += JOIN(convert_, SUM8)(products);
                square += JOIN(convert_, SUM8)(squares);
                sum += JOIN(convert_, SUM8)(values);
            }
        SUM channel[LANES];
        vstore8(sum, 0, channel);
        for (int p = 0; p < LANES; ++p) {
            ADD_PRODUCT(cross[p], channel[p], sums->sum[c]);
            ADD_PRODUCT(own[p], channel[p], channel[p]);
        }
    }
    SUM all_products[LANES], all_squares[LANES];
    vstore8(product, 0, all_products);
    vstore8(square, 0, all_squares);
    for (int p = 0; p < LANES; ++p) {
        window[p].product = all_products[p];
        window[p].square = all_squares[p];
        window[p].covariance = moment_of(sums->area, all_products[p], &cross[p]);
        window[p].variance = moment_of(sums->area, all_squares[p], &own[p]);
    }
}
