// fft2 in two kernels, one along y and one along x, with numbers between them in `packed`.
//
// KIND: of which transforms there are kernels; 0 complex, 1 real forward, 2 real inverse, 3 all.
// A group works on LINES lines of image get_group_id(2) of the job; `top` is the first row of the job's first
// image.
#include "fft_square.cl"

#define COMPLEX_SQUARE ((size_t)SIDE * PACKED_COLUMN)
// Before loops over numbers of a work-item that branch for each: registers of GPUs, which must be named by constants,
// and memory of processors, whose compilers take twice as long for what is unrolled (PoCL 3.1).
#ifdef VDT_PROCESSOR
#define EACH_BRANCHING_NUMBER _Pragma("nounroll")
#else
#define EACH_BRANCHING_NUMBER _Pragma("unroll")
#endif

#define TOP (top + (uint)get_group_id(2) * SIDE)
#define LINE ((uint)get_global_id(0) * VECTOR)

// ---- Complex ------------------------------------------------------------------------------------------------------

#if KIND == 0 || KIND == 3

// Numbers of VECTOR lines side by side.
#if VECTOR == 1
#define PAIRS 2
#elif VECTOR == 4
#define PAIRS 8
#else
#define PAIRS 16
#endif

// Along y, from the input to `packed`; and from there along x. An inverse transform is a forward one with real and
// imaginary parts exchanged where numbers come in and go out.
__kernel GROUP_OF_LINES void complex_columns(IMAGE_IN(in), const uint top, __global float *restrict packed,
                                             __global const float2 *restrict roots, const uint inverse) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    Reals re[8], im[8];
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *place = ROW_IN(float, in, TOP + PLACE(lane, q)) + 2 * x;
        const JOIN(float, PAIRS) pairs = JOIN(vload, PAIRS)(0, place);
        re[q] = inverse ? pairs.odd : pairs.even;
        im[q] = inverse ? pairs.even : pairs.odd;
    }
    transform(re, im, shared, roots, item, lane, 0);
    store_columns(re, im, packed + get_group_id(2) * COMPLEX_SQUARE + x * PACKED_COLUMN, lane);
}
__kernel GROUP_OF_LINES void complex_rows(__global const float *restrict packed, __global const float2 *restrict roots,
                                          IMAGE_OUT(out), const uint top, const uint inverse) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), y = LINE;
    const float scale = inverse ? 1.0f / (SIDE * SIDE) : 1.0f;
    Reals re[8], im[8];
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *column =
            packed + get_group_id(2) * COMPLEX_SQUARE + PLACE(lane, q) * PACKED_COLUMN + y;
        re[q] = ALONG_CONST(column);
        im[q] = ALONG_CONST(column + IMAGINARY);
    }
    transform(re, im, shared, roots, item, lane, 0);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        const Reals out_re = (inverse ? im[q] : re[q]) * scale, out_im = (inverse ? re[q] : im[q]) * scale;
#define STORE(i, part) ROW_OUT(float2, out, TOP + y + i)[PLACE(lane, q)] = (float2)(part(out_re), part(out_im));
        EACH_LINE(STORE)
#undef STORE
    }
}

#endif

// ---- Real, forward ------------------------------------------------------------------------------------------------

#if KIND == 1 || KIND == 3

__kernel GROUP_OF_LINES void real_forward_columns(IMAGE_IN(in), const uint top, __global float *restrict packed,
                                                  __global const float2 *restrict roots) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    Reals re[8], im[8];
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *place = ROW_IN(float, in, TOP + PLACE(lane, q)) + x;
        re[q] = ALONG_ANYWHERE(place);
        im[q] = ALONG_ANYWHERE(place + SIDE / 2);
    }
    transform(re, im, shared, roots, item, lane, 0);
    store_columns(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE + x * PACKED_COLUMN, lane);
}

// F(kx, ky), and its mirror image, where the output has room for them.
ALWAYS_INLINE void put(IMAGE_OUT(out), const uint top, const uint ky, const uint kx, const float2 number) {
    if (kx <= SIDE / 2) ROW_OUT(float2, out, top + ky)[kx] = number;
    if (kx == 0 || kx >= SIDE / 2)
        ROW_OUT(float2, out, top + SIDE - ky)[(SIDE - kx) % SIDE] = (float2)(number.x, -number.y);
}

