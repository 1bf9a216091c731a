// Transforms of real squares, down the columns and along the rows. Included by kernel sources only.
//
// Down: columns x and x + n / 2 are the real and the imaginary part of one complex column, `lanes` of these side by
// side are a strip (n / (2 lanes) strips), whose n rows are slots. What the two columns' own transforms A and B are is
// then found from Z(v) and Z(n - v) by symmetry:
//     2 A(v) = Z(v) + conj Z(n - v),    2 i B(v) = Z(v) - conj Z(n - v).
// Only v = 0 .. n / 2 is needed; 0 and n / 2 are real in every column and share a row: row 0 holds R(0) + i R(n / 2).
//
// Spectrum: the n / 2 rows so won, `lanes` of them side by side as a group, n slots each: the group's slot x (later u)
// holds lane k = row group * lanes + k. It is written across: squares of lanes x lanes are turned in registers on their
// way from the strip, so that the transforms along the rows are the same code again. Groups follow each other.
#pragma once

#include "kernels/fft_passes.h"

#include <cstddef>

namespace vedette::cpu::VEDETTE_ISA {

namespace {

// Rows of the two halves of a strip in an image: row y of the columns at `left` and of those n / 2 to the right.
struct Strip {
    float* left;
    float* right;
    std::ptrdiff_t stride;  // bytes

