// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/filter_bytes.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

extern const ByteFilterKernels byte_filter_kernels;

namespace {

using Byte = std::uint8_t;
using Word = std::int16_t;
using U32 = std::uint32_t;

constexpr unsigned down_shift = byte_weight_bits - byte_word_bits;
constexpr unsigned along_shift = byte_weight_bits + byte_word_bits;

// From `begin` on; at(i)[x] is tap i of element x.
template <unsigned shift, class At, class Out>
void plain(const At& at, const ByteWeights& weights, U32 begin, U32 count, Out* out) {
    const U32 half = weights.taps / 2;
    for (U32 x = begin; x < count; ++x) {
        std::int32_t sum = 1 << (shift - 1);
        for (U32 i = 0; i < half; ++i) sum += weights.weight[i] * (at(i)[x] + at(weights.taps - 1 - i)[x]);
        sum += weights.weight[half] * at(half)[x];
        out[x] = static_cast<Out>(sum >> shift);
    }
}

#if VEDETTE_ISA_LEVEL >= 1

__m256i load_words(const Byte* at) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}
__m256i load_words(const Word* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

// Sixteen sums of products, rounded, as words.
template <unsigned shift, class At>
[[gnu::always_inline]] inline __m256i words_at(const At& at, const ByteWeights& weights, U32 x) {
    const U32 half = weights.taps / 2, terms = half + 1;
    const auto term = [&](U32 i) {
        return i == half ? load_words(at(half) + x)
                         : _mm256_add_epi16(load_words(at(i) + x), load_words(at(weights.taps - 1 - i) + x));
    };
    __m256i low = _mm256_set1_epi32(1 << (shift - 1)), high = low;
    // Two terms side by side for one multiplication and addition of pairs.
    for (U32 i = 0; i < terms; i += 2) {
        const bool both = i + 1 < terms;
        const __m256i first = term(i), second = both ? term(i + 1) : _mm256_setzero_si256();
        const auto pair = static_cast<U32>(static_cast<std::uint16_t>(weights.weight[i])) |
                          (both ? static_cast<U32>(static_cast<std::uint16_t>(weights.weight[i + 1])) << 16 : 0);
        const __m256i weight = _mm256_set1_epi32(static_cast<int>(pair));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(first, second), weight));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(first, second), weight));
    }
    return _mm256_packs_epi32(_mm256_srai_epi32(low, shift), _mm256_srai_epi32(high, shift));
}

// The number of taps is a constant of the loop where it is one of the usual few.
void down(const Byte* const* rows, const ByteWeights& weights, U32 count, Word* out) {
    const auto run = [&](const ByteWeights& w) __attribute__((always_inline)) {
        const auto at = [rows](U32 tap) { return rows[tap]; };
        U32 x = 0;
        for (; x + 16 <= count; x += 16)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), words_at<down_shift>(at, w, x));
        plain<down_shift>(at, w, x, count, out);
    };
    switch (weights.taps) {
        case 3:
            return run({weights.weight, 3});
        case 5:
            return run({weights.weight, 5});
        case 7:
            return run({weights.weight, 7});
        default:
            return run(weights);
    }
}

// `streams`: past the caches; then `out` is a multiple of 32.
template <bool streams>
void along_to(const Word* in, const ByteWeights& weights, U32 step, U32 count, Byte* out) {
    const auto run = [&](const ByteWeights& w) __attribute__((always_inline)) {
        const auto at = [in, step](U32 tap) { return in + std::uint64_t{tap} * step; };
        U32 x = 0;
        for (; x + 32 <= count; x += 32) {
            const __m256i packed =
                _mm256_packus_epi16(words_at<along_shift>(at, w, x), words_at<along_shift>(at, w, x + 16));
            const __m256i bytes = _mm256_permute4x64_epi64(packed, 0xd8);
            if constexpr (streams)
                _mm256_stream_si256(reinterpret_cast<__m256i*>(out + x), bytes);
            else
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), bytes);
        }
        if constexpr (streams) _mm_sfence();
        plain<along_shift>(at, w, x, count, out);
    };
    switch (weights.taps) {
        case 3:
            return run({weights.weight, 3});
        case 5:
            return run({weights.weight, 5});
        case 7:
            return run({weights.weight, 7});
        default:
            return run(weights);
    }
}

void along(const Word* in, const ByteWeights& weights, U32 step, U32 count, Byte* out, bool past_caches) {
    if (past_caches && reinterpret_cast<std::uintptr_t>(out) % 32 == 0)
        return along_to<true>(in, weights, step, count, out);
    along_to<false>(in, weights, step, count, out);
}

#else

void down(const Byte* const* rows, const ByteWeights& weights, U32 count, Word* out) {
    plain<down_shift>([rows](U32 tap) { return rows[tap]; }, weights, 0, count, out);
}

void along(const Word* in, const ByteWeights& weights, U32 step, U32 count, Byte* out, bool) {
    plain<along_shift>([in, step](U32 tap) { return in + std::uint64_t{tap} * step; }, weights, 0, count, out);
}

#endif

}  // namespace

const ByteFilterKernels byte_filter_kernels = {.down = down, .along = along};

}  // namespace vedette::cpu::VEDETTE_ISA
