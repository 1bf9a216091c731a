// A Gaussian blur, which makes a layer of SIFT's scale space from the one before. A file of its own, since it is compiled
// for every radius.
//
// RADIUS, TILE_WIDTH, TILE_HEIGHT, GROUP_ROWS: of `blur`, whose group has TILE_WIDTH / VECTOR x GROUP_ROWS work-items,
// on processors one; without RADIUS the blurs of any radius are made.
#include "features.cl"

// Sums across of VECTOR pixels from x on, of a row.
ALWAYS_INLINE FLOATV across(__global const float *row, int x, int width, __constant const float *weights, int radius) {
    if (x >= radius && x + VECTOR + radius <= width) {
        FLOATV sum = weights[0] * LOADV(row + x);
        for (int k = 1; k <= radius; ++k)
            sum = MULTIPLY_ADD(LOADV(row + x - k) + LOADV(row + x + k), (FLOATV)(weights[k]), sum);
        return sum;
    }
    float sums[VECTOR];
    for (int i = 0; i < VECTOR; ++i) {
        const int at = min(x + i, width - 1);
        sums[i] = weights[0] * row[at];
        for (int k = 1; k <= radius; ++k)
            sums[i] = MULTIPLY_ADD(row[reflected(at - k, width)] + row[reflected(at + k, width)], weights[k], sums[i]);
    }
    return LOADV_PRIVATE(sums);
}

#if defined(RADIUS) && defined(VDT_PROCESSOR)
// A work-item makes a tile. Each row is laid out with RADIUS pixels more on either side, so that edges cost what other
// pixels do, and summed across, TOGETHER vectors at a time, since a sum waits for itself; then as many rows down, where
// what is read serves all of them.
#define TOGETHER 4
#define LOADV_TILE(place) (((const UnalignedTile *)(place))->value)
typedef struct __attribute__((packed)) {
    FLOATV value;
} UnalignedTile;

