// Restoration: between two transforms only one number is computed for each pixel or frequency. So one kernel does the
// transforms along x there and back with the products of spectra between them, and one the inverse transform along y,
// the step on pixels and the forward one.
//
// METHOD: of which there are kernels; 1 blind, 2 with a known point-spread function, 3 Richardson-Lucy, 0 those that
// all of them begin and end with, 4 all of these.
// `scratch` has image_floats for each image of the job: squares of pixels, rows of spectra and packed squares
// (fft_square.cl). A square's pixels are an image of SIDE x SIDE, so that those of packed columns lie side by side.
// Rows of spectra: for each kx the real parts of rows 0 ... SIDE / 2 - 1, then the imaginary ones.
#include "fft_square.cl"

#define SQUARE (SIDE * SIDE)
// Known and Richardson-Lucy.
#define ESTIMATE 0
#define GIVEN SQUARE       // what steps read
#define LENS (2 * SQUARE)  // rows: the point-spread function's spectrum
#define PACKED (3 * SQUARE)
// Blind; ESTIMATE, too. Pairs: the image's, then the point-spread function's.
#define SPECTRA (2 * SQUARE)      // rows; of the estimates
#define BLURRED (4 * SQUARE)      // rows
#define PACKED_PAIR (5 * SQUARE)  // of estimates, and of what they are divided by
#define NUMERATORS (5 * SQUARE + 2 * PACKED_SQUARE)  // packed

#define LINE ((uint)get_global_id(0) * VECTOR)
#define OF_IMAGE(index) (scratch + (size_t)(index) * image_floats)

// ---- Steps on pixels ----------------------------------------------------------------------------------------------

ALWAYS_INLINE Reals at_least(const Reals value, const Reals least) {
    return value > least ? value : least;  // `least` where the value is not a number
}
// Estimates stay finite and are never negative, whatever comes in; too small ones, whose arithmetic may be slow and
// which no pixel could show, become 0. So does what is not a number.
ALWAYS_INLINE Reals clean(const Reals value) {
    const Reals zero = 0, least = 1e-30f, most = 1e30f;
    const Reals kept = value > least ? value : zero;
    return kept < most ? kept : most;
}

ALWAYS_INLINE void load_pixels(Reals *re, Reals *im, __global const float *square, const uint x, const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        re[q] = ALONG_CONST(square + PLACE(lane, q) * SIDE + x);
        im[q] = ALONG_CONST(square + PLACE(lane, q) * SIDE + SIDE / 2 + x);
    }
}
ALWAYS_INLINE void store_pixels(const Reals *re, const Reals *im, __global float *square, const uint x,
                                const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        ALONG(square + PLACE(lane, q) * SIDE + x) = re[q];
        ALONG(square + PLACE(lane, q) * SIDE + SIDE / 2 + x) = im[q];
    }
}

// ---- Begin and end ------------------------------------------------------------------------------------------------

#if METHOD == 0 || METHOD == 4

// What is wrong with pixels, each the smallest that was found: a row of the blurred images with a value that is not
// finite, one of the point-spread functions, one of those with a negative value; then for each image of the call
// whether its point-spread function has a positive value.
#define BLURRED_ROW 0
#define SPREAD_ROW 1
#define NEGATIVE_ROW 2
#define POSITIVE 3

// Of comparisons of Reals.
#if VECTOR == 1
#define ANY(comparison) (comparison)
#define EVERY(comparison) (comparison)
#else
#define ANY(comparison) any(comparison)
#define EVERY(comparison) all(comparison)
#endif

// Pixels of images to two squares, negative ones as 0, and their columns to a packed one. first: of the job's images.
__kernel GROUP_OF_LINES void begin(IMAGE_IN(image), const uint first, const uint is_spread, const uint one_square,
                                   const uint other_square, const uint to, __global float *restrict scratch,
                                   const uint image_floats, __global const float2 *restrict roots,
                                   __global int *restrict problems) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    const uint index = first + (uint)get_group_id(2);
    __global float *own = OF_IMAGE(get_group_id(2));
    Reals re[8], im[8];
    const Reals zero = 0, most = FLT_MAX;
    bool positive = false;
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        const uint y = index * SIDE + PLACE(lane, q);
        __global const float *row = ROW_IN(float, image, y) + x;
        const Reals left = ALONG_ANYWHERE(row), right = ALONG_ANYWHERE(row + SIDE / 2);
        if (!EVERY((fabs(left) <= most) & (fabs(right) <= most)))
            atomic_min(problems + (is_spread ? SPREAD_ROW : BLURRED_ROW), (int)y);
        if (is_spread && ANY((left < zero) | (right < zero))) atomic_min(problems + NEGATIVE_ROW, (int)y);
        positive |= ANY((left > zero) | (right > zero)) != 0;
        re[q] = left > zero ? left : zero;
        im[q] = right > zero ? right : zero;
    }
    if (is_spread && positive) atomic_or(problems + POSITIVE + index, 1);
    store_pixels(re, im, own + one_square, x, lane);
    store_pixels(re, im, own + other_square, x, lane);
    transform(re, im, shared, roots, item, lane, 0);
    store_columns(re, im, own + to + x * PACKED_COLUMN, lane);
}

