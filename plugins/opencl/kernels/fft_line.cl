// Transforms of lines of SIDE numbers: 32, 64, 128, 256 or 512.
//
// A group has ITEMS x LANES work-items and transforms LINES neighbouring lines. A work-item holds VECTOR of them (1, 4
// or 8: processors want vectors, GPUs more work-items), and of each the numbers lane, lane + LANES, lane + 2 LANES ...
// before and after: nothing is ever in another order. Between passes of radix 8 and 4 [Stockham's form: Van Loan,
// Computational Frameworks for the Fast Fourier Transform, 1.7] numbers change places through local memory, where
// neighbouring work-items of a group have neighbouring lines, so that accesses are contiguous and free of bank
// conflicts.
#include "image.cl"
#if VECTOR > 1
#include "vector.cl"
#endif

#define LANES (SIDE / 8)
#define ITEMS (LINES / VECTOR)

// One component of VECTOR lines. EACH_LINE(DO) is DO(index, part) for each line, where part(v) is its component of v.
#if VECTOR == 1
typedef float Reals;
#define PART_0(v) (v)
#define EACH_LINE(DO) DO(0, PART_0)
// An odd number of words between positions, so that those eight apart lie in different banks.
#define PITCH (ITEMS + 1)
#else
typedef JOIN(float, VECTOR) Reals;
#define PART_0(v) (v).s0
#define PART_1(v) (v).s1
#define PART_2(v) (v).s2
#define PART_3(v) (v).s3
#define PART_4(v) (v).s4
#define PART_5(v) (v).s5
#define PART_6(v) (v).s6
#define PART_7(v) (v).s7
#if VECTOR == 4
#define EACH_LINE(DO) DO(0, PART_0) DO(1, PART_1) DO(2, PART_2) DO(3, PART_3)
#else
#define EACH_LINE(DO)                                                                                              \
    DO(0, PART_0) DO(1, PART_1) DO(2, PART_2) DO(3, PART_3) DO(4, PART_4) DO(5, PART_5) DO(6, PART_6) DO(7, PART_7)
#endif
#define PITCH ITEMS
#endif
// Of the first line.
#define FIRST(v) PART_0(v)

#define GROUP_OF_LINES __attribute__((reqd_work_group_size(ITEMS, LANES, 1)))
// Numbers change places in one part of local memory after the other, so that with two parts nobody waits until
// everybody has read. Processors' compilers cut kernels into loops at barriers; GPUs hold more groups in less memory.
#ifdef VDT_PROCESSOR
#define PARTS 2
#else
#define PARTS 1
#endif
#define PART_REALS (2 * SIDE * PITCH)
// Local memory of a group, in Reals.
#define SHARED_REALS (PARTS * PART_REALS)

// The item's numbers stand in the order of q everywhere.
#define PLACE(lane, q) ((lane) + LANES * (q))

// ---- Lines in memory ----------------------------------------------------------------------------------------------

// One number of each line, `step` floats apart.
ALWAYS_INLINE Reals gather(__global const float *from, const uint step) {
    Reals value;
#define TAKE(i, part) part(value) = from[i * step];
    EACH_LINE(TAKE)
#undef TAKE
    return value;
}
ALWAYS_INLINE void scatter(const Reals value, __global float *to, const uint step) {
#define GIVE(i, part) to[i * step] = part(value);
    EACH_LINE(GIVE)
#undef GIVE
}
// Side by side, at a multiple of VECTOR floats.
#define ALONG(place) (*(__global Reals *)(place))
#define ALONG_CONST(place) (*(__global const Reals *)(place))
// The same at any place.
#if VECTOR == 1
#define ALONG_ANYWHERE(place) (*(place))
#else
#define ALONG_ANYWHERE(place) LOADV(place)
#endif

// ---- Arithmetic ---------------------------------------------------------------------------------------------------

// (re + i im) (by.x + i by.y)
ALWAYS_INLINE void turn(Reals *re, Reals *im, const float2 by) {
    const Reals r = *re, i = *im, c = by.x, s = by.y;
    *re = MULTIPLY_ADD(r, c, -(i * s));
    *im = MULTIPLY_ADD(r, s, i * c);
}

