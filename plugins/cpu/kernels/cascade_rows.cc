// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/cascade_parts.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

using Byte = std::uint8_t;
using Short = std::uint16_t;
using I32 = std::int32_t;
using U32 = std::uint32_t;

constexpr U32 top_bit = 0x8000;

Short blended(Byte a, Byte b, U32 weight) {
    return static_cast<Short>((a * (256 - weight) + b * weight) ^ top_bit);
}

#if VEDETTE_ISA_LEVEL >= 1

__m256i load(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

__m128i load_half(const void* at) {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

void store(void* at, __m256i value) {
    _mm256_storeu_si256(static_cast<__m256i*>(at), value);
}

__m256i words_of(const Byte* at) {
    return _mm256_cvtepu8_epi16(load_half(at));
}

// 32-bit sums of eight pairs of 16-bit source pixels, rounded. The pixels' highest bits are inverted, which makes them
// signed and each weighted sum smaller by 256 * 2^15.
__m256i resampled(__m256i pixels, const U32* weights) {
    const __m256i rounding = _mm256_set1_epi32(256 * 0x8000 + 0x8000);
    return _mm256_srli_epi32(_mm256_add_epi32(_mm256_madd_epi16(pixels, load(weights)), rounding), 16);
}

// Eight columns by shuffling two times eight source pixels.
__m256i shuffled_8(const Short* row, const CascadeColumns& columns, U32 x) {
    const __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(row + columns.first[x])),
                                                   load_half(row + columns.first[x + 4]), 1);
    return resampled(_mm256_shuffle_epi8(pixels, load(columns.bytes + std::uint64_t{4} * x)), columns.weights + x);
}

// Eight columns, wherever their source pixels lie.
__m256i gathered_8(const Short* row, const CascadeColumns& columns, U32 x) {
    const __m256i pixels =
        _mm256_i32gather_epi32(static_cast<const int*>(static_cast<const void*>(row)), load(columns.first + x), 2);
    return resampled(pixels, columns.weights + x);
}

// Running sums of eight 16-bit numbers in each half of a vector, below 2^16.
__m256i running_16(__m256i words) {
    words = _mm256_add_epi16(words, _mm256_slli_si256(words, 2));
    words = _mm256_add_epi16(words, _mm256_slli_si256(words, 4));
    return _mm256_add_epi16(words, _mm256_slli_si256(words, 8));
}

// Running sums of sixteen words as two vectors of eight lanes, on top of `left`, which becomes their last.
void running_32(__m256i words, __m256i& left, __m256i& low, __m256i& high) {
    const __m256i last = _mm256_set1_epi32(7);
    words = running_16(words);
    low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words));
    high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(words, 1));
    const __m256i low_sum = _mm256_permutevar8x32_epi32(low, last);
    const __m256i high_sum = _mm256_permutevar8x32_epi32(high, last);
    low = _mm256_add_epi32(low, left);
    high = _mm256_add_epi32(high, _mm256_add_epi32(left, low_sum));
    left = _mm256_add_epi32(left, _mm256_add_epi32(low_sum, high_sum));
}

__m256i running_8(__m256i lanes) {
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 4));
    lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 8));
    const __m256i last = _mm256_shuffle_epi32(lanes, 0xff);
    return _mm256_add_epi32(lanes, _mm256_permute2x128_si256(last, last, 0x08));
}

#else

// Where column x of a row of sums lies.
U32 place(U32 x, U32 half) {
    return half == 0 ? x : (x % 2) * half + x / 2;
}

I32 plus(I32 a, U32 b) {
    return static_cast<I32>(static_cast<U32>(a) + b);
}

#endif

}  // namespace

#if VEDETTE_ISA_LEVEL >= 1

