// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/resize.h"

#include "kernels/halving.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

extern const ResizeKernels resize_kernels;

namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;
using U32 = std::uint32_t;

template <class T>
float between(T a, T b, float fraction) {
    const auto from = static_cast<float>(a);
    return from + (static_cast<float>(b) - from) * fraction;
}

template <class T>
void plain_across(const T* row, const AcrossTaps& taps, U32 begin, float* out) {
    const U32 pixel_step = taps.pitch == 0 ? taps.channels : 1;
    const U32 channel_step = taps.pitch == 0 ? 1 : taps.pitch;
    for (U32 x = begin; x < taps.width; ++x)
        for (U32 c = 0; c < taps.channels; ++c)
            out[std::uint64_t{x} * pixel_step + std::uint64_t{c} * channel_step] =
                between(row[taps.left[x] + c], row[taps.right[x] + c], taps.fraction[x]);
}

template <class T>
void across(const T* row, const AcrossTaps& taps, float* out) {
    plain_across(row, taps, 0, out);
}

#if VEDETTE_ISA_LEVEL >= 1

__m256 lerp(__m256i a, __m256i b, __m256 fraction) {
    const __m256 from = _mm256_cvtepi32_ps(a);
    return _mm256_add_ps(from, _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(b), from), fraction));
}

__m128i load_16(const Byte* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// The pairs that begin at two places, two bytes for each of their six values.
__m128i two_pairs(const Byte* first, const Byte* second) {
    const __m128i bytes = _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(first)),
                                             _mm_loadl_epi64(reinterpret_cast<const __m128i*>(second)));
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, -1, -1, -1, -1));
}

__m256i low_8(__m128i bytes) {
    return _mm256_cvtepu8_epi32(bytes);
}
__m256i high_8(__m128i bytes) {
    return _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(bytes, bytes));
}

// Eight pixels of three bytes at a time into a row for each channel. A pair of pixels is six of the eight bytes that
// are read; the bytes of eight pairs are turned around, so that each value's eight stand together.
U32 across_bgr8(const Byte* row, const AcrossTaps& taps, float* out) {
    const U32* const left = taps.left;
    const auto* const ahead = static_cast<const char*>(taps.ahead);
    U32 x = 0;
    for (; x + 8 <= taps.wide; x += 8) {
        if (ahead != nullptr) {
            // All lines between these pixels and the next ones, for rows that are shrunk; at most four, where a row is
            // shrunk so much that it is fetched well enough without.
            const U32 end = left[x + 7];
            U32 at = left[x];
            for (U32 lines = 0; at <= end && lines < 4; ++lines, at += 64) _mm_prefetch(ahead + at, _MM_HINT_T0);
        }
        const __m128i p01 = two_pairs(row + left[x], row + left[x + 1]);
        const __m128i p23 = two_pairs(row + left[x + 2], row + left[x + 3]);
        const __m128i p45 = two_pairs(row + left[x + 4], row + left[x + 5]);
        const __m128i p67 = two_pairs(row + left[x + 6], row + left[x + 7]);
        const __m128i low_03 = _mm_unpacklo_epi16(p01, p23), low_47 = _mm_unpacklo_epi16(p45, p67);
        const __m128i high = _mm_unpacklo_epi32(_mm_unpackhi_epi16(p01, p23), _mm_unpackhi_epi16(p45, p67));
        const __m128i bg = _mm_unpacklo_epi32(low_03, low_47);  // blue, green of the left pixels
        const __m128i rb = _mm_unpackhi_epi32(low_03, low_47);  // red of the left, blue of the right ones
        const __m256 fraction = _mm256_loadu_ps(taps.fraction + x);
        _mm256_storeu_ps(out + x, lerp(low_8(bg), high_8(rb), fraction));
        _mm256_storeu_ps(out + taps.pitch + x, lerp(high_8(bg), low_8(high), fraction));
        _mm256_storeu_ps(out + std::uint64_t{2} * taps.pitch + x, lerp(low_8(rb), high_8(high), fraction));
    }
    return x;
}

