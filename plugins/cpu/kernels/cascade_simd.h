// Vectors of the classifying kernels of cascade_detect: `lanes` 32-bit integers or floats, and masks. Included only by
// sources that are compiled once per instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#if VEDETTE_ISA_LEVEL >= 1
// The compiler's own AVX-512 header starts from undefined registers on purpose; g++ 12 warns of them.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

#if VEDETTE_ISA_LEVEL >= 2

constexpr std::uint32_t lanes = 16;
using Ints = __m512i;
using Floats = __m512;
using Mask = __mmask16;

inline Ints load(const std::int32_t* at) {
    return _mm512_loadu_si512(at);
}
inline Floats load(const float* at) {
    return _mm512_loadu_ps(at);
}
inline void store(float* at, Floats values) {
    _mm512_storeu_ps(at, values);
}
inline Ints all(std::int32_t value) {
    return _mm512_set1_epi32(value);
}
inline Floats all(float value) {
    return _mm512_set1_ps(value);
}
inline Ints add(Ints a, Ints b) {
    return _mm512_add_epi32(a, b);
}
inline Ints sub(Ints a, Ints b) {
    return _mm512_sub_epi32(a, b);
}
inline Floats to_floats(Ints a) {
    return _mm512_cvtepi32_ps(a);
}
inline Floats mul(Floats a, Floats b) {
    return _mm512_mul_ps(a, b);
}
inline Floats add(Floats a, Floats b) {
    return _mm512_add_ps(a, b);
}
inline Floats sub(Floats a, Floats b) {
    return _mm512_sub_ps(a, b);
}
inline Mask less(Floats a, Floats b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
inline Mask less(Ints a, Ints b) {
    return _mm512_cmplt_epi32_mask(a, b);
}
inline Ints add_where(Ints sum, Mask mask, Ints value) {
    return _mm512_mask_add_epi32(sum, mask, sum, value);
}
inline std::uint32_t bits(Mask mask) {
    return mask;
}
inline Mask all_lanes() {
    return 0xffff;
}
inline Mask no_lanes() {
    return 0;
}
inline Mask both(Mask a, Mask b) {
    return a & b;
}
inline Mask either(Mask a, Mask b) {
    return a | b;
}
inline Mask first_only(Mask a, Mask b) {
    return static_cast<Mask>(a & ~b);
}
// Lanes where bit `code & 31` of word `code >> 5` of the eight words is set.
inline Mask in_subset(const std::uint32_t* words, Ints code) {
    const __m512i table = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
    const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), table);
    const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(code, _mm512_set1_epi32(31)));
    return _mm512_test_epi32_mask(bit, _mm512_set1_epi32(1));
}
inline __m512d norm_square(__m256i sum, __m256i squares, __m512d area) {
    const __m512d s = _mm512_cvtepi32_pd(sum);
    return _mm512_sub_pd(_mm512_mul_pd(area, _mm512_cvtepu32_pd(squares)), _mm512_mul_pd(s, s));
}
inline __m256 norm_half(__m512d square) {
    return _mm512_cvtpd_ps(_mm512_div_pd(_mm512_set1_pd(1), _mm512_sqrt_pd(square)));
}
// False when every window's norm is surely at or above the limit; else the norms, not a number where there is none.
inline bool norms(Ints sum, Ints squares, double area, double flat_below, Floats& out) {
    const __m512d a = _mm512_set1_pd(area), limit = _mm512_set1_pd(flat_below);
    const __m512d low = norm_square(_mm512_castsi512_si256(sum), _mm512_castsi512_si256(squares), a);
    const __m512d high = norm_square(_mm512_extracti64x4_epi64(sum, 1), _mm512_extracti64x4_epi64(squares, 1), a);
    if ((_mm512_cmp_pd_mask(low, limit, _CMP_GE_OQ) | _mm512_cmp_pd_mask(high, limit, _CMP_GE_OQ)) == 0) return false;
    out = _mm512_insertf32x8(_mm512_castps256_ps512(norm_half(low)), norm_half(high), 1);
    return true;
}

#elif VEDETTE_ISA_LEVEL == 1

constexpr std::uint32_t lanes = 8;
using Ints = __m256i;
using Floats = __m256;
struct Mask {
    __m256 m;
};