__kernel void blur(__global const float *restrict from_layer, const ulong from, __global float *restrict to_layer,
                   const ulong to, const uint stride, const int width, const int height,
                   __constant const float *weights) {
    float middle[(TILE_HEIGHT + 2 * RADIUS) * TILE_WIDTH];
    float line[TILE_WIDTH + 2 * RADIUS + 2 * VECTOR];
    const int left = (int)get_group_id(0) * TILE_WIDTH, top = (int)get_group_id(1) * TILE_HEIGHT;
    const int rows = min(TILE_HEIGHT, height - top), columns = min((int)TILE_WIDTH, width - left);
    float own[RADIUS + 1];
    for (int k = 0; k <= RADIUS; ++k) own[k] = weights[k];
    // Of the line: what the row has.
    const int begin = max(RADIUS - left, 0), end = min(columns + 2 * RADIUS, width - left + RADIUS);
    for (int row = 0; row < rows + 2 * RADIUS; ++row) {
        __global const float *in = from_layer + from + (ulong)reflected(top + row - RADIUS, height) * stride;
        for (int x = begin; x < end; x += VECTOR) STOREV(LOADV(in + left - RADIUS + x), line + x);
        for (int x = 0; x < begin; ++x) line[x] = in[reflected(left - RADIUS + x, width)];
        for (int x = end; x < columns + 2 * RADIUS; ++x) line[x] = in[reflected(left - RADIUS + x, width)];
        for (int group = 0; group * VECTOR < columns; group += TOGETHER) {
            const float *here = line + RADIUS + group * VECTOR;
            FLOATV sums[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) sums[i] = own[0] * LOADV_TILE(here + i * VECTOR);
#pragma unroll
            for (int k = 1; k <= RADIUS; ++k)
#pragma unroll
                for (int i = 0; i < TOGETHER; ++i)
                    sums[i] = MULTIPLY_ADD(LOADV_TILE(here + i * VECTOR - k) + LOADV_TILE(here + i * VECTOR + k),
                                           (FLOATV)(own[k]), sums[i]);
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) STOREV(sums[i], middle + row * TILE_WIDTH + (group + i) * VECTOR);
        }
    }
    for (int row = 0; row < rows; row += TOGETHER)
        for (int x = 0; x < columns; x += VECTOR) {
            const float *here = middle + (row + RADIUS) * TILE_WIDTH + x;
            FLOATV sums[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) sums[i] = own[0] * LOADV_TILE(here + i * TILE_WIDTH);
#pragma unroll
            for (int k = 1; k <= RADIUS; ++k)
#pragma unroll
                for (int i = 0; i < TOGETHER; ++i)
                    sums[i] = MULTIPLY_ADD(
                        LOADV_TILE(here + (i - k) * TILE_WIDTH) + LOADV_TILE(here + (i + k) * TILE_WIDTH),
                        (FLOATV)(own[k]), sums[i]);
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i)
                if (row + i < rows) STOREV(sums[i], to_layer + to + (ulong)(top + row + i) * stride + left + x);
        }
}
#elif defined(RADIUS)
// A group makes a tile: across into local memory, with RADIUS rows more above and below, then down from there. Every
// layer is read (1.4 to 1.9 times, mostly from a cache) and written once.
__kernel void blur(__global const float *restrict from_layer, const ulong from, __global float *restrict to_layer,
                   const ulong to, const uint stride, const int width, const int height,
                   __constant const float *weights) {
    __local float middle[(TILE_HEIGHT + 2 * RADIUS) * TILE_WIDTH];
    const int column = VECTOR * (int)get_local_id(0), first_row = (int)get_local_id(1);
    const int x = (int)get_group_id(0) * TILE_WIDTH + column, top = (int)get_group_id(1) * TILE_HEIGHT;
    const int rows = min(TILE_HEIGHT, height - top);
    if (x < width)
        for (int row = first_row; row < rows + 2 * RADIUS; row += GROUP_ROWS) {
            __global const float *in = from_layer + from + (ulong)reflected(top + row - RADIUS, height) * stride;
            STOREV(across(in, x, width, weights, RADIUS), middle + row * TILE_WIDTH + column);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width)
        for (int row = first_row; row < rows; row += GROUP_ROWS) {
            __local const float *here = middle + (row + RADIUS) * TILE_WIDTH + column;
            FLOATV sum = weights[0] * LOADV_LOCAL(here);
            for (int k = 1; k <= RADIUS; ++k)
                sum = MULTIPLY_ADD(LOADV_LOCAL(here - k * TILE_WIDTH) + LOADV_LOCAL(here + k * TILE_WIDTH),
                                   (FLOATV)(weights[k]), sum);
            STOREV(sum, to_layer + to + (ulong)(top + row) * stride + x);
        }
}
#else
// For radii whose tiles are too large: one direction at a time, VECTOR pixels a work-item.
__kernel void blur_across(__global const float *restrict from_layer, const ulong from, __global float *restrict to_layer,
                          const ulong to, const uint stride, const int width, const int height,
                          __constant const float *weights, const int radius) {
    const int x = VECTOR * (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const FLOATV sum = across(from_layer + from + (ulong)y * stride, x, width, weights, radius);
    STOREV(sum, to_layer + to + (ulong)y * stride + x);
}

__kernel void blur_down(__global const float *restrict from_layer, const ulong from, __global float *restrict to_layer,
                        const ulong to, const uint stride, const int width, const int height,
                        __constant const float *weights, const int radius) {
    const int x = VECTOR * (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    __global const float *in = from_layer + from + x;
    FLOATV sum = weights[0] * LOADV(in + (ulong)y * stride);
    for (int k = 1; k <= radius; ++k)
        sum = MULTIPLY_ADD(LOADV(in + (ulong)reflected(y - k, height) * stride) +
                               LOADV(in + (ulong)reflected(y + k, height) * stride),
                           (FLOATV)(weights[k]), sum);
    STOREV(sum, to_layer + to + (ulong)y * stride + x);
}
#endif
