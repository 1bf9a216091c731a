// Vectors of floats for kernels whose results must be the same bit for bit on every instruction set: only operations
// that IEEE 754 rounds in one way are used, and never a fused product and sum. Include only from files that are
// compiled once per instruction set; everything here is local to the file.
//
// `lanes` floats or 32-bit integers in a vector, in memory order; loads and stores need no alignment.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

#if VEDETTE_ISA_LEVEL >= 2
constexpr std::int64_t lanes = 16;
// The masked forms with every lane taken are the same instructions; the plain ones make g++ 12 warn of values that its
// own header leaves unset.
constexpr __mmask16 all_lanes = 0xffff;
#elif VEDETTE_ISA_LEVEL == 1
constexpr std::int64_t lanes = 8;
#else
constexpr std::int64_t lanes = 4;
#endif

using Floats = float __attribute__((vector_size(lanes * 4)));
using Ints = std::int32_t __attribute__((vector_size(lanes * 4)));
using LooseFloats = float __attribute__((vector_size(lanes * 4), aligned(4), may_alias));
using LooseInts = std::int32_t __attribute__((vector_size(lanes * 4), aligned(4), may_alias));

inline Floats load(const float* from) {
    return *reinterpret_cast<const LooseFloats*>(from);
}
inline void store(float* to, Floats value) {
    *reinterpret_cast<LooseFloats*>(to) = value;
}
inline void store(std::int32_t* to, Ints value) {
    *reinterpret_cast<LooseInts*>(to) = value;
}

inline Floats all(float value) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_set1_ps(value);
#elif VEDETTE_ISA_LEVEL == 1
    return _mm256_set1_ps(value);
#else
    return Floats{value, value, value, value};
#endif
}

// 0, 1, 2 ...
inline Floats counting() {
    Floats v;
    for (std::int64_t k = 0; k < lanes; ++k) v[k] = static_cast<float>(k);
    return v;
}

inline Floats to_floats(Ints value) {
    return __builtin_convertvector(value, Floats);
}

inline Floats least(Floats a, Floats b) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_maskz_min_ps(all_lanes, a, b);
#elif VEDETTE_ISA_LEVEL == 1
    return _mm256_min_ps(a, b);
#elif defined(__SSE2__)
    return _mm_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}
inline Floats most(Floats a, Floats b) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_maskz_max_ps(all_lanes, a, b);
#elif VEDETTE_ISA_LEVEL == 1
    return _mm256_max_ps(a, b);
#elif defined(__SSE2__)
    return _mm_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

inline Floats magnitude(Floats value) {
    return reinterpret_cast<Floats>(reinterpret_cast<Ints>(value) & 0x7fffffff);
}

inline Floats square_root(Floats value) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_maskz_sqrt_ps(all_lanes, value);
#elif VEDETTE_ISA_LEVEL == 1
    return _mm256_sqrt_ps(value);
#elif defined(__SSE2__)
    return _mm_sqrt_ps(value);
#else
    for (std::int64_t k = 0; k < lanes; ++k) value[k] = __builtin_sqrtf(value[k]);
    return value;
#endif
}

// Nearest, halves to even; the value fits 32 bits.
inline Ints nearest(Floats value) {
#if VEDETTE_ISA_LEVEL >= 2
    return reinterpret_cast<Ints>(_mm512_maskz_cvtps_epi32(all_lanes, value));
#elif VEDETTE_ISA_LEVEL == 1
    return reinterpret_cast<Ints>(_mm256_cvtps_epi32(value));
#elif defined(__SSE2__)
    return reinterpret_cast<Ints>(_mm_cvtps_epi32(value));
#else
    Ints whole;
    for (std::int64_t k = 0; k < lanes; ++k) whole[k] = static_cast<std::int32_t>(__builtin_nearbyintf(value[k]));
    return whole;
#endif
}

// The whole number towards 0; the value fits 32 bits.
inline Ints whole_of(Floats value) {
    return __builtin_convertvector(value, Ints);
}

// The value where a comparison holds, else 0.
inline Floats kept(Floats value, Ints comparison) {
    return reinterpret_cast<Floats>(reinterpret_cast<Ints>(value) & comparison);
}

// Bit k: whether lane k of a comparison holds.
inline std::uint32_t bits_of(Ints comparison) {
#if VEDETTE_ISA_LEVEL >= 2
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(comparison));
#elif VEDETTE_ISA_LEVEL == 1
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(comparison)));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(comparison)));
#else
    std::uint32_t bits = 0;
    for (std::int64_t k = 0; k < lanes; ++k) bits |= static_cast<std::uint32_t>(comparison[k] & 1) << k;
    return bits;
#endif
}

// Direction of (x, y) in eighths of a circle, 0 to 8, within 5e-6; 0 for (0, 0).
// The polynomial is a minimax fit of atan over [0, 1] held just below 1 at 1, in pairs of terms: a short chain.
inline Floats octants(Floats y, Floats x) {
    const Floats ax = magnitude(x), ay = magnitude(y);
    const Floats c = least(ax, ay) / (most(ax, ay) + all(1e-30F));
    const Floats square = c * c;
    const Floats fourth = square * square;
    const Floats low = all(1.2732090420944286F) + all(-0.42347226163902646F) * square;
    const Floats middle = all(0.24618508987610185F) + all(-0.14761535864213077F) * square;
    const Floats high = all(0.066331174382780841F) + all(-0.014638130516598674F) * square;
    Floats angle = (low + (middle + high * fourth) * fourth) * c;
    angle = ay > ax ? all(2.0F) - angle : angle;
    angle = x < all(0.0F) ? all(4.0F) - angle : angle;
    return y < all(0.0F) ? all(8.0F) - angle : angle;
}

// e^x for -80 <= x <= 0, relative error below 3e-7: halved into 2^n e^r with |r| <= ln 2 / 2, then Taylor's sum.
inline Floats exponential(Floats x) {
    const Ints power = nearest(x * all(1.44269504F));
    const Floats n = to_floats(power);
    const Floats r = (x - n * all(0.693359375F)) - n * all(-2.12194440e-4F);
    Floats sum = all(1.0F / 720);
    sum = sum * r + all(1.0F / 120);
    sum = sum * r + all(1.0F / 24);
    sum = sum * r + all(1.0F / 6);
    sum = sum * r + all(0.5F);
    sum = sum * r + all(1.0F);
    sum = sum * r + all(1.0F);
    const Ints exponent = (power + 127) << 23;
    return sum * reinterpret_cast<Floats>(exponent);
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
