// Transforms of real squares. Columns x and x + SIDE / 2 are one complex column, transformed along y; rows ky and
// SIDE - ky of what comes out are taken apart into row ky of each, and transformed along x.
//
// Between the two a packed column lies in memory as PACKED_COLUMN floats: real parts of ky = 0 ... SIDE - 1, from
// IMAGINARY on the imaginary parts. Rows: those of ky = 1 ... SIDE / 2 - 1; row 0 holds P(kx) = F(kx, 0) + i F(kx, SIDE
// / 2), since both are transforms of real rows. Numbers of rows are twice their value, P too.
#include "fft_line.cl"

#define IMAGINARY (SIDE + 8)
#define PACKED_COLUMN (2 * IMAGINARY)
#define PACKED_SQUARE (SIDE / 2 * PACKED_COLUMN)

// The item's columns, the first of which is `column`.
ALWAYS_INLINE void store_columns(const Reals *re, const Reals *im, __global float *column, const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        scatter(re[q], column + PLACE(lane, q), PACKED_COLUMN);
        scatter(im[q], column + IMAGINARY + PLACE(lane, q), PACKED_COLUMN);
    }
}
ALWAYS_INLINE void load_columns(Reals *re, Reals *im, __global const float *column, const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        re[q] = gather(column + PLACE(lane, q), PACKED_COLUMN);
        im[q] = gather(column + IMAGINARY + PLACE(lane, q), PACKED_COLUMN);
    }
}

// Of a column's parts, rows SIDE - row and less, as many as there are in VECTOR; with row 0 goes SIDE / 2.
ALWAYS_INLINE Reals mirrored(__global const float *part, const uint row) {
#if VECTOR == 1
    return part[row == 0 ? SIDE / 2 : SIDE - row];
#else
    Reals value = JOIN(vload, VECTOR)(0, part + SIDE - row - (VECTOR - 1));
#if VECTOR == 4
    value = value.s3210;
#else
    value = value.s76543210;
#endif
    if (row == 0) FIRST(value) = part[SIDE / 2];
    return value;
#endif
}
ALWAYS_INLINE void store_mirrored(const Reals value, __global float *part, const uint row) {
#if VECTOR == 1
    part[row == 0 ? SIDE / 2 : SIDE - row] = value;
#else
    if (row == 0) part[SIDE / 2] = FIRST(value);
#if VECTOR == 4
    const Reals turned = value.s3210;
#else
    const Reals turned = value.s76543210;
#endif
    // With row 0 the last one goes to a place that is not in use.
    JOIN(vstore, VECTOR)(turned, 0, part + SIDE - row - (VECTOR - 1));
#endif
}

// Row `row`, a multiple of VECTOR, and those after it.
ALWAYS_INLINE void load_rows(Reals *re, Reals *im, __global const float *columns, const uint row, const uint lane) {
#pragma unroll
    for (uint m = 0; m < 4; ++m) {
        __global const float *column = columns + PLACE(lane, m) * PACKED_COLUMN;
        const Reals p_re = ALONG_CONST(column + row), p_im = ALONG_CONST(column + IMAGINARY + row);
        const Reals q_re = mirrored(column, row), q_im = mirrored(column + IMAGINARY, row);
        re[m] = p_re + q_re;
        im[m] = p_im - q_im;
        re[m + 4] = p_im + q_im;
        im[m + 4] = q_re - p_re;
        if (row == 0) {
            FIRST(re[m]) = 2 * FIRST(p_re);
            FIRST(im[m]) = 2 * FIRST(q_re);
            FIRST(re[m + 4]) = 2 * FIRST(p_im);
            FIRST(im[m + 4]) = 2 * FIRST(q_im);
        }
    }
}
// Of rows as they are, not doubled.
ALWAYS_INLINE void store_rows(const Reals *re, const Reals *im, __global float *columns, const uint row,
                              const uint lane) {
#pragma unroll
    for (uint m = 0; m < 4; ++m) {
        __global float *column = columns + PLACE(lane, m) * PACKED_COLUMN;
        Reals p_re = re[m] - im[m + 4], p_im = im[m] + re[m + 4];
        Reals q_re = re[m] + im[m + 4], q_im = re[m + 4] - im[m];
        if (row == 0) {
            FIRST(p_re) = FIRST(re[m]);
            FIRST(p_im) = FIRST(re[m + 4]);
            FIRST(q_re) = FIRST(im[m]);
            FIRST(q_im) = FIRST(im[m + 4]);
        }
        ALONG(column + row) = p_re;
        ALONG(column + IMAGINARY + row) = p_im;
        store_mirrored(q_re, column, row);
        store_mirrored(q_im, column + IMAGINARY, row);
    }
}

// Row 0's numbers where the group that has it finds those at -kx: SIDE real parts, SIDE imaginary ones. The whole group
// takes part, before a barrier (not one in a branch: PoCL 3.1 goes wrong there); nobody is still reading `ends`.
ALWAYS_INLINE void share_ends(const Reals *re, const Reals *im, __local float *ends, const uint row, const uint lane) {
    if (row == 0) {
#pragma unroll
        for (uint q = 0; q < 8; ++q) {
            ends[PLACE(lane, q)] = FIRST(re[q]);
            ends[SIDE + PLACE(lane, q)] = FIRST(im[q]);
        }
    }
}
#define MIRRORED_PLACE(lane, q) ((SIDE - PLACE(lane, q)) % SIDE)

// P(kx) and P(-kx) to F(kx, 0) and F(kx, SIDE / 2), halved.
typedef struct {
    float zero_re, zero_im, half_re, half_im;
} Ends;
ALWAYS_INLINE Ends ends_of(const float p_re, const float p_im, const float q_re, const float q_im) {
    const Ends ends = {0.5f * (p_re + q_re), 0.5f * (p_im - q_im), 0.5f * (p_im + q_im), 0.5f * (q_re - p_re)};
    return ends;
}
