// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/pyramid.h"

#include "kernels/halving.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

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

// Bytes are taken from both rows at once.
template <>
void area2(const PyramidRow<Byte>& row) {
    halve8(row.rows[0], row.rows[1], row.in_width / 2, row.channels, row.out);
    if (row.in_width % 2 == 0) return;
    const std::uint64_t last = std::uint64_t{row.in_width - 1} * row.channels;
    Byte* const out = row.out + std::uint64_t{row.in_width / 2} * row.channels;
    for (U32 c = 0; c < row.channels; ++c) out[c] = mean<1>(U32{row.rows[0][last + c]} + row.rows[1][last + c], Byte{});
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

#if VEDETTE_ISA_LEVEL >= 1

__m256i load_words(const Word* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
__m256i times_4(__m256i words) {
    return _mm256_slli_epi16(words, 2);
}

// Sixteen means around the elements from at[2 * step] on, as bytes in 16-bit lanes: the sums of both directions are at
// most 255 * 256 + 128, so they fit the lanes.
template <U32 step>
__m256i means_around(const Word* at) {
    const __m256i middle = load_words(at + 2 * step);
    const __m256i outer = _mm256_add_epi16(load_words(at), load_words(at + 4 * step));
    const __m256i inner = _mm256_add_epi16(load_words(at + step), load_words(at + 3 * step));
    const __m256i six = _mm256_add_epi16(times_4(middle), _mm256_add_epi16(middle, middle));
    const __m256i sum =
        _mm256_add_epi16(_mm256_add_epi16(outer, times_4(inner)), _mm256_add_epi16(six, _mm256_set1_epi16(128)));
    return _mm256_srli_epi16(sum, 8);
}
__m128i bytes_of(__m256i words) {
    return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

// Means for pixels x on, in whole steps that end before `end`; gives where it stopped. The last loads reach a few sums
// beyond the row, into its padding.
template <U32 channels>
U32 inner_vectors(const Word* sums, U32 x, U32 end, Byte* out) {
    if constexpr (channels == 1) {
        // Pairs of neighbours: (0, 1), (2, 3) and (4, nothing).
        const __m256i first = _mm256_set1_epi32(1 | 4 << 16), second = _mm256_set1_epi32(6 | 4 << 16),
                      third = _mm256_set1_epi32(1), half = _mm256_set1_epi32(128);
        const auto eight = [&](const Word* at) {
            const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(load_words(at), first),
                                                 _mm256_madd_epi16(load_words(at + 2), second));
            const __m256i last = _mm256_add_epi32(_mm256_madd_epi16(load_words(at + 4), third), half);
            return _mm256_srli_epi32(_mm256_add_epi32(sum, last), 8);
        };
        for (; x + 16 <= end; x += 16) {
            const Word* const at = sums + 2 * (x - 1);
            const __m256i words = _mm256_packus_epi32(eight(at), eight(at + 16));
            const __m128i bytes = bytes_of(_mm256_permute4x64_epi64(words, 0xd8));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + x), bytes);
        }
    } else if constexpr (channels == 3) {
        // Sixteen pixels in three vectors: every second one is kept.
        const __m128i low_a = _mm_setr_epi8(0, 1, 2, 6, 7, 8, 12, 13, 14, -1, -1, -1, -1, -1, -1, -1);
        const __m128i low_b = _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3, 4, 8, 9, 10, 14);
        const __m128i high_b = _mm_setr_epi8(15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
        const __m128i high_c = _mm_setr_epi8(-1, 0, 4, 5, 6, 10, 11, 12, -1, -1, -1, -1, -1, -1, -1, -1);
        for (; x + 8 <= end; x += 8) {
            const Word* const at = sums + std::uint64_t{6} * (x - 1);
            const __m128i a = bytes_of(means_around<3>(at)), b = bytes_of(means_around<3>(at + 16)),
                          c = bytes_of(means_around<3>(at + 32));
            Byte* const to = out + std::uint64_t{3} * x;
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                             _mm_or_si128(_mm_shuffle_epi8(a, low_a), _mm_shuffle_epi8(b, low_b)));
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 16),
                             _mm_or_si128(_mm_shuffle_epi8(b, high_b), _mm_shuffle_epi8(c, high_c)));
        }
    } else {
        // Four pixels in a vector: the first and the third are kept.
        const __m256i kept = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
        for (; x + 4 <= end; x += 4) {
            const Word* const at = sums + std::uint64_t{8} * (x - 1);
            const __m256i a = _mm256_permutevar8x32_epi32(means_around<4>(at), kept),
                          b = _mm256_permutevar8x32_epi32(means_around<4>(at + 16), kept);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + std::uint64_t{4} * x),
                             _mm_packus_epi16(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b)));
        }
    }
    return x;
}

// Sums down the columns of five rows of bytes; gives where it stopped.
U32 column_vectors(const PyramidRow<Byte>& row, U32 count, Word* sums) {
    const __m256i one_four = _mm256_set1_epi16(1 | 4 << 8), six_four = _mm256_set1_epi16(6 | 4 << 8),
                  one = _mm256_set1_epi16(1);
    U32 i = 0;
    for (; i + 32 <= count; i += 32) {
        const auto load = [&](U32 which) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row.rows[which] + i));
        };
        const __m256i a = load(0), b = load(1), c = load(2), d = load(3), e = load(4), zero = _mm256_setzero_si256();
        const auto sum = [&](__m256i ab, __m256i cd, __m256i e0) {
            return _mm256_add_epi16(
                _mm256_add_epi16(_mm256_maddubs_epi16(ab, one_four), _mm256_maddubs_epi16(cd, six_four)),
                _mm256_maddubs_epi16(e0, one));
        };
        const __m256i low = sum(_mm256_unpacklo_epi8(a, b), _mm256_unpacklo_epi8(c, d), _mm256_unpacklo_epi8(e, zero));
        const __m256i high = sum(_mm256_unpackhi_epi8(a, b), _mm256_unpackhi_epi8(c, d), _mm256_unpackhi_epi8(e, zero));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i + 16), _mm256_permute2x128_si256(low, high, 0x31));
    }
    return i;
}

#else

template <U32 channels>
U32 inner_vectors(const Word*, U32 x, U32, Byte*) {
    return x;
}
U32 column_vectors(const PyramidRow<Byte>&, U32, Word*) {
    return 0;
}

#endif

// Only bytes have vectors of their own: the loops of the other depths become vectors as they stand.
template <U32 channels, class S, class T>
U32 inner_vectors(const S*, U32 x, U32, T*) {
    return x;
}
template <class T>
U32 column_vectors(const PyramidRow<T>&, U32, Sum<T>*) {
    return 0;
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
    for (U32 x = inner_vectors<channels>(sums, 1, inner, out); x < inner; ++x) {
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
    for (U32 i = column_vectors(row, count, sums); i < count; ++i)
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