void blend(const Byte* a, const Byte* b, U32 weight, U32 count, Short* out) {
    const __m256i first = _mm256_set1_epi16(static_cast<short>(256 - weight));
    const __m256i second = _mm256_set1_epi16(static_cast<short>(weight));
    const __m256i top = _mm256_set1_epi16(static_cast<short>(top_bit));
    U32 x = 0;
    for (; x + 16 <= count; x += 16) {
        const __m256i sum =
            _mm256_add_epi16(_mm256_mullo_epi16(words_of(a + x), first), _mm256_mullo_epi16(words_of(b + x), second));
        store(out + x, _mm256_xor_si256(sum, top));
    }
    for (; x < count; ++x) out[x] = blended(a[x], b[x], weight);
}

void resample(const Short* row, I32 offset, const CascadeColumns& columns, U32 begin, U32 count, Byte* out) {
    const Short* const from = row - offset;
    for (U32 x = 0; x < count; x += 16) {
        const U32 at = begin + x;
        const bool near = columns.bytes != nullptr;
        const __m256i low = near ? shuffled_8(from, columns, at) : gathered_8(from, columns, at);
        const __m256i high = near ? shuffled_8(from, columns, at + 8) : gathered_8(from, columns, at + 8);
        const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
        _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(out + x)),
                         _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
    }
}

void integrate(const Byte* row, U32 count, const I32* above, I32* out) {
    out[0] = 0;
    __m256i left = _mm256_setzero_si256();
    for (U32 x = 0; x < count; x += 16) {
        __m256i low, high;
        running_32(words_of(row + x), left, low, high);
        store(out + x + 1, _mm256_add_epi32(low, load(above + x + 1)));
        store(out + x + 9, _mm256_add_epi32(high, load(above + x + 9)));
    }
}

void integrate_halves(const Byte* row, U32 count, U32 half, const I32* above, I32* out) {
    const __m256i zero = _mm256_setzero_si256();
    out[0] = 0;
    __m256i left = zero;
    for (U32 x = 0; x < count; x += 32) {
        const __m256i bytes = load(row + x);
        const __m256i odd = _mm256_srli_epi16(bytes, 8);
        __m256i low, high;
        running_32(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), left, low, high);
        const U32 at = x / 2;
        store(out + at + 1, _mm256_add_epi32(low, load(above + at + 1)));
        store(out + at + 9, _mm256_add_epi32(high, load(above + at + 9)));
        // A sum at an odd column lacks the pair's second pixel.
        const __m256i odd_low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(odd));
        const __m256i odd_high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(odd, 1));
        I32* const to = out + half + at;
        const I32* const from = above + half + at;
        store(to, _mm256_add_epi32(_mm256_sub_epi32(low, odd_low), load(from)));
        store(to + 8, _mm256_add_epi32(_mm256_sub_epi32(high, odd_high), load(from + 8)));
    }
}

void move_squares(const Byte* new_row, const Byte* old_row, U32 count, U32* columns) {
    const __m256i zero = _mm256_setzero_si256();
    for (U32 x = 0; x < count; x += 16) {
        const __m256i added = words_of(new_row + x);
        const __m256i taken = old_row == nullptr ? zero : words_of(old_row + x);
        const __m256i minus = _mm256_sub_epi16(zero, taken);
        // Products of the pairs (new, old) and (new, -old); interleaving leaves lanes 0-3, 8-11 and 4-7, 12-15
        // together.
        const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(added, taken), _mm256_unpacklo_epi16(added, minus));
        const __m256i high =
            _mm256_madd_epi16(_mm256_unpackhi_epi16(added, taken), _mm256_unpackhi_epi16(added, minus));
        const __m256i first = _mm256_permute2x128_si256(low, high, 0x20);
        const __m256i second = _mm256_permute2x128_si256(low, high, 0x31);
        store(columns + x, _mm256_add_epi32(load(columns + x), first));
        store(columns + x + 8, _mm256_add_epi32(load(columns + x + 8), second));
    }
}

