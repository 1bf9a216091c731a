// Complex numbers and the Fourier transforms of a few of them in the registers of one thread.
//
// Transforms are decimated in time: log2(points) rounds of butterflies a +- w b. With fused multiplications and
// additions a butterfly takes six operations whatever w is, so that factors of the inputs cost nothing where they are
// powers of one number: they become part of w [Linzer and Feig: Implementation of Efficient FFT Algorithms on Fused
// Multiply-Add Architectures, 1993].
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

struct alignas(8) Number {
    float re, im;
};

__device__ __forceinline__ Number operator+(Number a, Number b) {
    return {a.re + b.re, a.im + b.im};
}
__device__ __forceinline__ Number operator-(Number a, Number b) {
    return {a.re - b.re, a.im - b.im};
}
__device__ __forceinline__ Number operator*(Number a, float b) {
    return {a.re * b, a.im * b};
}
__device__ __forceinline__ Number product(Number a, Number b) {
    return {__fmaf_rn(a.re, b.re, -(a.im * b.im)), __fmaf_rn(a.re, b.im, a.im * b.re)};
}
// conj(a) b
__device__ __forceinline__ Number conjugate_product(Number a, Number b) {
    return {__fmaf_rn(a.re, b.re, a.im * b.im), __fmaf_rn(a.re, b.im, -(a.im * b.re))};
}
__device__ __forceinline__ float squared_magnitude(Number a) {
    return __fmaf_rn(a.re, a.re, a.im * a.im);
}
__device__ __forceinline__ Number swapped(Number a) {
    return {a.im, a.re};
}
// -i a
__device__ __forceinline__ Number quarter_turn(Number a) {
    return {a.im, -a.re};
}

// cos(2 pi k / 32) for 0 <= k <= 8.
__host__ __device__ constexpr float cosine_32(int k) {
    switch (k) {
        case 0:
            return 1;
        case 1:
            return 0.98078528040323044913F;
        case 2:
            return 0.92387953251128675613F;
        case 3:
            return 0.83146961230254523708F;
        case 4:
            return 0.70710678118654752440F;
        case 5:
            return 0.55557023301960222474F;
        case 6:
            return 0.38268343236508977173F;
        case 7:
            return 0.19509032201612826785F;
        default:
            return 0;
    }
}

// `k` with its log2(points) bits in reverse order.
__host__ __device__ constexpr int reversed_bits(int k, int points) {
    int result = 0;
    for (int bit = 1; bit < points; bit *= 2) result = 2 * result + ((k & bit) != 0 ? 1 : 0);
    return result;
}

// a, b -> a + w b, a - w b.
__device__ __forceinline__ void butterfly(Number& a, Number& b, Number w) {
    const Number sum{__fmaf_rn(-b.im, w.im, __fmaf_rn(b.re, w.re, a.re)),
                     __fmaf_rn(b.im, w.re, __fmaf_rn(b.re, w.im, a.im))};
    b = {__fmaf_rn(2, a.re, -sum.re), __fmaf_rn(2, a.im, -sum.im)};
    a = sum;
}

template <int points>
__device__ __forceinline__ void reverse_order(Number (&a)[points]) {
    Number b[points];
#pragma unroll
    for (int k = 0; k < points; ++k) b[k] = a[reversed_bits(k, points)];
#pragma unroll
    for (int k = 0; k < points; ++k) a[k] = b[k];
}

// The butterfly of numbers `at` and at + half in the round that joins transforms of `half` points.
template <int points>
__device__ __forceinline__ void small_butterfly(Number (&a)[points], int at, int half) {
    const int q = at & (half - 1);
    Number &even = a[at], &odd = a[at + half];
    if (2 * q == half) odd = quarter_turn(odd);
    if (q == 0 || 2 * q == half) {
        const Number sum = even + odd;
        odd = even - odd;
        even = sum;
    } else {
        // exp(-2 pi i q / (2 half)), in 32nds of a turn.
        const int turn = q * 16 / half;
        const int rest = turn & 7;
        const Number w{cosine_32(rest), -cosine_32(8 - rest)};
        butterfly(even, odd, turn >= 8 ? quarter_turn(w) : w);
    }
}

// All butterflies of a transform of numbers in reversed order, as join(at, half). Their order lets loads before it and
// stores behind it overlap with it: first what stands on numbers m = q + 4 i, for one q after the other; then what
// makes numbers k = q + 4 i, which are handed to use(k) as soon as they are there.
template <int points, class Join, class Use>
__device__ __forceinline__ void each_butterfly(const Join& join, const Use& use) {
    constexpr int quarters = points < 4 ? points : 4;
#pragma unroll
    for (int first = 0; first < points; first += quarters)
#pragma unroll
        for (int half = 1; half < quarters; half *= 2)
#pragma unroll
            for (int at = first; at < first + quarters; ++at)
                if ((at & half) == 0) join(at, half);
#pragma unroll
    for (int q = 0; q < quarters; ++q) {
#pragma unroll
        for (int half = quarters; half < points; half *= 2)
#pragma unroll
            for (int at = q; at < points; at += quarters)
                if ((at & half) == 0) join(at, half);
#pragma unroll
        for (int k = q; k < points; k += quarters) use(k);
    }
}
struct NoUse {
    __device__ __forceinline__ void operator()(int) const {}
};

// a[k] <- sum over m of a[m] exp(-2 pi i m k / points).
template <int points, class Use = NoUse>
__device__ __forceinline__ void small_transform(Number (&a)[points], const Use& use = {}) {
    reverse_order<points>(a);
    each_butterfly<points>([&](int at, int half) { small_butterfly<points>(a, at, half); }, use);
}

// How many different factors a transform of turned inputs has.
__host__ __device__ constexpr int turned_factors(int points) {
    return points / 2;
}
// Of the round that joins transforms of `half` points: the first factor's index, and how many there are. Factor q of
// the round is w^(points / (2 half)) exp(-2 pi i q / (2 half)); the second half of them are quarter turns of the first.
__host__ __device__ constexpr int first_factor(int half) {
    return half == 1 ? 0 : half / 2;
}
__host__ __device__ constexpr int factors_of_round(int half) {
    return half == 1 ? 1 : half / 2;
}

// a[k] <- sum over m of a[m] w^m exp(-2 pi i m k / points), with the factors of w that belong to it.
template <int points>
__device__ __forceinline__ void small_turned_transform(Number (&a)[points],
                                                       const Number (&factors)[turned_factors(points)]) {
    reverse_order<points>(a);
    each_butterfly<points>(
        [&](int at, int half) {
            const int q = at & (half - 1);
            const Number factor = factors[first_factor(half) + q % factors_of_round(half)];
            butterfly(a[at], a[at + half], q >= factors_of_round(half) ? quarter_turn(factor) : factor);
        },
        NoUse());
}

}  // namespace vedette::cuda