// A square of each image to the result.
__kernel void end(__global const float *restrict scratch, const uint image_floats, const uint square, IMAGE_OUT(image),
                  const uint first) {
    const uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), index = (uint)get_global_id(2);
    if (x < SIDE) ROW_OUT(float, image, (first + index) * SIDE + y)[x] = OF_IMAGE(index)[square + y * SIDE + x];
}

// Rows of packed squares, transformed, to rows of spectra; `count` squares of each image, one after the other.
__kernel GROUP_OF_LINES void spectrum(__global float *restrict scratch, const uint image_floats,
                                      __global const float2 *restrict roots, const uint count, const uint from,
                                      const uint to) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), row = LINE;
    const uint which = (uint)get_group_id(2) % count;
    __global float *own = OF_IMAGE(get_group_id(2) / count);
    __global float *rows = own + to + which * SQUARE;
    Reals re[8], im[8];
    load_rows(re, im, own + from + which * PACKED_SQUARE, row, lane);
    transform(re, im, shared, roots, item, lane, 0);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        ALONG(rows + PLACE(lane, q) * SIDE + row) = re[q];
        ALONG(rows + PLACE(lane, q) * SIDE + SIDE / 2 + row) = im[q];
    }
}

#endif

// ---- Products of spectra ------------------------------------------------------------------------------------------

#define PLAIN 0      // by * value
#define CONJUGATE 1  // conj(by) * value
#define POWER 2      // |by|^2 * value

ALWAYS_INLINE void multiply(const int use, const Reals by_re, const Reals by_im, Reals *re, Reals *im) {
    const Reals r = *re, i = *im;
    if (use == POWER) {
        const Reals power = MULTIPLY_ADD(by_re, by_re, by_im * by_im);
        *re = r * power;
        *im = i * power;
    } else if (use == CONJUGATE) {
        *re = MULTIPLY_ADD(r, by_re, i * by_im);
        *im = MULTIPLY_ADD(i, by_re, -(r * by_im));
    } else {
        *re = MULTIPLY_ADD(r, by_re, -(i * by_im));
        *im = MULTIPLY_ADD(i, by_re, r * by_im);
    }
}

// Of row 0's P(kx), with the multiplier's likewise: rows 0 and SIDE / 2 are multiplied each by its own.
ALWAYS_INLINE void multiply_ends(const int use, const Ends by, const Ends value, float *re, float *im) {
    Reals zero_re = value.zero_re, zero_im = value.zero_im, half_re = value.half_re, half_im = value.half_im;
    multiply(use, by.zero_re, by.zero_im, &zero_re, &zero_im);
    multiply(use, by.half_re, by.half_im, &half_re, &half_im);
    *re = FIRST(zero_re) - FIRST(half_im);
    *im = FIRST(zero_im) + FIRST(half_re);
}

// Row 0 of a spectrum in memory, taken apart at kx.
ALWAYS_INLINE Ends kept_ends(__global const float *rows, const uint kx) {
    __global const float *own = rows + kx * SIDE, *other = rows + (SIDE - kx) % SIDE * SIDE;
    return ends_of(own[0], own[SIDE / 2], other[0], other[SIDE / 2]);
}
// And one that was shared.
ALWAYS_INLINE Ends shared_ends(__local const float *ends, const uint kx) {
    const uint other = (SIDE - kx) % SIDE;
    return ends_of(ends[kx], ends[SIDE + kx], ends[other], ends[SIDE + other]);
}

// Numbers of spectra are twice their value, and an inverse transform is SIDE^2 times too large. Powers of two: exact.
#define PRODUCT_SCALE (0.25f / (SIDE * SIDE))
#define POWER_SCALE (0.125f / (SIDE * SIDE))

// ---- Known and Richardson-Lucy ------------------------------------------------------------------------------------

#if METHOD > 1

