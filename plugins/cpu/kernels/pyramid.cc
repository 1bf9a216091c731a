// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/pyramid.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const PyramidKernels pyramid_kernels;

namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;
using U32 = std::uint32_t;

// What sums of elements are kept in: of bytes at most 16 * 255 down a column.
template <class T>
struct SumOf {
    using type = U32;
};
template <>
struct SumOf<Byte> {
    using type = Word;
};
template <>
struct SumOf<float> {
    using type = float;
};
template <class T>
using Sum = typename SumOf<T>::type;

// Sums of both directions.
using Total = U32;
inline Total total(Word value) {
    return value;
}
inline Total total(U32 value) {
    return value;
}
inline float total(float value) {
    return value;
}

// sum / 2^bits.
template <unsigned bits>
Byte mean(Total sum, Byte) {
    return static_cast<Byte>((sum + (1u << (bits - 1))) >> bits);
}
template <unsigned bits>
Word mean(Total sum, Word) {
    return static_cast<Word>((sum + (1u << (bits - 1))) >> bits);
}
template <unsigned bits>
float mean(float sum, float) {
    return sum * (1.0F / static_cast<float>(1u << bits));
}

// ---- area2 -------------------------------------------------------------------------------------------------------

template <U32 channels, class T>
void area2_across(const Sum<T>* __restrict sums, U32 in_width, T* __restrict out) {
    const U32 pairs = in_width / 2;
    for (U32 x = 0; x < pairs; ++x)
        for (U32 c = 0; c < channels; ++c)
            out[x * channels + c] =
                mean<2>(total(sums[2 * x * channels + c]) + total(sums[(2 * x + 1) * channels + c]), T{});
    if (in_width % 2 == 0) return;
    for (U32 c = 0; c < channels; ++c) {
        const auto last = total(sums[2 * pairs * channels + c]);
        out[pairs * channels + c] = mean<2>(last + last, T{});
    }
}

template <class T>
void area2(const PyramidRow<T>& row) {
    auto* __restrict const sums = static_cast<Sum<T>*>(row.sums);
    const T* __restrict const a = row.rows[0];
    const T* __restrict const b = row.rows[1];
    const U32 count = row.in_width * row.channels;
    for (U32 i = 0; i < count; ++i)
        sums[i] = static_cast<Sum<T>>(static_cast<Sum<T>>(a[i]) + static_cast<Sum<T>>(b[i]));
    if (row.channels == 1) return area2_across<1>(sums, row.in_width, row.out);
    if (row.channels == 3) return area2_across<3>(sums, row.in_width, row.out);
    area2_across<4>(sums, row.in_width, row.out);
}

// ---- gauss5 ------------------------------------------------------------------------------------------------------

// The five are added in the same order along and down: outer, inner, middle.
template <class S>
S five(S a, S b, S c, S d, S e) {
    return static_cast<S>((a + e) + 4 * (b + d) + 6 * c);
}

// Of a row of `width`, beyond one of its edges by at most two pixels.
U32 reflected(std::int64_t x, U32 width) {
    if (width == 1) return 0;
    const std::int64_t period = 2 * (std::int64_t{width} - 1);
    x = x < 0 ? -x : x % period;
    x %= period;
    return static_cast<U32>(x < width ? x : period - x);
}

template <U32 channels, class T>
void gauss5_across(const Sum<T>* __restrict sums, U32 in_width, T* __restrict out) {
    const U32 width = (in_width + 1) / 2;
    const auto edge = [&](U32 x) {
        const Sum<T>* at[5];
        for (std::int64_t i = 0; i < 5; ++i) at[i] = sums + reflected(2 * std::int64_t{x} + i - 2, in_width) * channels;
        for (U32 c = 0; c < channels; ++c)
            out[x * channels + c] =
                mean<8>(five(total(at[0][c]), total(at[1][c]), total(at[2][c]), total(at[3][c]), total(at[4][c])), T{});
    };
    edge(0);
    // The last inner pixel reaches 2 x + 2 <= in_width - 1.
    const U32 inner = in_width < 5 ? 1 : (in_width - 3) / 2 + 1;
    for (U32 x = 1; x < inner; ++x) {
        const Sum<T>* const at = sums + (2 * x - 2) * channels;
        for (U32 c = 0; c < channels; ++c)
            out[x * channels + c] = mean<8>(five(total(at[c]), total(at[channels + c]), total(at[2 * channels + c]),
                                                 total(at[3 * channels + c]), total(at[4 * channels + c])),
                                            T{});
    }
    for (U32 x = inner; x < width; ++x) edge(x);
}

template <class T>
void gauss5(const PyramidRow<T>& row) {
    auto* __restrict const sums = static_cast<Sum<T>*>(row.sums);
    const T* __restrict const a = row.rows[0];
    const T* __restrict const b = row.rows[1];
    const T* __restrict const c = row.rows[2];
    const T* __restrict const d = row.rows[3];
    const T* __restrict const e = row.rows[4];
    const U32 count = row.in_width * row.channels;
    for (U32 i = 0; i < count; ++i)
        sums[i] = five(static_cast<Sum<T>>(a[i]), static_cast<Sum<T>>(b[i]), static_cast<Sum<T>>(c[i]),
                       static_cast<Sum<T>>(d[i]), static_cast<Sum<T>>(e[i]));
    if (row.channels == 1) return gauss5_across<1>(sums, row.in_width, row.out);
    if (row.channels == 3) return gauss5_across<3>(sums, row.in_width, row.out);
    gauss5_across<4>(sums, row.in_width, row.out);
}

}  // namespace

const PyramidKernels pyramid_kernels = {
    .area2_8 = area2<Byte>,
    .area2_16 = area2<Word>,
    .area2_f32 = area2<float>,
    .gauss5_8 = gauss5<Byte>,
    .gauss5_16 = gauss5<Word>,
    .gauss5_f32 = gauss5<float>,
};

}  // namespace vedette::cpu::VEDETTE_ISA
