// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/integral.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

extern const IntegralKernels integral_kernels;

namespace {

using Byte = std::uint8_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

U32 square_of(Byte value) {
    return U32{value} * value;
}

// ---- Plain loops: the portable set, and the ends of rows of the others ------------------------------------------

// From `begin` on, after a sum of `carry` to the left. Gives the sum up to `end`.
template <bool squares, class Sum>
U32 plain(const Byte* row, U32 begin, U32 end, U32 carry, const Sum* above, Sum* out) {
    for (U32 x = begin; x < end; ++x) {
        carry += squares ? square_of(row[x]) : row[x];
        out[x] = above[x] + static_cast<Sum>(carry);
    }
    return carry;
}

template <bool squares, class Sum>
U32 plain_stream(const Byte* row, U32 begin, U32 end, U32 carry, Sum* above, Sum* out) {
    for (U32 x = begin; x < end; ++x) {
        carry += squares ? square_of(row[x]) : row[x];
        above[x] += static_cast<Sum>(carry);
        out[x] = above[x];
    }
    return carry;
}

template <bool squares>
void add_columns(const Byte* first, std::int64_t stride, U32 rows, U32 count, U32* sums) {
    // Stretches of columns whose sums stay in the first-level cache. Two rows at a time: half the loads and stores of
    // sums.
    constexpr U32 stretch = 2048;
    for (U32 begin = 0; begin < count; begin += stretch) {
        const U32 width = count - begin < stretch ? count - begin : stretch;
        U32* __restrict const sum = sums + begin;
        U32 y = 0;
        for (; y + 2 <= rows; y += 2) {
            const Byte* const row = first + begin + y * stride;
            const Byte* __restrict const even = row;
            const Byte* __restrict const odd = row + stride;
            for (U32 x = 0; x < width; ++x)
                sum[x] += squares ? square_of(even[x]) + square_of(odd[x]) : U32{even[x]} + odd[x];
        }
        if (y == rows) continue;
        const Byte* __restrict const row = first + begin + y * stride;
        for (U32 x = 0; x < width; ++x) sum[x] += squares ? square_of(row[x]) : row[x];
    }
}

void prefix_f32(const float* row, U32 count, bool squared, double* out) {
    double sum = 0;
    if (squared) {
        for (U32 x = 0; x < count; ++x) {
            const auto value = static_cast<double>(row[x]);
            sum += value * value;
            out[x] = sum;
        }
    } else {
        for (U32 x = 0; x < count; ++x) {
            sum += static_cast<double>(row[x]);
            out[x] = sum;
        }
    }
}

template <class Sum>
void add(const Sum* __restrict above, U32 count, Sum* __restrict out) {
    for (U32 x = 0; x < count; ++x) out[x] += above[x];
}

template <class Sum>
void tilted(const Sum* __restrict prefix, Sum* __restrict falling, Sum* __restrict rising, Sum* __restrict out,
            U32 count) {
    const Sum* const left = prefix - 1;
    for (U32 x = 0; x < count; ++x) {
        const Sum a = falling[x] + prefix[x];
        const Sum b = rising[x] + left[x];
        falling[x] = a;
        rising[x] = b;
        out[x] = a - b;
    }
}

#if VEDETTE_ISA_LEVEL >= 1

constexpr U32 step = 16;  // pixels

__m256i load(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
void store(void* at, __m256i value) {
    _mm256_storeu_si256(static_cast<__m256i*>(at), value);
}

U32 first_lane(__m256i value) {
    return static_cast<U32>(_mm_cvtsi128_si32(_mm256_castsi256_si128(value)));
}

__m256i words_of(const Byte* at) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// Sixteen running sums as two vectors of eight 32-bit lanes, each beginning anew.
struct Prefix {
    __m256i low;
    __m256i high;
};

// Of pixels: at most 8 * 255, so the steps by 1, 2 and 4 pixels fit 16-bit lanes.
Prefix prefix_of(__m256i words) {
    words = _mm256_add_epi16(words, _mm256_slli_si256(words, 2));
    words = _mm256_add_epi16(words, _mm256_slli_si256(words, 4));
    words = _mm256_add_epi16(words, _mm256_slli_si256(words, 8));
    return {_mm256_cvtepu16_epi32(_mm256_castsi256_si128(words)),
            _mm256_cvtepu16_epi32(_mm256_extracti128_si256(words, 1))};
}

__m256i prefix_of_8(__m256i lanes) {
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 4));
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 8));
    const __m256i last = _mm256_shuffle_epi32(lanes, 0xff);
    return _mm256_add_epi32(lanes, _mm256_permute2x128_si256(last, last, 0x08));  // the low half's sum to the high half
}

// Of squares: each fits an unsigned 16-bit lane.
Prefix prefix_of_squares(__m256i words) {
    const __m256i squares = _mm256_mullo_epi16(words, words);
    return {prefix_of_8(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(squares))),
            prefix_of_8(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(squares, 1)))};
}