inline Ints load(const std::int32_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
inline Floats load(const float* at) {
    return _mm256_loadu_ps(at);
}
inline void store(float* at, Floats values) {
    _mm256_storeu_ps(at, values);
}
inline Ints all(std::int32_t value) {
    return _mm256_set1_epi32(value);
}
inline Floats all(float value) {
    return _mm256_set1_ps(value);
}
inline Ints add(Ints a, Ints b) {
    return _mm256_add_epi32(a, b);
}
inline Ints sub(Ints a, Ints b) {
    return _mm256_sub_epi32(a, b);
}
inline Floats to_floats(Ints a) {
    return _mm256_cvtepi32_ps(a);
}
inline Floats mul(Floats a, Floats b) {
    return _mm256_mul_ps(a, b);
}
inline Floats add(Floats a, Floats b) {
    return _mm256_add_ps(a, b);
}
inline Floats sub(Floats a, Floats b) {
    return _mm256_sub_ps(a, b);
}
inline Mask less(Floats a, Floats b) {
    return {_mm256_cmp_ps(a, b, _CMP_LT_OQ)};
}
inline Mask less(Ints a, Ints b) {
    return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))};
}
inline Ints add_where(Ints sum, Mask mask, Ints value) {
    return _mm256_add_epi32(sum, _mm256_and_si256(_mm256_castps_si256(mask.m), value));
}
inline std::uint32_t bits(Mask mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(mask.m));
}
inline Mask all_lanes() {
    return {_mm256_castsi256_ps(_mm256_set1_epi32(-1))};
}
inline Mask no_lanes() {
    return {_mm256_setzero_ps()};
}
inline Mask both(Mask a, Mask b) {
    return {_mm256_and_ps(a.m, b.m)};
}
inline Mask either(Mask a, Mask b) {
    return {_mm256_or_ps(a.m, b.m)};
}
inline Mask first_only(Mask a, Mask b) {
    return {_mm256_andnot_ps(b.m, a.m)};
}
inline Mask in_subset(const std::uint32_t* words, Ints code) {
    const __m256i table = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    const __m256i word = _mm256_permutevar8x32_epi32(table, _mm256_srli_epi32(code, 5));
    const __m256i bit = _mm256_srlv_epi32(word, _mm256_and_si256(code, _mm256_set1_epi32(31)));
    return {_mm256_castsi256_ps(_mm256_srai_epi32(_mm256_slli_epi32(bit, 31), 31))};
}
inline __m256d norm_square(__m128i sum, __m128i squares, __m256d area) {
    const __m256d s = _mm256_cvtepi32_pd(sum);
    // Unsigned to double, exactly.
    const __m128i shifted = _mm_xor_si128(squares, _mm_set1_epi32(INT32_MIN));
    const __m256d q = _mm256_add_pd(_mm256_cvtepi32_pd(shifted), _mm256_set1_pd(2147483648.0));
    return _mm256_sub_pd(_mm256_mul_pd(area, q), _mm256_mul_pd(s, s));
}
inline __m128 norm_half(__m256d square) {
    return _mm256_cvtpd_ps(_mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(square)));
}
inline bool norms(Ints sum, Ints squares, double area, double flat_below, Floats& out) {
    const __m256d a = _mm256_set1_pd(area), limit = _mm256_set1_pd(flat_below);
    const __m256d low = norm_square(_mm256_castsi256_si128(sum), _mm256_castsi256_si128(squares), a);
    const __m256d high = norm_square(_mm256_extracti128_si256(sum, 1), _mm256_extracti128_si256(squares, 1), a);
    const __m256d textured =
        _mm256_or_pd(_mm256_cmp_pd(low, limit, _CMP_GE_OQ), _mm256_cmp_pd(high, limit, _CMP_GE_OQ));
    if (_mm256_movemask_pd(textured) == 0) return false;
    out = _mm256_set_m128(norm_half(high), norm_half(low));
    return true;
}

#else

// The compiler's own vectors, which any processor has.
constexpr std::uint32_t lanes = 4;
using Ints = std::int32_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));
using Mask = Ints;

inline Ints load(const std::int32_t* at) {
    Ints values;
    std::memcpy(&values, at, sizeof values);
    return values;
}
inline Floats load(const float* at) {
    Floats values;
    std::memcpy(&values, at, sizeof values);
    return values;
}
inline void store(float* at, Floats values) {
    std::memcpy(at, &values, sizeof values);
}
inline Ints all(std::int32_t value) {
    return Ints{value, value, value, value};
}
inline Floats all(float value) {
    return Floats{value, value, value, value};
}
inline Ints add(Ints a, Ints b) {
    return reinterpret_cast<Ints>(reinterpret_cast<Words>(a) + reinterpret_cast<Words>(b));
}
inline Ints sub(Ints a, Ints b) {
    return reinterpret_cast<Ints>(reinterpret_cast<Words>(a) - reinterpret_cast<Words>(b));
}
inline Floats to_floats(Ints a) {
    return __builtin_convertvector(a, Floats);
}
inline Floats mul(Floats a, Floats b) {
    return a * b;
}
inline Floats add(Floats a, Floats b) {
    return a + b;
}
inline Floats sub(Floats a, Floats b) {
    return a - b;
}
inline Mask less(Floats a, Floats b) {
    return a < b;
}
inline Mask less(Ints a, Ints b) {
    return a < b;
}
inline Ints add_where(Ints sum, Mask mask, Ints value) {
    return add(sum, mask & value);
}
inline std::uint32_t bits(Mask mask) {
    std::uint32_t set = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) set |= static_cast<std::uint32_t>(mask[lane] < 0) << lane;
    return set;
}
inline Mask all_lanes() {
    return all(-1);
}
inline Mask no_lanes() {
    return all(0);
}
inline Mask both(Mask a, Mask b) {
    return a & b;
}
inline Mask either(Mask a, Mask b) {
    return a | b;
}
inline Mask first_only(Mask a, Mask b) {
    return a & ~b;
}
inline Mask in_subset(const std::uint32_t* words, Ints code) {
    Mask mask = no_lanes();
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        mask[lane] = (words[code[lane] >> 5] >> (code[lane] & 31) & 1) != 0 ? -1 : 0;
    return mask;
}
inline bool norms(Ints sum, Ints squares, double area, double flat_below, Floats& out) {
    bool textured = false;
    float norm[lanes];
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const double s = sum[lane];
        const double square = area * static_cast<std::uint32_t>(squares[lane]) - s * s;
        textured = textured || square >= flat_below;
        norm[lane] = static_cast<float>(1 / __builtin_sqrt(square));
    }
    out = load(norm);
    return textured;
}

#endif

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