void across8(const Byte* row, const AcrossTaps& taps, float* out) {
    U32 done = 0;
    if (taps.paired && taps.pitch != 0 && taps.pixel_elements == 3 && taps.channels == 3)
        done = across_bgr8(row, taps, out);
    plain_across(row, taps, done, out);
}

// Four neighbours of an output row lie in sixteen bytes, from which a shuffle takes each one's first value and another
// one its second, each widened to 32 bits.
void across_groups8(const Byte* row, const AcrossGroup* groups, U32 count, U32 step, float* out) {
    const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffffff00u));  // a shuffle writes zeros there
    const __m256i pixel = _mm256_set1_epi32(static_cast<int>(step));
    for (U32 i = 0; i < count; ++i) {
        const AcrossGroup& group = groups[i];
        const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(row + group.base[0])),
                                                      load_16(row + group.base[1]), 1);
        const __m128i offsets = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(group.offset));
        const __m256i first = _mm256_or_si256(_mm256_cvtepu8_epi32(offsets), upper);
        const __m256i second = _mm256_add_epi32(first, pixel);
        _mm256_storeu_ps(out + std::uint64_t{i} * 8,
                         lerp(_mm256_shuffle_epi8(bytes, first), _mm256_shuffle_epi8(bytes, second),
                              _mm256_loadu_ps(group.fraction)));
    }
}

#else

void across8(const Byte* row, const AcrossTaps& taps, float* out) {
    plain_across(row, taps, 0, out);
}

void across_groups8(const Byte* row, const AcrossGroup* groups, U32 count, U32 step, float* out) {
    for (U32 i = 0; i < count; ++i) {
        const AcrossGroup& group = groups[i];
        for (U32 k = 0; k < 8; ++k) {
            const Byte* const at = row + group.base[k / 4] + group.offset[k];
            out[std::uint64_t{i} * 8 + k] = between(at[0], at[step], group.fraction[k]);
        }
    }
}

#endif

// Values lie between those of the input's depth, so nothing has to be limited.
template <class T>
void down(const float* __restrict above, const float* __restrict below, float fraction, U32 count, T* __restrict out) {
    for (U32 i = 0; i < count; ++i) {
        const float value = above[i] + (below[i] - above[i]) * fraction;
        out[i] = static_cast<T>(static_cast<std::int32_t>(value + 0.5F));
    }
}

void down_f32(const float* __restrict above, const float* __restrict below, float fraction, U32 count, float scale,
              float offset, float* __restrict out) {
    if (scale == 1 && offset == 0) {
        for (U32 i = 0; i < count; ++i) out[i] = above[i] + (below[i] - above[i]) * fraction;
    } else {
        for (U32 i = 0; i < count; ++i) out[i] = (above[i] + (below[i] - above[i]) * fraction) * scale + offset;
    }
}

template <class T>
void cover(const T* __restrict row, U32 weight, U32 count, U32* __restrict sums) {
    for (U32 i = 0; i < count; ++i) sums[i] += U32{row[i]} * weight;
}

void cover_f32(const float* __restrict row, U32 weight, U32 count, double* __restrict sums) {
    const auto factor = static_cast<double>(weight);
    for (U32 i = 0; i < count; ++i) sums[i] += static_cast<double>(row[i]) * factor;
}