void sum_squares(const U32* columns, U32 count, U32 half, U32* out) {
    const __m256i last = _mm256_set1_epi32(7);
    __m256i left = _mm256_setzero_si256();
    out[0] = 0;
    if (half == 0) {
        for (U32 x = 0; x < count; x += 8) {
            const __m256i sums = _mm256_add_epi32(running_8(load(columns + x)), left);
            store(out + x + 1, sums);
            left = _mm256_permutevar8x32_epi32(sums, last);
        }
        return;
    }
    const __m256i apart = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    for (U32 x = 0; x < count; x += 8) {
        const __m256i sums = _mm256_add_epi32(running_8(load(columns + x)), left);
        left = _mm256_permutevar8x32_epi32(sums, last);
        // Sums x + 1 .. x + 8: the first, third ... are of odd columns.
        const __m256i halves = _mm256_permutevar8x32_epi32(sums, apart);
        _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(out + half + x / 2)), _mm256_castsi256_si128(halves));
        _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(out + x / 2 + 1)),
                         _mm256_extracti128_si256(halves, 1));
    }
}

#else

void blend(const Byte* a, const Byte* b, U32 weight, U32 count, Short* out) {
    for (U32 x = 0; x < count; ++x) out[x] = blended(a[x], b[x], weight);
}

void resample(const Short* row, I32 offset, const CascadeColumns& columns, U32 begin, U32 count, Byte* out) {
    for (U32 x = 0; x < count; ++x) {
        const Short* const from = row + (columns.first[begin + x] - offset);
        const U32 weights = columns.weights[begin + x];
        const U32 sum = (from[0] ^ top_bit) * (weights & 0xffff) + (from[1] ^ top_bit) * (weights >> 16);
        out[x] = static_cast<Byte>((sum + 0x8000) >> 16);
    }
}

void integrate(const Byte* row, U32 count, const I32* above, I32* out) {
    U32 sum = 0;
    out[0] = 0;
    for (U32 x = 0; x < count; ++x) {
        sum += row[x];
        out[x + 1] = plus(above[x + 1], sum);
    }
}

void integrate_halves(const Byte* row, U32 count, U32 half, const I32* above, I32* out) {
    U32 sum = 0;
    out[0] = 0;
    for (U32 x = 0; x < count; ++x) {
        sum += row[x];
        const U32 at = place(x + 1, half);
        out[at] = plus(above[at], sum);
    }
}

void move_squares(const Byte* new_row, const Byte* old_row, U32 count, U32* columns) {
    for (U32 x = 0; x < count; ++x) {
        const U32 old_pixel = old_row == nullptr ? 0 : old_row[x];
        columns[x] += U32{new_row[x]} * new_row[x] - old_pixel * old_pixel;
    }
}

void sum_squares(const U32* columns, U32 count, U32 half, U32* out) {
    U32 sum = 0;
    out[0] = 0;
    for (U32 x = 0; x < count; ++x) {
        sum += columns[x];
        out[place(x + 1, half)] = sum;
    }
}

#endif

// T(x, y) = sum of falling diagonals less that of rising ones: falling(x, y) = falling(x + 1, y - 1) + prefix(x), and
// rising(x, y) = rising(x - 1, y - 1) + prefix(x - 1). Beyond the strip's sides both begin with nothing: what they lack
// there is the same along a diagonal, and the four corners of a tilted rectangle lie on two pairs of diagonals.
void integrate_tilted(const Byte* row, U32 count, U32 half, U32* prefix, U32* falling, U32* rising, I32* out) {
    prefix[0] = 0;
    for (U32 x = 0; x < count; ++x) prefix[x + 1] = prefix[x] + row[x];
    for (U32 x = 0; x < count; ++x) falling[x] = falling[x + 1] + prefix[x];
    falling[count] = prefix[count];
    for (U32 x = count; x > 0; --x) rising[x] = rising[x - 1] + prefix[x - 1];
    rising[0] = 0;
    if (half == 0) {
        for (U32 x = 0; x <= count; ++x) out[x] = static_cast<I32>(falling[x] - rising[x]);
        return;
    }
    for (U32 x = 0; x <= count; x += 2) out[x / 2] = static_cast<I32>(falling[x] - rising[x]);
    for (U32 x = 1; x <= count; x += 2) out[half + x / 2] = static_cast<I32>(falling[x] - rising[x]);
}

}  // namespace vedette::cpu::VEDETTE_ISA