// Where sums go: over the row below, or past the caches and over the row above.
struct Beside {
    static void put(U32*, U32* out, __m256i sums) { store(out, sums); }
    static void put(U64*, U64* out, __m256i sums) { store(out, sums); }
    static void put(double*, double* out, __m256d sums) { _mm256_storeu_pd(out, sums); }
};
struct Past {
    static void stream(void* out, __m256i sums) { _mm256_stream_si256(static_cast<__m256i*>(out), sums); }
    static void put(U32* above, U32* out, __m256i sums) {
        store(above, sums);
        stream(out, sums);
    }
    static void put(U64* above, U64* out, __m256i sums) {
        store(above, sums);
        stream(out, sums);
    }
    static void put(double* above, double* out, __m256d sums) {
        _mm256_storeu_pd(above, sums);
        _mm256_stream_pd(out, sums);
    }
};

// Eight sums above, plus eight sums of this row as unsigned 32-bit lanes.
template <class To>
void add_8(U32* above, __m256i sums, U32* out) {
    To::put(above, out, _mm256_add_epi32(load(above), sums));
}

template <class To>
void add_8(U64* above, __m256i sums, U64* out) {
    const __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(sums));
    const __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(sums, 1));
    To::put(above, out, _mm256_add_epi64(load(above), low));
    To::put(above + 4, out + 4, _mm256_add_epi64(load(above + 4), high));
}

// Exact: the bits of 2^52 + n are those of 2^52 with n in the low end.
__m256d reals_of(__m128i lanes) {
    const __m256d two_52 = _mm256_set1_pd(4503599627370496.0);
    const __m256i bits = _mm256_or_si256(_mm256_cvtepu32_epi64(lanes), _mm256_castpd_si256(two_52));
    return _mm256_sub_pd(_mm256_castsi256_pd(bits), two_52);
}

template <class To>
void add_8(double* above, __m256i sums, double* out) {
    const __m256d low = reals_of(_mm256_castsi256_si128(sums));
    const __m256d high = reals_of(_mm256_extracti128_si256(sums, 1));
    To::put(above, out, _mm256_add_pd(_mm256_loadu_pd(above), low));
    To::put(above + 4, out + 4, _mm256_add_pd(_mm256_loadu_pd(above + 4), high));
}

// From x on, after a sum of `carry` to the left; gives where it stopped, and the sum up to there.
template <bool squares, class To, class Sum>
U32 vector_sums(const Byte* row, U32 x, U32 count, U32& carry, Sum* above, Sum* out) {
    const __m256i last = _mm256_set1_epi32(7);
    __m256i left = _mm256_set1_epi32(static_cast<int>(carry));
    for (; U64{x} + step <= count; x += step) {
        const __m256i words = words_of(row + x);
        const Prefix prefix = squares ? prefix_of_squares(words) : prefix_of(words);
        // The sums of both halves come from `prefix`, not from `left`, so that one addition is all that a step waits
        // for.
        const __m256i low_sum = _mm256_permutevar8x32_epi32(prefix.low, last);
        const __m256i high_sum = _mm256_permutevar8x32_epi32(prefix.high, last);
        add_8<To>(above + x, _mm256_add_epi32(prefix.low, left), out + x);
        add_8<To>(above + x + 8, _mm256_add_epi32(prefix.high, _mm256_add_epi32(left, low_sum)), out + x + 8);
        left = _mm256_add_epi32(left, _mm256_add_epi32(low_sum, high_sum));
    }
    carry = first_lane(left);
    return x;
}

template <bool squares, class Sum>
void row_sums(const Byte* row, U32 count, const Sum* above, Sum* out) {
    U32 carry = 0;
    // Beside does not write through `above`.
    const U32 x = vector_sums<squares, Beside>(row, 0, count, carry, const_cast<Sum*>(above), out);
    plain<squares>(row, x, count, carry, above, out);
}

// Whole cache lines go past the caches, the ends of the row do not.
template <bool squares, class Sum>
void stream_sums(const Byte* row, U32 count, Sum* above, Sum* out) {
    constexpr std::uintptr_t line = 64;
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(out) % line;
    const auto to_line = static_cast<U32>((line - beyond) % line / sizeof(Sum));
    const U32 head = to_line < count ? to_line : count;
    U32 carry = plain_stream<squares>(row, 0, head, 0, above, out);
    const U32 x = vector_sums<squares, Past>(row, head, count, carry, above, out);
    plain_stream<squares>(row, x, count, carry, above, out);
    _mm_sfence();
}

#else

template <bool squares, class Sum>
void row_sums(const Byte* row, U32 count, const Sum* above, Sum* out) {
    plain<squares>(row, 0, count, 0, above, out);
}

template <bool squares, class Sum>
void stream_sums(const Byte* row, U32 count, Sum* above, Sum* out) {
    plain_stream<squares>(row, 0, count, 0, above, out);
}

#endif

}  // namespace

const IntegralKernels integral_kernels = {
    .add_columns = add_columns<false>,
    .add_squared_columns = add_columns<true>,
    .sum_i32 = row_sums<false, U32>,
    .sum_f64 = row_sums<false, double>,
    .squared_i64 = row_sums<true, U64>,
    .squared_f64 = row_sums<true, double>,
    .stream_sum_i32 = stream_sums<false, U32>,
    .stream_sum_f64 = stream_sums<false, double>,
    .stream_squared_i64 = stream_sums<true, U64>,
    .stream_squared_f64 = stream_sums<true, double>,
    .prefix_f32 = prefix_f32,
    .add_i32 = add<U32>,
    .add_f64 = add<double>,
    .tilted_i32 = tilted<U32>,
    .tilted_f64 = tilted<double>,
};

}  // namespace vedette::cpu::VEDETTE_ISA
