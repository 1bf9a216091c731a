// The thin vector layer of the search kernels: one set of names, three instruction sets. Include only from files that
// are compiled once per instruction set; the compiler's flags choose. Everything lives in a namespace of the
// instruction set, so that no inline function compiled for one set is linked into code for another.
//
// Lanes: `vi` holds wide / 4 32-bit or wide / 2 16-bit integers, `vf` lanes32 floats, `vd` lanes64 doubles. Element
// order is memory order everywhere. Loads and stores need no alignment.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX512BW__) && defined(__AVX512VNNI__)
#define VEDETTE_FIND_ISA avx512
#include <immintrin.h>
#elif defined(__AVX2__) && defined(__FMA__)
#define VEDETTE_FIND_ISA avx2
#include <immintrin.h>
#else
#define VEDETTE_FIND_ISA portable
#endif

namespace vedette::cpu::find::VEDETTE_FIND_ISA {

#if defined(__AVX512BW__) && defined(__AVX512VNNI__)

constexpr int lanes32 = 16, lanes16 = 32, lanes64 = 8;
// Relative error of the reciprocal square root, doubled (Intel: 2^-14).
constexpr float sqrt_slack = 1.3e-4F;
using vi = __m512i;
using vf = __m512;
using vd = __m512d;

inline vi load(const void* p) {
    return _mm512_loadu_si512(p);
}
inline void store(void* p, vi v) {
    _mm512_storeu_si512(p, v);
}
inline void store_f(float* p, vf v) {
    _mm512_storeu_ps(p, v);
}
inline vf load_f(const float* p) {
    return _mm512_loadu_ps(p);
}
inline vi zero() {
    return _mm512_setzero_si512();
}
inline vi all16(int v) {
    return _mm512_set1_epi16(static_cast<short>(v));
}
inline vi all32(std::int32_t v) {
    return _mm512_set1_epi32(v);
}
inline vf all_f(float v) {
    return _mm512_set1_ps(v);
}
inline vd all_d(double v) {
    return _mm512_set1_pd(v);
}
inline vi load_u8_16(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline vi load_s8_16(const std::int8_t* p) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline vi add16(vi a, vi b) {
    return _mm512_add_epi16(a, b);
}
inline vi sub16(vi a, vi b) {
    return _mm512_sub_epi16(a, b);
}
inline vi mul16(vi a, vi b) {
    return _mm512_mullo_epi16(a, b);
}
inline vi add32(vi a, vi b) {
    return _mm512_add_epi32(a, b);
}
inline vi sub32(vi a, vi b) {
    return _mm512_sub_epi32(a, b);
}
inline vi mul32(vi a, vi b) {
    return _mm512_mullo_epi32(a, b);
}
inline vi madd(vi a, vi b) {
    return _mm512_madd_epi16(a, b);
}
inline vi dot(vi sum, vi a, vi b) {
    return _mm512_dpwssd_epi32(sum, a, b);
}
// Pixels of four rows, as bytes, against four signed bytes in each lane.
constexpr int packed_rows = 4;
inline vi dot_packed(vi sum, vi pixels, vi factors) {
    return _mm512_dpbusd_epi32(sum, pixels, factors);
}
inline vi shift_left16(vi a, int bits) {
    return _mm512_sll_epi16(a, _mm_cvtsi32_si128(bits));
}
inline vi or_bits(vi a, vi b) {
    return _mm512_or_si512(a, b);
}
inline vi shift_right(vi a, int bits) {
    return _mm512_srl_epi32(a, _mm_cvtsi32_si128(bits));
}
inline vi low_32(vi a) {
    return _mm512_cvtepi16_epi32(_mm512_castsi512_si256(a));
}
inline vi high_32(vi a) {
    return _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(a, 1));
}
// 16-bit elements a0 b0 a1 b1 ...: first half, second half.
inline void interleave16(vi a, vi b, vi& first, vi& second) {
    const vi low = _mm512_unpacklo_epi16(a, b), high = _mm512_unpackhi_epi16(a, b);
    first = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
    second = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
}
inline vi scan32(vi v) {
    v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xFFFE, v, zero(), 15));
    v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xFFFC, v, zero(), 14));
    v = _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xFFF0, v, zero(), 12));
    return _mm512_add_epi32(v, _mm512_maskz_alignr_epi32(0xFF00, v, zero(), 8));
}
inline vi last32(vi v) {
    return _mm512_permutexvar_epi32(all32(15), v);
}
inline vf to_float(vi v) {
    return _mm512_cvtepi32_ps(v);
}
inline vf add(vf a, vf b) {
    return _mm512_add_ps(a, b);
}
inline vf sub(vf a, vf b) {
    return _mm512_sub_ps(a, b);
}
inline vf mul(vf a, vf b) {
    return _mm512_mul_ps(a, b);
}
inline vf fma(vf a, vf b, vf c) {
    return _mm512_fmadd_ps(a, b, c);
}
inline vf nfma(vf a, vf b, vf c) {
    return _mm512_fnmadd_ps(a, b, c);
}  // c - a b
inline vf max(vf a, vf b) {
    return _mm512_max_ps(a, b);
}
inline vf rough_sqrt(vf a) {
    return _mm512_mul_ps(a, _mm512_rsqrt14_ps(a));
}  // a > 0
inline std::uint32_t mask_ge(vf a, vf b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}
// a >= b ? yes : no.
inline vf where_ge(vf a, vf b, vf yes, vf no) {
    return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ), yes);
}
inline std::int64_t sum32(vi v) {
    const __m512i even = _mm512_srai_epi64(_mm512_slli_epi64(v, 32), 32), odd = _mm512_srai_epi64(v, 32);
    return _mm512_reduce_add_epi64(_mm512_add_epi64(even, odd));
}
inline vd load_32_d(const std::int32_t* p) {
    return _mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline vd sub_d(vd a, vd b) {
    return _mm512_sub_pd(a, b);
}
inline vd add_d(vd a, vd b) {
    return _mm512_add_pd(a, b);
}
inline vd mul_d(vd a, vd b) {
    return _mm512_mul_pd(a, b);
}
inline vd div_d(vd a, vd b) {
    return _mm512_div_pd(a, b);
}
inline vd sqrt_d(vd a) {
    return _mm512_sqrt_pd(a);
}
inline vd abs_d(vd a) {
    return _mm512_abs_pd(a);
}
inline vd clamp_d(vd a, double low, double high) {
    return _mm512_min_pd(_mm512_max_pd(a, all_d(low)), all_d(high));
}
inline std::uint32_t mask_ge_d(vd a, vd b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}
// a where the mask m (from b > 0) is set, else 0.
inline vd where_positive_d(vd test, vd a) {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(test, all_d(0), _CMP_GT_OQ), a);
}
inline vd load_d(const double* p) {
    return _mm512_loadu_pd(p);
}
inline void store_d(double* p, vd v) {
    _mm512_storeu_pd(p, v);
}
inline void store_d_float(float* p, vd v) {
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
}

