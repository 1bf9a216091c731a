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

constexpr U32 most_terms = byte_most_taps / 2 + 1;

// The line of weights as the loops take it: copies, which no store of a loop can change. Terms are pairs of taps and
// the middle one; two of them side by side take one multiplication and addition of pairs. `terms`: 0 where it is not
// known.
template <U32 terms>
struct Terms {
    explicit Terms(const ByteWeights& weights) : count(terms != 0 ? terms : weights.taps / 2 + 1) {
        for (U32 i = 0; i < count; i += 2) {
            const auto word = [&](U32 at) {
                return at < count ? static_cast<U32>(static_cast<std::uint16_t>(weights.weight[at])) : 0;
            };
            pair[i / 2] = _mm256_set1_epi32(static_cast<int>(word(i) | word(i + 1) << 16));
        }
    }
    U32 count;
    __m256i pair[(terms != 0 ? terms + 1 : most_terms + 1) / 2];
};

// Sixteen sums of products, rounded, as words. `at(i)` is where tap i of the first is.
template <unsigned shift, U32 known, class At>
[[gnu::always_inline]] inline __m256i words_at(const At& at, const Terms<known>& terms) {
    const U32 count = known != 0 ? known : terms.count, last = 2 * (count - 1);
    const auto term = [&](U32 i) __attribute__((always_inline)) {
        return i == count - 1 ? load_words(at(i)) : _mm256_add_epi16(load_words(at(i)), load_words(at(last - i)));
    };
    __m256i low = _mm256_set1_epi32(1 << (shift - 1)), high = low;
    for (U32 i = 0; i < count; i += 2) {
        const __m256i first = term(i), second = i + 1 < count ? term(i + 1) : _mm256_setzero_si256();
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(first, second), terms.pair[i / 2]));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(first, second), terms.pair[i / 2]));
    }
    return _mm256_packs_epi32(_mm256_srai_epi32(low, shift), _mm256_srai_epi32(high, shift));
}

template <U32 known>
void down_terms(const Byte* const* rows, const ByteWeights& weights, U32 count, Word* out) {
    const Terms<known> terms(weights);
    const Byte* row[known != 0 ? 2 * known - 1 : byte_most_taps];
    for (U32 i = 0; i < weights.taps; ++i) row[i] = rows[i];
    U32 x = 0;
    for (; x + 16 <= count; x += 16) {
        const auto at = [&](U32 tap) { return row[tap] + x; };
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), words_at<down_shift>(at, terms));
    }
    plain<down_shift>([rows](U32 tap) { return rows[tap]; }, weights, x, count, out);
}

// `streams`: past the caches; then `out` is a multiple of 32.
template <U32 known, bool streams>
void along_terms(const Word* in, const ByteWeights& weights, U32 step, U32 count, Byte* out) {
    const Terms<known> terms(weights);
    U32 x = 0;
    for (; x + 32 <= count; x += 32) {
        const auto at = [in, x, step](U32 tap) { return in + x + std::uint64_t{tap} * step; };
        const auto next = [in, x, step](U32 tap) { return in + x + 16 + std::uint64_t{tap} * step; };
        const __m256i packed =
            _mm256_packus_epi16(words_at<along_shift>(at, terms), words_at<along_shift>(next, terms));
        const __m256i bytes = _mm256_permute4x64_epi64(packed, 0xd8);
        if constexpr (streams)
            _mm256_stream_si256(reinterpret_cast<__m256i*>(out + x), bytes);
        else
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), bytes);
    }
    if constexpr (streams) _mm_sfence();
    plain<along_shift>([in, step](U32 tap) { return in + std::uint64_t{tap} * step; }, weights, x, count, out);
}

void down(const Byte* const* rows, const ByteWeights& weights, U32 count, Word* out) {
    switch (weights.taps) {
        case 3:
            return down_terms<2>(rows, weights, count, out);
        case 5:
            return down_terms<3>(rows, weights, count, out);
        case 7:
            return down_terms<4>(rows, weights, count, out);
        default:
            return down_terms<0>(rows, weights, count, out);
    }
}

template <bool streams>
void along_to(const Word* in, const ByteWeights& weights, U32 step, U32 count, Byte* out) {
    switch (weights.taps) {
        case 3:
            return along_terms<2, streams>(in, weights, step, count, out);
        case 5:
            return along_terms<3, streams>(in, weights, step, count, out);
        case 7:
            return along_terms<4, streams>(in, weights, step, count, out);
        default:
            return along_terms<0, streams>(in, weights, step, count, out);
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
