// Means of two bytes by two, for resize and pyramid. Include only from files compiled once per instruction set.
#pragma once

#include <cstdint>

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

template <std::uint32_t channels>
void plain_halve(const std::uint8_t* above, const std::uint8_t* below, std::uint32_t begin, std::uint32_t width,
                 std::uint8_t* out) {
    for (std::uint32_t x = begin; x < width; ++x)
        for (std::uint32_t c = 0; c < channels; ++c) {
            const std::uint64_t at = std::uint64_t{2 * channels} * x + c;
            const std::uint32_t sum =
                std::uint32_t{above[at]} + above[at + channels] + below[at] + below[at + channels];
            out[std::uint64_t{x} * channels + c] = static_cast<std::uint8_t>((sum + 2) / 4);
        }
}

#if VEDETTE_ISA_LEVEL >= 1

// Sums of neighbours that a shuffle brings together, over two rows; then means, in 16 bits.
__m256i mean_pairs(__m256i above, __m256i below, __m256i pairs) {
    const __m256i ones = _mm256_set1_epi8(1);
    const __m256i sum = _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_shuffle_epi8(above, pairs), ones),
                                         _mm256_maddubs_epi16(_mm256_shuffle_epi8(below, pairs), ones));
    return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(2)), 2);
}

__m256i load_32(const std::uint8_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
__m256i load_lanes(const std::uint8_t* low, const std::uint8_t* high) {
    return _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(high), reinterpret_cast<const __m128i*>(low));
}

// Sixty-four bytes of both rows become 32.
template <std::uint32_t channels>
std::uint32_t wide_halve(const std::uint8_t* above, const std::uint8_t* below, std::uint32_t width, std::uint8_t* out) {
    const __m256i pairs = _mm256_broadcastsi128_si256(
        channels == 1 ? _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
                      : _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
    constexpr std::uint32_t step = 32 / channels;
    std::uint32_t x = 0;
    for (; x + step <= width; x += step) {
        const std::uint64_t at = std::uint64_t{2 * channels} * x;
        const __m256i left = mean_pairs(load_32(above + at), load_32(below + at), pairs);
        const __m256i right = mean_pairs(load_32(above + at + 32), load_32(below + at + 32), pairs);
        const __m256i means = _mm256_permute4x64_epi64(_mm256_packus_epi16(left, right), 0xd8);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + std::uint64_t{x} * channels), means);
    }
    return x;
}

// Four pixels of three bytes, twelve of sixteen that are read, become two: forty-eight bytes of both rows become 24,
// and four more are written that the next step or the rest overwrites.
std::uint32_t wide_halve_3(const std::uint8_t* above, const std::uint8_t* below, std::uint32_t width,
                           std::uint8_t* out) {
    const __m256i pairs =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, -1, -1, -1, -1));
    const __m128i closed = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1);
    std::uint32_t x = 0;
    for (; x + 10 <= width; x += 8) {
        const std::uint64_t at = std::uint64_t{6} * x;
        // Lanes in the order of the packed result: 0, 2 and 1, 3.
        const __m256i even =
            mean_pairs(load_lanes(above + at, above + at + 24), load_lanes(below + at, below + at + 24), pairs);
        const __m256i odd = mean_pairs(load_lanes(above + at + 12, above + at + 36),
                                       load_lanes(below + at + 12, below + at + 36), pairs);
        const __m256i means = _mm256_shuffle_epi8(_mm256_packus_epi16(even, odd), _mm256_broadcastsi128_si256(closed));
        auto* const to = out + std::uint64_t{x} * 3;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(means));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 12), _mm256_extracti128_si256(means, 1));
    }
    return x;
}

#else

template <std::uint32_t channels>
std::uint32_t wide_halve(const std::uint8_t*, const std::uint8_t*, std::uint32_t, std::uint8_t*) {
    return 0;
}
std::uint32_t wide_halve_3(const std::uint8_t*, const std::uint8_t*, std::uint32_t, std::uint8_t*) {
    return 0;
}

#endif

// Means of two pixels by two, rounded half up: `width` of them, of 1, 3 or 4 interleaved channels.
inline void halve8(const std::uint8_t* above, const std::uint8_t* below, std::uint32_t width, std::uint32_t channels,
                   std::uint8_t* out) {
    if (channels == 1) return plain_halve<1>(above, below, wide_halve<1>(above, below, width, out), width, out);
    if (channels == 3) return plain_halve<3>(above, below, wide_halve_3(above, below, width, out), width, out);
    plain_halve<4>(above, below, wide_halve<4>(above, below, width, out), width, out);
}

}  // namespace

}  // namespace vedette::cpu::VEDETTE_ISA