// Products of pixels with signed bytes, `step` of them at once: added up in 32-bit lanes. The last of a row may be half
// as many; pixels are read for a whole step then.
struct ByteProducts {
    static constexpr int step = 64;
    static vi factors(const std::int8_t* p) { return load(p); }
    static vi half_factors(const std::int8_t* p) {
        return _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static vi add(vi sum, const std::uint8_t* p, vi factors) { return _mm512_dpbusd_epi32(sum, load(p), factors); }
};
// The same for bytes within +-63.
using SmallProducts = ByteProducts;

#elif defined(__AVX2__) && defined(__FMA__)

constexpr int lanes32 = 8, lanes16 = 16, lanes64 = 4;
// Relative error of the reciprocal square root (1.5 * 2^-12 by its definition), rounded up.
constexpr float sqrt_slack = 4e-4F;
using vi = __m256i;
using vf = __m256;
using vd = __m256d;

inline vi load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline void store(void* p, vi v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
}
inline void store_f(float* p, vf v) {
    _mm256_storeu_ps(p, v);
}
inline vf load_f(const float* p) {
    return _mm256_loadu_ps(p);
}
inline vi zero() {
    return _mm256_setzero_si256();
}
inline vi all16(int v) {
    return _mm256_set1_epi16(static_cast<short>(v));
}
inline vi all32(std::int32_t v) {
    return _mm256_set1_epi32(v);
}
inline vf all_f(float v) {
    return _mm256_set1_ps(v);
}
inline vd all_d(double v) {
    return _mm256_set1_pd(v);
}
inline vi load_u8_16(const std::uint8_t* p) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline vi load_s8_16(const std::int8_t* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline vi add16(vi a, vi b) {
    return _mm256_add_epi16(a, b);
}
inline vi sub16(vi a, vi b) {
    return _mm256_sub_epi16(a, b);
}
inline vi mul16(vi a, vi b) {
    return _mm256_mullo_epi16(a, b);
}
inline vi add32(vi a, vi b) {
    return _mm256_add_epi32(a, b);
}
inline vi sub32(vi a, vi b) {
    return _mm256_sub_epi32(a, b);
}
inline vi mul32(vi a, vi b) {
    return _mm256_mullo_epi32(a, b);
}
inline vi madd(vi a, vi b) {
    return _mm256_madd_epi16(a, b);
}
inline vi dot(vi sum, vi a, vi b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}
// Pixels of two rows as 16 bits: the instruction for bytes saturates (255 * 127 * 2 > 2^15).
constexpr int packed_rows = 2;
inline vi dot_packed(vi sum, vi pixels, vi factors) {
    return dot(sum, pixels, factors);
}
inline vi shift_left16(vi a, int bits) {
    return _mm256_sll_epi16(a, _mm_cvtsi32_si128(bits));
}
inline vi or_bits(vi a, vi b) {
    return _mm256_or_si256(a, b);
}
inline vi shift_right(vi a, int bits) {
    return _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits));
}
inline vi low_32(vi a) {
    return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(a));
}
inline vi high_32(vi a) {
    return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(a, 1));
}
inline void interleave16(vi a, vi b, vi& first, vi& second) {
    const vi low = _mm256_unpacklo_epi16(a, b), high = _mm256_unpackhi_epi16(a, b);
    first = _mm256_permute2x128_si256(low, high, 0x20);
    second = _mm256_permute2x128_si256(low, high, 0x31);
}
inline vi scan32(vi v) {
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
    // The low half's total goes to every lane of the high half.
    const vi total = _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, v, 0x08), 0xFF);
    return _mm256_add_epi32(v, total);
}
inline vi last32(vi v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
}
inline vf to_float(vi v) {
    return _mm256_cvtepi32_ps(v);
}
inline vf add(vf a, vf b) {
    return _mm256_add_ps(a, b);
}
inline vf sub(vf a, vf b) {
    return _mm256_sub_ps(a, b);
}
inline vf mul(vf a, vf b) {
    return _mm256_mul_ps(a, b);
}
inline vf fma(vf a, vf b, vf c) {
    return _mm256_fmadd_ps(a, b, c);
}
inline vf nfma(vf a, vf b, vf c) {
    return _mm256_fnmadd_ps(a, b, c);
}
inline vf max(vf a, vf b) {
    return _mm256_max_ps(a, b);
}
inline vf rough_sqrt(vf a) {
    return _mm256_mul_ps(a, _mm256_rsqrt_ps(a));
}
inline std::uint32_t bits_of(__m256 m) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(m));
}
inline std::uint32_t mask_ge(vf a, vf b) {
    return bits_of(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
inline vf where_ge(vf a, vf b, vf yes, vf no) {
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
inline std::int64_t sum32(vi v) {
    const vi low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
             high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1));
    const vi sum = _mm256_add_epi64(low, high);
    return _mm256_extract_epi64(sum, 0) + _mm256_extract_epi64(sum, 1) + _mm256_extract_epi64(sum, 2) +
           _mm256_extract_epi64(sum, 3);
}
inline vd load_32_d(const std::int32_t* p) {
    return _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline vd sub_d(vd a, vd b) {
    return _mm256_sub_pd(a, b);
}
inline vd add_d(vd a, vd b) {
    return _mm256_add_pd(a, b);
}
inline vd mul_d(vd a, vd b) {
    return _mm256_mul_pd(a, b);
}
inline vd div_d(vd a, vd b) {
    return _mm256_div_pd(a, b);
}
inline vd sqrt_d(vd a) {
    return _mm256_sqrt_pd(a);
}
inline vd abs_d(vd a) {
    return _mm256_andnot_pd(all_d(-0.0), a);
}
inline vd clamp_d(vd a, double low, double high) {
    return _mm256_min_pd(_mm256_max_pd(a, all_d(low)), all_d(high));
}
inline std::uint32_t mask_ge_d(vd a, vd b) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ)));
}
inline vd where_positive_d(vd test, vd a) {
    return _mm256_and_pd(_mm256_cmp_pd(test, all_d(0), _CMP_GT_OQ), a);
}
inline vd load_d(const double* p) {
    return _mm256_loadu_pd(p);
}
inline void store_d(double* p, vd v) {
    _mm256_storeu_pd(p, v);
}
inline void store_d_float(float* p, vd v) {
    _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
}