template <U32 channels, class Sum>
void area_of(const Sum* sums, const AreaTap* taps, U32 width, U32 full_weight, double* out) {
    for (U32 x = 0; x < width; ++x) {
        const AreaTap& tap = taps[x];
        const Sum* const first = sums + std::uint64_t{tap.first} * channels;
        const Sum* const last = sums + std::uint64_t{tap.last} * channels;
        double edges[channels], inside[channels] = {};
        for (U32 c = 0; c < channels; ++c) edges[c] = static_cast<double>(first[c]) * tap.first_weight;
        if (first != last) {
            for (U32 c = 0; c < channels; ++c) edges[c] += static_cast<double>(last[c]) * tap.last_weight;
            for (const Sum* at = first + channels; at != last; at += channels)
                for (U32 c = 0; c < channels; ++c) inside[c] += static_cast<double>(at[c]);
        }
        for (U32 c = 0; c < channels; ++c) out[std::uint64_t{x} * channels + c] = edges[c] + inside[c] * full_weight;
    }
}

template <class Sum>
void area(const Sum* sums, const AreaTap* taps, U32 width, U32 channels, U32 full_weight, double* out) {
    if (channels == 1) return area_of<1>(sums, taps, width, full_weight, out);
    if (channels == 3) return area_of<3>(sums, taps, width, full_weight, out);
    area_of<4>(sums, taps, width, full_weight, out);
}

#if VEDETTE_ISA_LEVEL >= 1

void area_groups(const U32* sums, const AreaGroups& groups, double* out) {
    const U32* weight = groups.weight;
    for (U32 g = 0; g < groups.count; ++g) {
        const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(groups.first + std::uint64_t{g} * 8));
        __m256i sum = _mm256_setzero_si256();
        for (U32 k = 0; k < groups.taps; ++k, weight += 8) {
            const auto* const at = reinterpret_cast<const int*>(sums + std::uint64_t{k} * groups.step);
            sum =
                _mm256_add_epi32(sum, _mm256_mullo_epi32(_mm256_i32gather_epi32(at, first, 4),
                                                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight))));
        }
        double* const to = out + std::uint64_t{g} * 8;
        _mm256_storeu_pd(to, _mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)));
        _mm256_storeu_pd(to + 4, _mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)));
    }
}

#else

void area_groups(const U32* sums, const AreaGroups& groups, double* out) {
    const U32* weight = groups.weight;
    for (U32 g = 0; g < groups.count; ++g, weight += std::uint64_t{8} * groups.taps)
        for (U32 i = 0; i < 8; ++i) {
            const U32* const at = sums + groups.first[std::uint64_t{g} * 8 + i];
            U32 sum = 0;
            for (U32 k = 0; k < groups.taps; ++k) sum += at[std::uint64_t{k} * groups.step] * weight[8 * k + i];
            out[std::uint64_t{g} * 8 + i] = static_cast<double>(static_cast<std::int32_t>(sum));
        }
}

#endif

// 2 sum + total and 2 total are whole numbers below 2^53, and a quotient that is not whole lies further from the next
// whole number than a rounding reaches.
template <class T>
void mean(const double* __restrict sums, double total, U32 count, T* __restrict out) {
    const double twice = 2 * total;
    for (U32 i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<std::int32_t>((2 * sums[i] + total) / twice));
}

void mean_f32(const double* __restrict sums, double total, double scale, double offset, U32 count, U32 step,
              float* __restrict out) {
    for (U32 i = 0; i < count; ++i) out[i] = static_cast<float>(sums[std::uint64_t{i} * step] / total * scale + offset);
}

}  // namespace

const ResizeKernels resize_kernels = {
    .across8 = across8,
    .across16 = across<Word>,
    .across_f32 = across<float>,
    .across_groups8 = across_groups8,
    .down8 = down<Byte>,
    .down16 = down<Word>,
    .down_f32 = down_f32,
    .halve8 = halve8,
    .cover8 = cover<Byte>,
    .cover16 = cover<Word>,
    .cover_f32 = cover_f32,
    .area_u32 = area<U32>,
    .area_groups = area_groups,
    .area_f64 = area<double>,
    .mean8 = mean<Byte>,
    .mean16 = mean<Word>,
    .mean_f32 = mean_f32,
};

}  // namespace vedette::cpu::VEDETTE_ISA