#define THROUGH_THE_LENS(name, use)                                                                       \
    __kernel GROUP_OF_LINES void name(__global float *restrict scratch, const uint image_floats,          \
                                      __global const float2 *restrict roots) {                            \
        __local Reals shared[SHARED_REALS];                                                               \
        __local float ends[2 * SIDE];                                                                     \
        through_the_lens(use, OF_IMAGE(get_group_id(2)), roots, shared, ends);                            \
    }

// A packed square's rows, times those of the lens.
ALWAYS_INLINE void through_the_lens(const int use, __global float *own, __global const float2 *restrict roots,
                                    __local Reals *shared, __local float *ends) {
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), row = LINE;
    __global const float *lens = own + LENS;
    const float scale = use == POWER ? POWER_SCALE : PRODUCT_SCALE;
    Reals re[8], im[8];
    load_rows(re, im, own + PACKED, row, lane);
    transform(re, im, shared, roots, item, lane, 0);
    share_ends(re, im, ends, row, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        const uint kx = PLACE(lane, q);
        multiply(use, ALONG_CONST(lens + kx * SIDE + row), ALONG_CONST(lens + kx * SIDE + SIDE / 2 + row), re + q,
                 im + q);
        if (row == 0) {
            float end_re, end_im;
            multiply_ends(use, kept_ends(lens, kx), shared_ends(ends, kx), &end_re, &end_im);
            FIRST(re[q]) = end_re;
            FIRST(im[q]) = end_im;
        }
        re[q] *= scale;
        im[q] *= scale;
    }
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 1);
    store_rows(re, im, own + PACKED, row, lane);
}

THROUGH_THE_LENS(through_conjugate, CONJUGATE)
#if METHOD != 3
THROUGH_THE_LENS(through_power, POWER)
#endif
#if METHOD != 2
THROUGH_THE_LENS(through, PLAIN)
#endif

// Transforms along y with a step on pixels between them.
#define STEP_ON_COLUMNS(name, statement)                                                                  \
    __kernel GROUP_OF_LINES void name(__global float *restrict scratch, const uint image_floats,          \
                                      __global const float2 *restrict roots, const float epsilon) {       \
        __local Reals shared[SHARED_REALS];                                                               \
        const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;                  \
        __global float *own = OF_IMAGE(get_group_id(2));                                                  \
        __global float *column = own + PACKED + x * PACKED_COLUMN;                                        \
        Reals re[8], im[8];                                                                               \
        load_columns(re, im, column, lane);                                                               \
        INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 0);                                          \
        statement;                                                                                        \
        transform(re, im, shared, roots, item, lane, 1);                                                  \
        store_columns(re, im, column, lane);                                                              \
    }

// given / what comes out
ALWAYS_INLINE void quotient_step(Reals *re, Reals *im, __global const float *given, const uint x, const uint lane,
                                 const float epsilon) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global const float *place = given + PLACE(lane, q) * SIDE + x;
        re[q] = ALONG_CONST(place) / at_least(re[q], (Reals)(epsilon));
        im[q] = ALONG_CONST(place + SIDE / 2) / at_least(im[q], (Reals)(epsilon));
    }
}
// estimate <- estimate * what comes out
ALWAYS_INLINE void product_step(Reals *re, Reals *im, __global float *estimate, const uint x, const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global float *place = estimate + PLACE(lane, q) * SIDE + x;
        re[q] = clean(ALONG(place) * at_least(re[q], (Reals)(0)));
        im[q] = clean(ALONG(place + SIDE / 2) * at_least(im[q], (Reals)(0)));
    }
    store_pixels(re, im, estimate, x, lane);
}
// estimate <- estimate * given / what comes out
ALWAYS_INLINE void ratio_step(Reals *re, Reals *im, __global float *estimate, __global const float *given, const uint x,
                              const uint lane, const float epsilon) {
    quotient_step(re, im, given, x, lane, epsilon);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global float *place = estimate + PLACE(lane, q) * SIDE + x;
        re[q] = clean(ALONG(place) * re[q]);
        im[q] = clean(ALONG(place + SIDE / 2) * im[q]);
    }
    store_pixels(re, im, estimate, x, lane);
}
// given <- what comes out; then the estimate
ALWAYS_INLINE void numerator_step(Reals *re, Reals *im, __global float *given, __global const float *estimate,
                                  const uint x, const uint lane) {
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        re[q] = at_least(re[q], (Reals)(0));
        im[q] = at_least(im[q], (Reals)(0));
    }
    store_pixels(re, im, given, x, lane);
    load_pixels(re, im, estimate, x, lane);
}