// Products of pixels with signed bytes, `step` of them at once: added up in 32-bit lanes. A row's bytes are whole
// steps.
struct ByteProducts {
    static constexpr int step = 16;
    static vi factors(const std::int8_t* p) { return load_s8_16(p); }
    static vi half_factors(const std::int8_t* p) { return factors(p); }
    static vi add(vi sum, const std::uint8_t* p, vi factors) { return dot(sum, load_u8_16(p), factors); }
};
// The same for bytes within +-63: a pair of products fits 16 bits.
struct SmallProducts {
    static constexpr int step = 32;
    static vi factors(const std::int8_t* p) { return load(p); }
    static vi half_factors(const std::int8_t* p) { return factors(p); }
    static vi add(vi sum, const std::uint8_t* p, vi factors) {
        return add32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(load(p), factors), all16(1)));
    }
};

#else
#include "simd_portable.h"
#endif

#ifdef __AVX2__
// Every third byte of 48, from `first` on: 16 of one channel.
template <int first>
inline __m128i third_bytes(__m128i a, __m128i b, __m128i c) {
    // Byte k of the result is byte 3 k + first of the 48; -1 leaves a 0.
    const auto part = [](int vector) {
        alignas(16) char from[16];
        for (int k = 0; k < 16; ++k) {
            const int at = 3 * k + first - 16 * vector;
            from[k] = static_cast<char>(at >= 0 && at < 16 ? at : -1);
        }
        return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
    };
    return _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(a, part(0)), _mm_shuffle_epi8(b, part(1))),
                        _mm_shuffle_epi8(c, part(2)));
}
// 16 interleaved pixels into 16 bytes of each channel.
inline void split_16(const std::uint8_t* in, std::uint8_t* const* out, int x) {
    const auto at = [](const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
    const __m128i a = at(in), b = at(in + 16), c = at(in + 32);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out[0] + x), third_bytes<0>(a, b, c));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out[1] + x), third_bytes<1>(a, b, c));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out[2] + x), third_bytes<2>(a, b, c));
}
#else
inline void split_16(const std::uint8_t* in, std::uint8_t* const* out, int x) {
    for (int k = 0; k < 48; ++k) out[k % 3][x + k / 3] = in[k];
}
#endif

}  // namespace vedette::cpu::find::VEDETTE_FIND_ISA
