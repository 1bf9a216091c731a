// filter: correlation with a line across and one down, or with a matrix. Formulas: filter in vedette/plugin/ops.h.
//
// FROM, TO: types that are read and written, of the images or of the sums between two lines. TO_REAL: 1 when TO is
// float. FIXED: 1 for bytes in fixed point (vedette's filter/lines.h), whose line down comes first; otherwise single
// precision, across first. ACROSS, LAST: of the direct line kernel: which line it is, and whether its sums are the
// results.
//
// Two ways [the caching criterion of Kapustin's thesis]: tiles, where a group keeps the pixels that its results stand
// on in local memory, and direct, where every result reads all pixels through the caches; lines are then two kernels
// with an image of sums between them. Both sum in the order of the processor's backend, products and sums rounded each.
#include "image.cl"

#define WEIGHT_BITS 15  // of weights in fixed point
#define WORD_BITS 6     // behind the point, of what lies between the two lines in fixed point
#define FIRST_SHIFT (WEIGHT_BITS - WORD_BITS)
#define SECOND_SHIFT (WEIGHT_BITS + WORD_BITS)

#if FIXED
#define VALUE int
#define BEGIN(shift) (1 << ((shift) - 1))  // rounded half up
#define END(sum, shift) ((sum) >> (shift))
#else
#define VALUE float
#define BEGIN(shift) 0.0f
#define END(sum, shift) (sum)
#endif

// What a launch filters, as the host passes it: all channels of interleaved pixels, or one channel of each. Element k
// of a row is the first + k * step-th in memory.
typedef struct {
    int width, height;  // pixels
    int elements;       // of a pixel
    int in_first, in_step, out_first, out_step;
    int kernel_width, kernel_height;
    int anchor_x, anchor_y;
    int symmetric_across, symmetric_down;
    float outside;  // what stands beyond an edge where the border is constant; between two lines the sum of the first
    float delta;
    int tile_pixels, tile_rows;  // results of a group
} Filter;

// The sum of a line whose tap i stands on AT(i): of a symmetric one, of which `weights` holds the first half at least,
// the middle first, then pairs from outside in.
#define LINE_SUM(sum, shift, weights, taps, symmetric, AT)                                    \
    VALUE sum = BEGIN(shift);                                                                 \
    if (symmetric) {                                                                          \
        const int pairs = (taps) / 2;                                                         \
        if ((taps) % 2 != 0) sum += (weights)[pairs] * AT(pairs);                             \
        for (int i = 0; i < pairs; ++i) sum += (weights)[i] * (AT(i) + AT((taps) - 1 - i));   \
    } else {                                                                                  \
        for (int i = 0; i < (taps); ++i) sum += (weights)[i] * AT(i);                         \
    }                                                                                         \
    sum = END(sum, shift)

inline TO finished(VALUE sum, float delta) {
#if FIXED
    return (TO)sum;
#elif TO_REAL
    return sum + delta;
#else
    const float value = sum + delta, most = sizeof(TO) == 1 ? 255.0f : 65535.0f;
    const float positive = value > 0 ? value : 0;  // not a number becomes 0
    return (TO)convert_int_rte(positive < most ? positive : most);
#endif
}

// Elements of pixel x in row y; `place` < 0 stands for what is outside.
#define IN_ROW(y) (ROW_IN(FROM, in, y) + filter.in_first)
#define OUT_ROW(y) (ROW_OUT(TO, out, y) + filter.out_first)

// A work-item a result. `places`: what stands at -anchor ... along the line's direction: the pixel, or -1.
__kernel void direct_line(IMAGE_IN(in), IMAGE_OUT(out), const Filter filter, __global const int *restrict places,
                          __global const VALUE *restrict weights) {
    const int element = (int)get_global_id(0), y = (int)get_global_id(1);
    if (element >= filter.width * filter.elements || y >= filter.height) return;
    const VALUE outside = (VALUE)filter.outside;
#if ACROSS
    const int taps = filter.kernel_width, symmetric = filter.symmetric_across;
    const int channel = element % filter.elements;
    __global const int *restrict near = places + element / filter.elements;
    __global const FROM *restrict row = IN_ROW(y);
#define VALUE_AT(i) \
    (near[i] < 0 ? outside : (VALUE)row[((size_t)near[i] * filter.elements + channel) * filter.in_step])
#else
    const int taps = filter.kernel_height, symmetric = filter.symmetric_down;
    __global const int *restrict near = places + y;
    const size_t at = (size_t)element * filter.in_step;
#define VALUE_AT(i) (near[i] < 0 ? outside : (VALUE)IN_ROW(near[i])[at])
#endif
    LINE_SUM(sum, LAST ? SECOND_SHIFT : FIRST_SHIFT, weights, taps, symmetric, VALUE_AT);
    __global TO *to = OUT_ROW(y) + (size_t)element * filter.out_step;
#if LAST
    *to = finished(sum, filter.delta);
#else
    *to = (TO)sum;
#endif
}

// A work-item a result. `weights`: kernel_height rows of kernel_width.
__kernel void direct_matrix(IMAGE_IN(in), IMAGE_OUT(out), const Filter filter, __global const int *restrict columns,
                            __global const int *restrict rows, __global const float *restrict weights) {
    const int element = (int)get_global_id(0), y = (int)get_global_id(1);
    if (element >= filter.width * filter.elements || y >= filter.height) return;
    const int x = element / filter.elements, channel = element % filter.elements;
    float sum = 0;
    for (int j = 0; j < filter.kernel_height; ++j) {
        const int row = rows[y + j];
        __global const FROM *restrict from = IN_ROW(max(row, 0));
        float part = 0;
        for (int i = 0; i < filter.kernel_width; ++i) {
            const int column = columns[x + i];
            const float value = row < 0 || column < 0
                                    ? filter.outside
                                    : (float)from[((size_t)column * filter.elements + channel) * filter.in_step];
            part += weights[j * filter.kernel_width + i] * value;
        }
        sum += part;
    }
    OUT_ROW(y)[(size_t)element * filter.out_step] = finished((VALUE)sum, filter.delta);
}

