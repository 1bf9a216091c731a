// fft2 in two kernels, one along y and one along x, with numbers between them in `packed`.
//
// KIND: of which direction there are kernels; 0 complex forward, 1 complex inverse, 2 real forward, 3 real inverse, 4
// all. A group works on LINES lines of image get_group_id(2) of the job; `top` is the first row of the job's first
// image.
#include "fft_square.cl"

#define COMPLEX_SQUARE ((size_t)SIDE * PACKED_COLUMN)
#define TOP (top + (uint)get_group_id(2) * SIDE)
#define LINE ((uint)get_global_id(0) * VECTOR)

// ---- Complex ------------------------------------------------------------------------------------------------------

// Numbers of VECTOR lines side by side.
#if VECTOR == 1
#define PAIRS 2
#elif VECTOR == 4
#define PAIRS 8
#else
#define PAIRS 16
#endif

ALWAYS_INLINE void load_complex(IMAGE_IN(in), const uint top, const uint x, const uint lane, Reals *re, Reals *im) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *place = ROW_IN(float, in, top + PLACE(lane, q)) + 2 * x;
        const JOIN(float, PAIRS) pairs = JOIN(vload, PAIRS)(0, place);
        re[q] = pairs.even;
        im[q] = pairs.odd;
    }
}
ALWAYS_INLINE void load_packed_rows(__global const float *square, const uint y, const uint lane, Reals *re, Reals *im) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *column = square + PLACE(lane, q) * PACKED_COLUMN + y;
        re[q] = ALONG_CONST(column);
        im[q] = ALONG_CONST(column + IMAGINARY);
    }
}
ALWAYS_INLINE void store_complex(const Reals *re, const Reals *im, IMAGE_OUT(out), const uint top, const uint y,
                                 const uint lane, const float scale) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
#define STORE(i, part) ROW_OUT(float2, out, top + y + i)[PLACE(lane, q)] = (float2)(part(re[q]), part(im[q])) * scale;
        EACH_LINE(STORE)
#undef STORE
    }
}

// Along y, from the input to `packed`; and from there along x.
#define COMPLEX_KERNELS(columns, rows, transform_of, scale)                                                           \
    __kernel GROUP_OF_LINES void columns(IMAGE_IN(in), const uint top, __global float *restrict packed,               \
                                         __global const float2 *restrict roots) {                                     \
        __local Reals shared[SHARED_REALS];                                                                           \
        const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;                              \
        Reals re[8], im[8];                                                                                           \
        load_complex(in_data, in_offset, in_stride, TOP, x, lane, re, im);                                            \
        transform_of(re, im, shared, roots, item, lane);                                                              \
        store_columns(re, im, packed + get_group_id(2) * COMPLEX_SQUARE + x * PACKED_COLUMN, lane);                   \
    }                                                                                                                 \
    __kernel GROUP_OF_LINES void rows(__global const float *restrict packed, __global const float2 *restrict roots,   \
                                      IMAGE_OUT(out), const uint top) {                                               \
        __local Reals shared[SHARED_REALS];                                                                           \
        const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), y = LINE;                              \
        Reals re[8], im[8];                                                                                           \
        load_packed_rows(packed + get_group_id(2) * COMPLEX_SQUARE, y, lane, re, im);                                 \
        transform_of(re, im, shared, roots, item, lane);                                                              \
        store_complex(re, im, out_data, out_offset, out_stride, TOP, y, lane, scale);                                 \
    }

#if KIND == 0 || KIND == 4
COMPLEX_KERNELS(complex_forward_columns, complex_forward_rows, transform, 1.0f)
#endif
#if KIND == 1 || KIND == 4
COMPLEX_KERNELS(complex_inverse_columns, complex_inverse_rows, INVERSE_TRANSFORM, 1.0f / (SIDE * SIDE))
#endif

// ---- Real, forward ------------------------------------------------------------------------------------------------

#if KIND == 2 || KIND == 4

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
    transform(re, im, shared, roots, item, lane);
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
    transform(re, im, shared, roots, item, lane);
    share_ends(re, im, ends, y, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint image_top = TOP;
#pragma unroll
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

#if KIND == 3 || KIND == 4

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
#pragma unroll
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
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane);
    store_rows(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE, y, lane);
}

__kernel GROUP_OF_LINES void real_inverse_columns(__global const float *restrict packed,
                                                  __global const float2 *restrict roots, IMAGE_OUT(out), const uint top) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    Reals re[8], im[8];
    load_columns(re, im, packed + get_group_id(2) * (size_t)PACKED_SQUARE + x * PACKED_COLUMN, lane);
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane);
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