// Transforms of 4 and 8 numbers, in natural order.
ALWAYS_INLINE void butterfly_4(Reals *re, Reals *im, const uint a, const uint b, const uint c, const uint d) {
    const Reals sum_re = re[a] + re[c], sum_im = im[a] + im[c], rest_re = re[a] - re[c], rest_im = im[a] - im[c];
    const Reals other_re = re[b] + re[d], other_im = im[b] + im[d];
    const Reals turned_re = im[b] - im[d], turned_im = re[d] - re[b];  // -i times the difference
    re[a] = sum_re + other_re;
    im[a] = sum_im + other_im;
    re[b] = rest_re + turned_re;
    im[b] = rest_im + turned_im;
    re[c] = sum_re - other_re;
    im[c] = sum_im - other_im;
    re[d] = rest_re - turned_re;
    im[d] = rest_im - turned_im;
}
ALWAYS_INLINE void butterfly_8(Reals *re, Reals *im) {
    const float half_root = 0.707106781186547524f;
    Reals even_re[4], even_im[4], odd_re[4], odd_im[4];
#pragma unroll
    for (uint m = 0; m < 4; ++m) {
        even_re[m] = re[m] + re[m + 4];
        even_im[m] = im[m] + im[m + 4];
        odd_re[m] = re[m] - re[m + 4];
        odd_im[m] = im[m] - im[m + 4];
    }
    // exp(-2 pi i m / 8)
    const Reals r1 = odd_re[1], i1 = odd_im[1], r2 = odd_re[2], r3 = odd_re[3], i3 = odd_im[3];
    odd_re[1] = (r1 + i1) * half_root;
    odd_im[1] = (i1 - r1) * half_root;
    odd_re[2] = odd_im[2];
    odd_im[2] = -r2;
    odd_re[3] = (i3 - r3) * half_root;
    odd_im[3] = (r3 + i3) * -half_root;
    butterfly_4(even_re, even_im, 0, 1, 2, 3);
    butterfly_4(odd_re, odd_im, 0, 1, 2, 3);
#pragma unroll
    for (uint m = 0; m < 4; ++m) {
        re[2 * m] = even_re[m];
        im[2 * m] = even_im[m];
        re[2 * m + 1] = odd_re[m];
        im[2 * m + 1] = odd_im[m];
    }
}

// A pass of that radix, after passes whose radices have the product `before`. roots: exp(-2 pi i k / SIDE).
ALWAYS_INLINE void pass(Reals *re, Reals *im, const uint radix, const uint before,
                        __global const float2 *restrict roots, const uint lane) {
#pragma unroll
    for (uint b = 0; b < 8 / radix; ++b) {
        if (before > 1) {
            const uint k = PLACE(lane, b) % before * (SIDE / (before * radix));
#pragma unroll
            for (uint m = 1; m < radix; ++m) turn(re + b + 8 / radix * m, im + b + 8 / radix * m, roots[k * m]);
        }
        if (radix == 4) butterfly_4(re, im, b, b + 2, b + 4, b + 6);
    }
    if (radix == 8) butterfly_8(re, im);
}

// To the places where the next pass finds them.
ALWAYS_INLINE void exchange(Reals *re, Reals *im, const uint radix, const uint before, __local Reals *shared,
                            const uint item, const uint lane) {
#pragma unroll
    for (uint b = 0; b < 8 / radix; ++b) {
        const uint j = PLACE(lane, b), begin = j / before * (before * radix) + j % before;
#pragma unroll
        for (uint m = 0; m < radix; ++m) {
            const uint place = (begin + m * before) * PITCH + item;
            shared[place] = re[b + 8 / radix * m];
            shared[SIDE * PITCH + place] = im[b + 8 / radix * m];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < 8; ++q) {
        const uint place = PLACE(lane, q) * PITCH + item;
        re[q] = shared[place];
        im[q] = shared[SIDE * PITCH + place];
    }
#if PARTS == 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

#define SECOND_RADIX (SIDE == 32 || SIDE == 128 ? 4 : 8)
#define THIRD_RADIX (SIDE == 512 ? 8 : 4)

#if SIDE > 64
#define EXCHANGES 2
#else
#define EXCHANGES 1
#endif
#define PART_OF_SHARED(exchange) (shared + (exchange) % PARTS * PART_REALS)

// Forward. The whole group takes part. turn: how many transforms of this kernel came before, a constant; other uses of
// `shared` come after a barrier.
ALWAYS_INLINE void transform(Reals *re, Reals *im, __local Reals *shared, __global const float2 *restrict roots,
                             const uint item, const uint lane, const uint turn) {
    pass(re, im, 8, 1, roots, lane);
    exchange(re, im, 8, 1, PART_OF_SHARED(EXCHANGES * turn), item, lane);
    pass(re, im, SECOND_RADIX, 8, roots, lane);
#if SIDE > 64
    exchange(re, im, SECOND_RADIX, 8, PART_OF_SHARED(EXCHANGES * turn + 1), item, lane);
    pass(re, im, THIRD_RADIX, 8 * SECOND_RADIX, roots, lane);
#endif
}
// Inverse, without the factor 1 / SIDE: forward with real and imaginary parts exchanged at both ends.
#define INVERSE_TRANSFORM(re, im, shared, roots, item, lane, turn) transform(im, re, shared, roots, item, lane, turn)
