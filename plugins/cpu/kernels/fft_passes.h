// Passes of transforms over slots: slot k holds number k of `lanes` transforms that run side by side, first the real
// parts, then the imaginary parts. Included by kernel sources only.
//
// Butterflies: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, chapters 1 and 2.
#pragma once

#include "fft/radices.h"
#include "kernels/fft_lanes.h"

namespace vedette::cpu::VEDETTE_ISA {

namespace {

constexpr U32 slot_floats = 2 * lanes;

// A complex number in each lane.
struct C {
    V re, im;
};

VEDETTE_INLINE C operator+(C a, C b) {
    return {a.re + b.re, a.im + b.im};
}
VEDETTE_INLINE C operator-(C a, C b) {
    return {a.re - b.re, a.im - b.im};
}
VEDETTE_INLINE C load_slot(const float* slots, U32 k) {
    const float* const at = slots + k * slot_floats;
    return {load(at), load(at + lanes)};
}
VEDETTE_INLINE void store_slot(float* slots, U32 k, C value) {
    float* const at = slots + k * slot_floats;
    store(at, value.re);
    store(at + lanes, value.im);
}

enum class Way { forward, inverse };

// a times -i forward, times i inverse.
template <Way way>
VEDETTE_INLINE C quarter_turn(C a) {
    return way == Way::forward ? C{a.im, -a.re} : C{-a.im, a.re};
}

// The root at `root` forward, its conjugate inverse.
template <Way way>
VEDETTE_INLINE C turned(C a, const float* root) {
    const V re = all(root[0]), im = all(root[1]);
    if constexpr (way == Way::forward) return {a.re * re - a.im * im, a.re * im + a.im * re};
    return {a.re * re + a.im * im, a.im * re - a.re * im};
}

// Transforms of four and of eight points, in natural order.
template <Way way>
VEDETTE_INLINE void butterfly(C (&a)[4]) {
    const C even_sum = a[0] + a[2], even_difference = a[0] - a[2];
    const C odd_sum = a[1] + a[3], odd_difference = quarter_turn<way>(a[1] - a[3]);
    a[0] = even_sum + odd_sum;
    a[1] = even_difference + odd_difference;
    a[2] = even_sum - odd_sum;
    a[3] = even_difference - odd_difference;
}
template <Way way>
VEDETTE_INLINE void butterfly(C (&a)[8]) {
    constexpr float half_root = 0.70710678118654752440F;
    C even[4], odd[4];
    for (U32 k = 0; k < 4; ++k) {
        even[k] = a[k] + a[k + 4];
        odd[k] = a[k] - a[k + 4];
    }
    // Eighths of a turn: (1 -+ i) / sqrt 2, -+i, (-1 -+ i) / sqrt 2.
    const C one = odd[1], three = odd[3];
    if constexpr (way == Way::forward) {
        odd[1] = {(one.re + one.im) * half_root, (one.im - one.re) * half_root};
        odd[3] = {(three.im - three.re) * half_root, (three.re + three.im) * -half_root};
    } else {
        odd[1] = {(one.re - one.im) * half_root, (one.re + one.im) * half_root};
        odd[3] = {(three.re + three.im) * -half_root, (three.re - three.im) * half_root};
    }
    odd[2] = quarter_turn<way>(odd[2]);
    butterfly<way>(even);
    butterfly<way>(odd);
    for (U32 k = 0; k < 4; ++k) {
        a[2 * k] = even[k];
        a[2 * k + 1] = odd[k];
    }
}

constexpr U32 side_index(U32 n) {
    return n == 32 ? 0 : 1 + side_index(n / 2);
}

// Pass p of a transform of n points: blocks of `length`, butterflies of points `stride` apart.
template <U32 n, U32 p>
struct Pass {
    static constexpr U32 count = fft_radices[side_index(n)].count;
    static constexpr U32 radix = fft_radices[side_index(n)].radix[p];
    static constexpr U32 length = Pass<n, p - 1>::stride;
    static constexpr U32 stride = length / radix;
    // Where its roots begin.
    static constexpr U32 roots = Pass<n, p - 1>::roots + 2 * Pass<n, p - 1>::stride * (Pass<n, p - 1>::radix - 1);
};
template <U32 n>
struct Pass<n, 0> {
    static constexpr U32 count = fft_radices[side_index(n)].count;
    static constexpr U32 radix = fft_radices[side_index(n)].radix[0];
    static constexpr U32 length = n;
    static constexpr U32 stride = length / radix;
    static constexpr U32 roots = 0;
};

// Frequency k lies in slot[k] after a forward transform, n - k (of 0: 0) in slot[n - k].
template <U32 n>
struct Order {
    U32 slot[n + 1]{};
    constexpr Order() {
        const Radices& radices = fft_radices[side_index(n)];
        for (U32 k = 0; k < n; ++k) {
            U32 rest = k, stride = n;
            for (U32 p = 0; p < radices.count; ++p) {
                stride /= radices.radix[p];
                slot[k] += rest % radices.radix[p] * stride;
                rest /= radices.radix[p];
            }
        }
        slot[n] = slot[0];
    }
};
template <U32 n>
constexpr Order<n> order{};

// After the butterfly of a forward pass, before that of an inverse one.
template <U32 n, U32 p, Way way>
VEDETTE_INLINE void turn(C (&a)[Pass<n, p>::radix], const float* roots, U32 j) {
    if constexpr (Pass<n, p>::stride > 1) {
        const float* const root = roots + Pass<n, p>::roots + j * 2 * (Pass<n, p>::radix - 1);
        for (U32 m = 1; m < Pass<n, p>::radix; ++m) a[m] = turned<way>(a[m], root + 2 * (m - 1));
    }
}

template <U32 n, U32 p, Way way>
VEDETTE_INLINE void run_pass(float* slots, const float* roots) {
    using P = Pass<n, p>;
    for (U32 block = 0; block < n; block += P::length)
        for (U32 j = 0; j < P::stride; ++j) {
            C a[P::radix];
            for (U32 m = 0; m < P::radix; ++m) a[m] = load_slot(slots, block + j + m * P::stride);
            if constexpr (way == Way::inverse) turn<n, p, way>(a, roots, j);
            butterfly<way>(a);
            if constexpr (way == Way::forward) turn<n, p, way>(a, roots, j);
            for (U32 m = 0; m < P::radix; ++m) store_slot(slots, block + j + m * P::stride, a[m]);
        }
}

// Passes begin .. end - 1 forward, end - 1 .. begin inverse.
template <U32 n, U32 begin, U32 end, Way way>
VEDETTE_INLINE void run_passes(float* slots, const float* roots) {
    if constexpr (begin < end) {
        if constexpr (way == Way::forward) {
            run_pass<n, begin, way>(slots, roots);
            run_passes<n, begin + 1, end, way>(slots, roots);
        } else {
            run_pass<n, end - 1, way>(slots, roots);
            run_passes<n, begin, end - 1, way>(slots, roots);
        }
    }
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