// Copies what the group's results stand on into `tile`, borders included, rows of (tile_pixels + kernel_width - 1)
// pixels. What no result stands on stays as it is.
inline void load_tile(IMAGE_IN(in), const Filter filter, __global const int *restrict columns,
                      __global const int *restrict rows, int left, int top, __local VALUE *restrict tile) {
    const int item = (int)get_local_id(0), items = (int)get_local_size(0);
    const int pixels = filter.tile_pixels + filter.kernel_width - 1, pitch = pixels * filter.elements;
    const int wanted = min(pixels, filter.width + filter.kernel_width - 1 - left) * filter.elements;
    const int high = min(filter.tile_rows + filter.kernel_height - 1, filter.height + filter.kernel_height - 1 - top);
    for (int r = 0; r < high; ++r) {
        const int row = rows[top + r];
        __global const FROM *restrict from = IN_ROW(max(row, 0));
        for (int k = item; k < wanted; k += items) {
            const int column = columns[left + k / filter.elements];
            tile[r * pitch + k] =
                row < 0 || column < 0
                    ? (VALUE)filter.outside
                    : (VALUE)from[((size_t)column * filter.elements + k % filter.elements) * filter.in_step];
        }
    }
}

// Lines with the pixels of a tile, and the sums between the lines, in local memory.
__kernel void tile_lines(IMAGE_IN(in), IMAGE_OUT(out), const Filter filter, __global const int *restrict columns,
                         __global const int *restrict rows, __global const VALUE *restrict across,
                         __global const VALUE *restrict down, __local VALUE *restrict tile,
                         __local VALUE *restrict between) {
    const int item = (int)get_local_id(0), items = (int)get_local_size(0);
    const int left = (int)get_group_id(0) * filter.tile_pixels, top = (int)get_group_id(1) * filter.tile_rows;
    const int elements = filter.elements;
    const int pitch = (filter.tile_pixels + filter.kernel_width - 1) * elements;
    const int width = min(filter.tile_pixels, filter.width - left) * elements;
    const int height = min(filter.tile_rows, filter.height - top);
    load_tile(in_data, in_offset, in_stride, filter, columns, rows, left, top, tile);
    barrier(CLK_LOCAL_MEM_FENCE);
#define ALONG(i) from[(i) * elements]
#define BELOW(i) from[(i) * step]
#if FIXED
    const int wide = width + (filter.kernel_width - 1) * elements, step = pitch;
    for (int r = 0; r < height; ++r)
        for (int k = item; k < wide; k += items) {
            __local const VALUE *restrict from = tile + r * pitch + k;
            LINE_SUM(sum, FIRST_SHIFT, down, filter.kernel_height, filter.symmetric_down, BELOW);
            between[r * pitch + k] = sum;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < height; ++r)
        for (int k = item; k < width; k += items) {
            __local const VALUE *restrict from = between + r * pitch + k;
            LINE_SUM(sum, SECOND_SHIFT, across, filter.kernel_width, filter.symmetric_across, ALONG);
            OUT_ROW(top + r)[((size_t)left * elements + k) * filter.out_step] = finished(sum, filter.delta);
        }
#else
    const int step = filter.tile_pixels * elements, high = height + filter.kernel_height - 1;
    for (int r = 0; r < high; ++r)
        for (int k = item; k < width; k += items) {
            __local const VALUE *restrict from = tile + r * pitch + k;
            LINE_SUM(sum, FIRST_SHIFT, across, filter.kernel_width, filter.symmetric_across, ALONG);
            between[r * step + k] = sum;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < height; ++r)
        for (int k = item; k < width; k += items) {
            __local const VALUE *restrict from = between + r * step + k;
            LINE_SUM(sum, SECOND_SHIFT, down, filter.kernel_height, filter.symmetric_down, BELOW);
            OUT_ROW(top + r)[((size_t)left * elements + k) * filter.out_step] = finished(sum, filter.delta);
        }
#endif
}

// A matrix with the pixels of a tile in local memory.
__kernel void tile_matrix(IMAGE_IN(in), IMAGE_OUT(out), const Filter filter, __global const int *restrict columns,
                          __global const int *restrict rows, __global const float *restrict weights,
                          __local VALUE *restrict tile) {
    const int item = (int)get_local_id(0), items = (int)get_local_size(0);
    const int left = (int)get_group_id(0) * filter.tile_pixels, top = (int)get_group_id(1) * filter.tile_rows;
    const int elements = filter.elements;
    const int pitch = (filter.tile_pixels + filter.kernel_width - 1) * elements;
    const int width = min(filter.tile_pixels, filter.width - left) * elements;
    const int height = min(filter.tile_rows, filter.height - top);
    load_tile(in_data, in_offset, in_stride, filter, columns, rows, left, top, tile);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < height; ++r)
        for (int k = item; k < width; k += items) {
            float sum = 0;
            for (int j = 0; j < filter.kernel_height; ++j) {
                __local const VALUE *restrict from = tile + (r + j) * pitch + k;
                float part = 0;
                for (int i = 0; i < filter.kernel_width; ++i)
                    part += weights[j * filter.kernel_width + i] * from[i * elements];
                sum += part;
            }
            OUT_ROW(top + r)[((size_t)left * elements + k) * filter.out_step] = finished((VALUE)sum, filter.delta);
        }
}
