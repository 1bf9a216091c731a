// Vectors of 16-bit integers, beside those of floats: exact, so the same on every instruction set. Include only from
// files that are compiled once per instruction set; everything here is local to the file.
//
// `short_lanes` of them in a vector, in memory order; loads and stores need no alignment. Sums and differences wrap.
#pragma once

#include "kernels/float_vector.h"

namespace vedette::cpu::VEDETTE_ISA {

namespace {

constexpr std::int64_t short_lanes = 2 * lanes;

using Shorts = std::int16_t __attribute__((vector_size(short_lanes * 2)));
using LooseShorts = std::int16_t __attribute__((vector_size(short_lanes * 2), aligned(2), may_alias));

inline Shorts load(const std::int16_t* from) {
    return *reinterpret_cast<const LooseShorts*>(from);
}
inline void store(std::int16_t* to, Shorts value) {
    *reinterpret_cast<LooseShorts*>(to) = value;
}

inline Shorts all_shorts(std::int16_t value) {
    return Shorts{} + value;
}

inline Shorts least(Shorts a, Shorts b) {
    return a < b ? a : b;
}
inline Shorts most(Shorts a, Shorts b) {
    return a > b ? a : b;
}

// Whether any lane of a comparison holds.
inline bool any_of(Shorts comparison) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_movepi16_mask(reinterpret_cast<__m512i>(comparison)) != 0;
#elif VEDETTE_ISA_LEVEL == 1
    return _mm256_movemask_epi8(reinterpret_cast<__m256i>(comparison)) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_epi8(reinterpret_cast<__m128i>(comparison)) != 0;
#else
    std::int16_t any = 0;
    for (std::int64_t k = 0; k < short_lanes; ++k) any |= comparison[k];
    return any != 0;
#endif
}

// Bit k: whether lane k of a comparison holds.
inline std::uint32_t bits_of(Shorts comparison) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_movepi16_mask(reinterpret_cast<__m512i>(comparison));
#elif VEDETTE_ISA_LEVEL == 1
    // Bytes of the two halves beside each other, each half in order.
    const auto whole = reinterpret_cast<__m256i>(comparison);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
#elif defined(__SSE2__)
    const __m128i bytes = _mm_packs_epi16(reinterpret_cast<__m128i>(comparison), _mm_setzero_si128());
    return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
#else
    std::uint32_t bits = 0;
    for (std::int64_t k = 0; k < short_lanes; ++k) bits |= static_cast<std::uint32_t>(comparison[k] & 1) << k;
    return bits;
#endif
}

// 32-bit sums for every lane of a vector of 16-bit values, in the order in which the processor puts products of pairs.
struct Sums {
    Ints low, high;
};

inline Sums all_sums(std::int32_t value) {
    return {Ints{} + value, Ints{} + value};
}

// sums += a * first + b * second, where `pair` holds first and second in turn.
inline void add_products(Sums& sums, Shorts a, Shorts b, Shorts pair) {
#if VEDETTE_ISA_LEVEL >= 2
    const auto p = reinterpret_cast<__m512i>(a), q = reinterpret_cast<__m512i>(b), w = reinterpret_cast<__m512i>(pair);
    sums.low = reinterpret_cast<Ints>(
        _mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums.low), _mm512_unpacklo_epi16(p, q), w));
    sums.high = reinterpret_cast<Ints>(
        _mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums.high), _mm512_unpackhi_epi16(p, q), w));
#elif VEDETTE_ISA_LEVEL == 1
    const auto p = reinterpret_cast<__m256i>(a), q = reinterpret_cast<__m256i>(b), w = reinterpret_cast<__m256i>(pair);
    sums.low += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpacklo_epi16(p, q), w));
    sums.high += reinterpret_cast<Ints>(_mm256_madd_epi16(_mm256_unpackhi_epi16(p, q), w));
#elif defined(__SSE2__)
    const auto p = reinterpret_cast<__m128i>(a), q = reinterpret_cast<__m128i>(b), w = reinterpret_cast<__m128i>(pair);
    sums.low += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpacklo_epi16(p, q), w));
    sums.high += reinterpret_cast<Ints>(_mm_madd_epi16(_mm_unpackhi_epi16(p, q), w));
#else
    const std::int32_t first = pair[0], second = pair[1];
    for (std::int64_t k = 0; k < lanes; ++k) {
        sums.low[k] += a[k] * first + b[k] * second;
        sums.high[k] += a[k + lanes] * first + b[k + lanes] * second;
    }
#endif
}

// The sums divided by 2^shift, downwards; they fit 16 bits.
inline Shorts narrowed(Sums sums, std::int32_t shift) {
    const Ints low = sums.low >> shift, high = sums.high >> shift;
#if VEDETTE_ISA_LEVEL >= 2
    return reinterpret_cast<Shorts>(
        _mm512_packs_epi32(reinterpret_cast<__m512i>(low), reinterpret_cast<__m512i>(high)));
#elif VEDETTE_ISA_LEVEL == 1
    return reinterpret_cast<Shorts>(
        _mm256_packs_epi32(reinterpret_cast<__m256i>(low), reinterpret_cast<__m256i>(high)));
#elif defined(__SSE2__)
    return reinterpret_cast<Shorts>(_mm_packs_epi32(reinterpret_cast<__m128i>(low), reinterpret_cast<__m128i>(high)));
#else
    Shorts whole;
    for (std::int64_t k = 0; k < lanes; ++k) {
        whole[k] = static_cast<std::int16_t>(low[k]);
        whole[k + lanes] = static_cast<std::int16_t>(high[k]);
    }
    return whole;
#endif
}

// a[k] - b[k] for `lanes` values, as floats.
inline Floats difference(const std::int16_t* a, const std::int16_t* b) {
    using Half = std::int16_t __attribute__((vector_size(lanes * 2)));
    using LooseHalf = std::int16_t __attribute__((vector_size(lanes * 2), aligned(2), may_alias));
    const Half d = *reinterpret_cast<const LooseHalf*>(a) - *reinterpret_cast<const LooseHalf*>(b);
    return to_floats(__builtin_convertvector(d, Ints));
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
