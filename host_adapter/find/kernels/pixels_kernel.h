// Formats of pixels, row by row.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

namespace vedette::host {
namespace {

#ifdef __SSSE3__

// Sixteen bytes at once, of which whole pixels count: four of four channels, five of three. Both ends stay inside the
// rows. Gives the pixels done.
inline std::size_t pick_vectors(const std::uint8_t* in, unsigned channels, const std::uint8_t order[3],
                                std::size_t count, std::uint8_t* out) {
    const std::size_t step = channels == 4 ? 4 : 5;
    alignas(16) std::uint8_t places[16];
    for (unsigned i = 0; i < 16; ++i)
        places[i] = i < 3 * step ? static_cast<std::uint8_t>(i / 3 * channels + order[i % 3]) : std::uint8_t{0x80};
    const __m128i mask = _mm_load_si128(reinterpret_cast<const __m128i*>(places));
    std::size_t x = 0;
    for (; 3 * x + 16 <= 3 * count; x += step) {
        const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + channels * x));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * x), _mm_shuffle_epi8(pixels, mask));
    }
    return x;
}

// Four pixels as 32-bit numbers: products of neighbouring 16-bit lanes, blue with green, red with the half to round by.
inline __m128i gray_of_four(const std::uint8_t* bgr) {
    const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bgr));
    const __m128i blue_green =
        _mm_shuffle_epi8(pixels, _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m128i red =
        _mm_shuffle_epi8(pixels, _mm_setr_epi8(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1));
    const __m128i red_one = _mm_or_si128(red, _mm_set1_epi32(1 << 16));
    const __m128i sum = _mm_add_epi32(_mm_madd_epi16(blue_green, _mm_set1_epi32(19235 << 16 | 3735)),
                                      _mm_madd_epi16(red_one, _mm_set1_epi32(16384 << 16 | 9798)));
    return _mm_srli_epi32(sum, 15);
}

inline std::size_t gray_vectors(const std::uint8_t* bgr, std::size_t count, std::uint8_t* gray) {
    std::size_t x = 0;
    // The last four are read with four bytes beyond them.
    for (; 3 * x + 52 <= 3 * count; x += 16) {
        const std::uint8_t* const from = bgr + 3 * x;
        const __m128i low = _mm_packs_epi32(gray_of_four(from), gray_of_four(from + 12));
        const __m128i high = _mm_packs_epi32(gray_of_four(from + 24), gray_of_four(from + 36));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(gray + x), _mm_packus_epi16(low, high));
    }
    return x;
}

#else

inline std::size_t pick_vectors(const std::uint8_t*, unsigned, const std::uint8_t*, std::size_t, std::uint8_t*) {
    return 0;
}
inline std::size_t gray_vectors(const std::uint8_t*, std::size_t, std::uint8_t*) {
    return 0;
}

#endif

void pick(const std::uint8_t* in, unsigned channels, const std::uint8_t order[3], std::size_t count,
          std::uint8_t* out) {
    for (std::size_t x = pick_vectors(in, channels, order, count, out); x < count; ++x)
        for (unsigned c = 0; c < 3; ++c) out[3 * x + c] = in[channels * x + order[c]];
}

void gray(const std::uint8_t* bgr, std::size_t count, std::uint8_t* out) {
    for (std::size_t x = gray_vectors(bgr, count, out); x < count; ++x) {
        const std::uint8_t* const in = bgr + 3 * x;
        out[x] = static_cast<std::uint8_t>((3735U * in[0] + 19235U * in[1] + 9798U * in[2] + 16384U) >> 15U);
    }
}

}  // namespace
}  // namespace vedette::host
