// What fft2 and restore do to a line, in one small kernel to measure forms of groups by: numbers are read where
// neighbouring lines lie side by side and written where those of a line do.
#include "fft_square.cl"

// Pixels of squares, one after the other, to packed columns.
__kernel GROUP_OF_LINES void columns(__global const float *restrict pixels, __global float *restrict packed,
                                     __global const float2 *restrict roots) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = (uint)get_global_id(0) * VECTOR;
    __global const float *square = pixels + get_group_id(2) * (size_t)(SIDE * SIDE);
    Reals re[8], im[8];
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        re[q] = ALONG_CONST(square + PLACE(lane, q) * SIDE + x);
        im[q] = ALONG_CONST(square + PLACE(lane, q) * SIDE + SIDE / 2 + x);
    }
    transform(re, im, shared, roots, item, lane, 0);
    store_columns(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE + x * PACKED_COLUMN, lane);
}