    VEDETTE_INLINE static float* row(float* first, std::ptrdiff_t bytes) {
        return reinterpret_cast<float*>(reinterpret_cast<char*>(first) + bytes);
    }
    VEDETTE_INLINE C get(U32 y) const {
        const auto bytes = static_cast<std::ptrdiff_t>(y) * stride;
        return {load(row(left, bytes)), load(row(right, bytes))};
    }
    VEDETTE_INLINE void set(U32 y, C value) const {
        const auto bytes = static_cast<std::ptrdiff_t>(y) * stride;
        store(row(left, bytes), value.re);
        store(row(right, bytes), value.im);
    }
};

template <U32 n>
constexpr U32 group_floats = n* slot_floats;

// Rows 0 and n / 2, which have no partner, so that separate and combine treat them as the others do.
template <U32 n>
VEDETTE_INLINE void couple_ends(float* tile) {
    const C zero = load_slot(tile, order<n>.slot[0]), half = load_slot(tile, order<n>.slot[n / 2]);
    store_slot(tile, order<n>.slot[0], {zero.re - half.im, zero.im + half.re});
    store_slot(tile, order<n>.slot[n / 2], {zero.re + half.im, zero.im - half.re});
}
template <U32 n>
VEDETTE_INLINE void uncouple_ends(float* tile) {
    const C plus = load_slot(tile, order<n>.slot[0]), minus = load_slot(tile, order<n>.slot[n / 2]);
    const C sum = plus + minus, difference = plus - minus;
    store_slot(tile, order<n>.slot[0], {sum.re * 0.5F, sum.im * 0.5F});
    store_slot(tile, order<n>.slot[n / 2], {difference.im * 0.5F, difference.re * -0.5F});
}

// Slots of rows v and n - v.
template <U32 n>
VEDETTE_INLINE U32 slot_of_row(U32 v) {
    return order<n>.slot[v];
}
template <U32 n>
VEDETTE_INLINE U32 slot_of_partner(U32 v) {
    return v == 0 ? order<n>.slot[n / 2] : order<n>.slot[n - v];
}

// Transforms of a strip's columns to its part of the spectrum, doubled.
template <U32 n>
VEDETTE_INLINE void separate(float* tile, float* spectrum, U32 strip) {
    couple_ends<n>(tile);
    for (U32 group = 0; group < n / (2 * lanes); ++group) {
        float* const left = spectrum + group * group_floats<n> + strip * lanes * slot_floats;
        float* const right = left + n / 2 * slot_floats;
        const float* one[lanes];
        const float* other[lanes];
        for (U32 k = 0; k < lanes; ++k) {
            one[k] = tile + slot_of_row<n>(group * lanes + k) * slot_floats;
            other[k] = tile + slot_of_partner<n>(group * lanes + k) * slot_floats;
        }
        V r[lanes];
        for (U32 k = 0; k < lanes; ++k) r[k] = load(one[k]) + load(other[k]);
        transpose(r);
        for (U32 k = 0; k < lanes; ++k) store(left + k * slot_floats, r[k]);
        for (U32 k = 0; k < lanes; ++k) r[k] = load(other[k]) - load(one[k]);
        transpose(r);
        for (U32 k = 0; k < lanes; ++k) store(right + k * slot_floats + lanes, r[k]);
        for (U32 k = 0; k < lanes; ++k) r[k] = load(one[k] + lanes) + load(other[k] + lanes);
        transpose(r);
        for (U32 k = 0; k < lanes; ++k) store(right + k * slot_floats, r[k]);
        for (U32 k = 0; k < lanes; ++k) r[k] = load(one[k] + lanes) - load(other[k] + lanes);
        transpose(r);
        for (U32 k = 0; k < lanes; ++k) store(left + k * slot_floats + lanes, r[k]);
    }
}

// The way back, from a spectrum that is not doubled.
template <U32 n>
VEDETTE_INLINE void combine(const float* spectrum, U32 strip, float* tile) {
    for (U32 group = 0; group < n / (2 * lanes); ++group) {
        const float* const left = spectrum + group * group_floats<n> + strip * lanes * slot_floats;
        const float* const right = left + n / 2 * slot_floats;
        for (U32 part = 0; part < slot_floats; part += lanes) {
            // Real parts: A.re -+ B.im; imaginary parts: B.re +- A.im.
            const float* const a = part == 0 ? left : right;
            const float* const b = (part == 0 ? right : left) + lanes;
            V r[lanes], s[lanes];
            for (U32 k = 0; k < lanes; ++k) r[k] = load(a + k * slot_floats);
            transpose(r);
            for (U32 k = 0; k < lanes; ++k) s[k] = load(b + k * slot_floats);
            transpose(s);
            for (U32 k = 0; k < lanes; ++k) {
                float* const one = tile + slot_of_row<n>(group * lanes + k) * slot_floats + part;
                float* const other = tile + slot_of_partner<n>(group * lanes + k) * slot_floats + part;
                store(one, part == 0 ? r[k] - s[k] : r[k] + s[k]);
                store(other, part == 0 ? r[k] + s[k] : r[k] - s[k]);
            }
        }
    }
    uncouple_ends<n>(tile);
}

// First pass forward, from an image.
template <U32 n>
VEDETTE_INLINE void first_pass(const Strip& from, const float* roots, float* tile) {
    using P = Pass<n, 0>;
    for (U32 j = 0; j < P::stride; ++j) {
        C a[P::radix];
        for (U32 m = 0; m < P::radix; ++m) a[m] = from.get(j + m * P::stride);
        butterfly<Way::forward>(a);
        turn<n, 0, Way::forward>(a, roots, j);
        for (U32 m = 0; m < P::radix; ++m) store_slot(tile, j + m * P::stride, a[m]);
    }
}

// The inverse transform's last pass; take(y, value) gets row y of both halves.
template <U32 n, class Take>
VEDETTE_INLINE void last_pass(const float* tile, const float* roots, const Take& take) {
    using P = Pass<n, 0>;
    for (U32 j = 0; j < P::stride; ++j) {
        C a[P::radix];
        for (U32 m = 0; m < P::radix; ++m) a[m] = load_slot(tile, j + m * P::stride);
        turn<n, 0, Way::inverse>(a, roots, j);
        butterfly<Way::inverse>(a);
        for (U32 m = 0; m < P::radix; ++m) take(j + m * P::stride, a[m]);
    }
}

template <U32 n>
VEDETTE_INLINE void finish_forward(float* tile, const float* roots, float* spectrum, U32 strip) {
    run_passes<n, 1, Pass<n, 0>::count, Way::forward>(tile, roots);
    separate<n>(tile, spectrum, strip);
}
template <U32 n>
VEDETTE_INLINE void begin_inverse(const float* spectrum, U32 strip, const float* roots, float* tile) {
    combine<n>(spectrum, strip, tile);
    run_passes<n, 1, Pass<n, 0>::count, Way::inverse>(tile, roots);
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