#if METHOD != 3
STEP_ON_COLUMNS(numerator, numerator_step(re, im, own + GIVEN, own + ESTIMATE, x, lane))
STEP_ON_COLUMNS(ratio, ratio_step(re, im, own + ESTIMATE, own + GIVEN, x, lane, epsilon))
#endif
#if METHOD != 2
STEP_ON_COLUMNS(quotient, quotient_step(re, im, own + GIVEN, x, lane, epsilon))
STEP_ON_COLUMNS(product, product_step(re, im, own + ESTIMATE, x, lane))
#endif

#endif

// ---- Blind --------------------------------------------------------------------------------------------------------

#if METHOD == 1 || METHOD == 4

// Both halves of an iteration begin from the same image and point-spread function, F and H: numerators conj(H) G and
// conj(F) G, denominators |H|^2 F and |F|^2 H, back along x. Groups of dimension 2: these four of each image.
__kernel GROUP_OF_LINES void products(__global float *restrict scratch, const uint image_floats,
                                      __global const float2 *restrict roots) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), row = LINE;
    const uint which = (uint)get_group_id(2) & 1, is_denominator = (uint)get_group_id(2) >> 1 & 1;
    __global float *own = OF_IMAGE(get_group_id(2) / 4);
    __global const float *by = own + SPECTRA + (1 - which) * SQUARE;
    __global const float *value = own + (is_denominator ? SPECTRA + which * SQUARE : BLURRED);
    const float scale = is_denominator ? POWER_SCALE : PRODUCT_SCALE;
    Reals re[8], im[8];
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        const uint kx = PLACE(lane, q);
        const Reals by_re = ALONG_CONST(by + kx * SIDE + row), by_im = ALONG_CONST(by + kx * SIDE + SIDE / 2 + row);
        re[q] = ALONG_CONST(value + kx * SIDE + row);
        im[q] = ALONG_CONST(value + kx * SIDE + SIDE / 2 + row);
        if (is_denominator)
            multiply(POWER, by_re, by_im, re + q, im + q);
        else
            multiply(CONJUGATE, by_re, by_im, re + q, im + q);
        if (row == 0) {
            const Ends by_ends = kept_ends(by, kx), value_ends = kept_ends(value, kx);
            float end_re, end_im;
            if (is_denominator)
                multiply_ends(POWER, by_ends, value_ends, &end_re, &end_im);
            else
                multiply_ends(CONJUGATE, by_ends, value_ends, &end_re, &end_im);
            FIRST(re[q]) = end_re;
            FIRST(im[q]) = end_im;
        }
        re[q] *= scale;
        im[q] *= scale;
    }
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 0);
    store_rows(re, im, own + (is_denominator ? PACKED_PAIR : NUMERATORS) + which * PACKED_SQUARE, row, lane);
}

// Groups of dimension 2: the image's estimate and the point-spread function's, of each image.
__kernel GROUP_OF_LINES void blind_ratio(__global float *restrict scratch, const uint image_floats,
                                         __global const float2 *restrict roots, const float epsilon) {
    __local Reals shared[SHARED_REALS];
    const uint item = (uint)get_local_id(0), lane = (uint)get_local_id(1), x = LINE;
    const uint which = (uint)get_group_id(2) & 1;
    __global float *own = OF_IMAGE(get_group_id(2) / 2);
    __global float *estimate = own + ESTIMATE + which * SQUARE;
    __global float *column = own + PACKED_PAIR + which * PACKED_SQUARE + x * PACKED_COLUMN;
    Reals above_re[8], above_im[8], re[8], im[8];
    load_columns(above_re, above_im, own + NUMERATORS + which * PACKED_SQUARE + x * PACKED_COLUMN, lane);
    INVERSE_TRANSFORM(above_re, above_im, shared, roots, item, lane, 0);
    load_columns(re, im, column, lane);
    INVERSE_TRANSFORM(re, im, shared, roots, item, lane, 1);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        __global float *place = estimate + PLACE(lane, q) * SIDE + x;
        re[q] = clean(ALONG(place) * (at_least(above_re[q], (Reals)(0)) / at_least(re[q], (Reals)(epsilon))));
        im[q] = clean(ALONG(place + SIDE / 2) *
                      (at_least(above_im[q], (Reals)(0)) / at_least(im[q], (Reals)(epsilon))));
    }
    store_pixels(re, im, estimate, x, lane);
    transform(re, im, shared, roots, item, lane, 2);
    store_columns(re, im, column, lane);
}

#endif