__kernel GROUP_OF_LINES void real_forward_rows(__global const float *restrict packed,
                                               __global const float2 *restrict roots, IMAGE_OUT(out), const uint top) {
    __local Reals shared[SHARED_REALS];
    __local float ends[2 * SIDE];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), y = LINE;
    Reals re[8], im[8];
    load_rows(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE, y, lane);
    transform(re, im, shared, roots, item, lane, 0);
    share_ends(re, im, ends, y, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint image_top = TOP;
    EACH_BRANCHING_NUMBER
    for (uint q = 0; q < 8; ++q) {
        const uint kx = PLACE(lane, q);
#define STORE(i, part)                                                                                \
    if (i != 0 || y != 0)                                                                             \
        put(out_data, out_offset, out_stride, image_top, y + i, kx, (float2)(part(re[q]), part(im[q])) * 0.5f);
        EACH_LINE(STORE)
#undef STORE
        if (y == 0 && kx <= SIDE / 2) {
            const uint mirror = MIRRORED_PLACE(lane, q);
            const Ends both = ends_of(FIRST(re[q]), FIRST(im[q]), ends[mirror], ends[SIDE + mirror]);
            ROW_OUT(float2, out, image_top)[kx] = (float2)(both.zero_re, both.zero_im) * 0.5f;
            ROW_OUT(float2, out, image_top + SIDE / 2)[kx] = (float2)(both.half_re, both.half_im) * 0.5f;
        }
    }
}

#endif

// ---- Real, inverse ------------------------------------------------------------------------------------------------

#if KIND == 2 || KIND == 3

// Twice F(kx, ky), of columns 0 and SIDE / 2 twice the part that a real image's transform can have.
ALWAYS_INLINE float2 twice_number_of(IMAGE_IN(in), const uint top, const uint ky, const uint kx) {
    const uint other_row = top + (SIDE - ky) % SIDE;
    if (kx == 0 || kx == SIDE / 2) {
        const float2 own = ROW_IN(float2, in, top + ky)[kx], other = ROW_IN(float2, in, other_row)[kx];
        return (float2)(own.x + other.x, own.y - other.y);
    }
    if (kx < SIDE / 2) return 2 * ROW_IN(float2, in, top + ky)[kx];
    const float2 mirror = ROW_IN(float2, in, other_row)[SIDE - kx];
    return 2 * (float2)(mirror.x, -mirror.y);
}

__kernel GROUP_OF_LINES void real_inverse_rows(IMAGE_IN(in), const uint top, __global float *restrict packed,
                                               __global const float2 *restrict roots) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), y = LINE;
    const uint image_top = TOP;
    Reals re[8], im[8];
    EACH_BRANCHING_NUMBER
    for (uint q = 0; q < 8; ++q) {
        const uint kx = PLACE(lane, q);
#define LOAD(i, part)                                                                                        \
    {                                                                                                        \
        const float2 number = twice_number_of(in_data, in_offset, in_stride, image_top, y + i, kx) * 0.5f;   \
        part(re[q]) = number.x;                                                                              \
        part(im[q]) = number.y;                                                                              \
    }
        EACH_LINE(LOAD)
#undef LOAD
        if (y == 0) {
            const float2 half_row = twice_number_of(in_data, in_offset, in_stride, image_top, SIDE / 2, kx) * 0.5f;
            FIRST(re[q]) -= half_row.y;
            FIRST(im[q]) += half_row.x;
        }
    }
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 0);
    store_rows(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE, y, lane);
}

__kernel GROUP_OF_LINES void real_inverse_columns(__global const float *restrict packed,
                                                  __global const float2 *restrict roots, IMAGE_OUT(out),
                                                  const uint top) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    Reals re[8], im[8];
    load_columns(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE + x * PACKED_COLUMN, lane);
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 0);
    const float scale = 1.0f / (SIDE * SIDE);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global float *place = ROW_OUT(float, out, TOP + PLACE(lane, q)) + x;
#if VECTOR == 1
        place[0] = re[q] * scale;
        place[SIDE / 2] = im[q] * scale;
#else
        JOIN(vstore, VECTOR)(re[q] * scale, 0, place);
        JOIN(vstore, VECTOR)(im[q] * scale, 0, place + SIDE / 2);
#endif
    }
}

#endif
