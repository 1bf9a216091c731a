// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/convert_bytes.h"

#include "kernels/gray.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

namespace {

using Byte = std::uint8_t;

// ---- 8-bit colour to gray ---------------------------------------------------------------------------------------

void gray8_plain(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t b = rgb ? 2 : 0;
    for (std::uint32_t x = begin; x < end; ++x) {
        const Byte* const pixel = in + std::uint64_t{x} * channels;
        out[x] = gray_of(pixel[b], pixel[1], pixel[2 - b]);
    }
}

// ---- 8-bit colour to colour -------------------------------------------------------------------------------------

template <std::uint32_t from, std::uint32_t to>
void reorder8_plain(const Byte* in, Byte* out, bool swap, std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t first = swap ? 2 : 0;
    for (std::uint32_t x = begin; x < end; ++x) {
        const Byte* const pixel = in + std::uint64_t{x} * from;
        Byte* const target = out + std::uint64_t{x} * to;
        const Byte a = pixel[first];
        const Byte b = pixel[1];
        const Byte c = pixel[2 - first];
        if constexpr (to == 4) target[3] = from == 4 ? pixel[from - 1] : Byte{255};
        target[0] = a;
        target[1] = b;
        target[2] = c;
    }
}

#if VEDETTE_ISA_LEVEL >= 1

// Two weights side by side, for multiply-and-add of 16-bit pairs.
__m256i weight_pair(std::uint32_t low, std::uint32_t high) {
    return _mm256_set1_epi32(static_cast<int>(high << 16 | low));
}

__m256i both_lanes(__m128i value) {
    return _mm256_broadcastsi128_si256(value);
}

// Shuffles that spread four pixels of 16 bytes over 32-bit lanes: first and second channel as a pair of words, and the
// third as a word whose neighbour is left 0.
template <int channels>
__m128i spread_pair() {
    constexpr int n = channels;
    return _mm_setr_epi8(0, -1, 1, -1, n, -1, n + 1, -1, 2 * n, -1, 2 * n + 1, -1, 3 * n, -1, 3 * n + 1, -1);
}
template <int channels>
__m128i spread_third() {
    constexpr int n = channels;
    return _mm_setr_epi8(2, -1, -1, -1, n + 2, -1, -1, -1, 2 * n + 2, -1, -1, -1, 3 * n + 2, -1, -1, -1);
}

__m128i load16(const Byte* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
void store16(Byte* at, __m128i value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), value);
}

// Eight pixels, one per 32-bit lane: (w0 c0 + w1 c1) + (w2 c2 + 2^14), the 2^14 as a word of 1 times its weight.
template <int channels>
__m256i gray_of_8(const Byte* in, __m256i pair_weights, __m256i third_weights) {
    const __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(load16(in)), load16(in + 4 * channels), 1);
    const __m256i pair = _mm256_shuffle_epi8(pixels, both_lanes(spread_pair<channels>()));
    const __m256i third =
        _mm256_or_si256(_mm256_shuffle_epi8(pixels, both_lanes(spread_third<channels>())), _mm256_set1_epi32(1 << 16));
    const __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(pair, pair_weights), _mm256_madd_epi16(third, third_weights));
    return _mm256_srli_epi32(sum, weight_bits);
}

template <int channels>
void gray8_vector(const Byte* in, bool rgb, Byte* out, std::uint32_t width) {
    const __m256i pair_weights = weight_pair(rgb ? red_weight : blue_weight, green_weight);
    const __m256i third_weights = weight_pair(rgb ? blue_weight : red_weight, half);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // undoes the lane-wise packing below
    std::uint32_t x = 0;
    // A load of 16 bytes reaches 16 - 4 * channels bytes beyond its four pixels: two pixels at most.
    for (; std::uint64_t{x} + 32 + 2 <= width; x += 32) {
        const Byte* const at = in + std::uint64_t{x} * channels;
        const __m256i a = gray_of_8<channels>(at, pair_weights, third_weights);
        const __m256i b = gray_of_8<channels>(at + 8 * channels, pair_weights, third_weights);
        const __m256i c = gray_of_8<channels>(at + 16 * channels, pair_weights, third_weights);
        const __m256i d = gray_of_8<channels>(at + 24 * channels, pair_weights, third_weights);
        const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), _mm256_permutevar8x32_epi32(packed, order));
    }
    gray8_plain(in, channels, rgb, out, x, width);
}

// A shuffle of 16 bytes that takes `pixels` pixels of `from` channels to `to` channels; other bytes become 0.
template <int from, int to, int pixels>
__m128i reorder_shuffle(bool swap) {
    alignas(16) char index[16];
    for (int i = 0; i < 16; ++i) {
        const int pixel = i / to;
        const int channel = i % to;
        const int source = channel == 3 ? 3 : (swap ? 2 - channel : channel);
        index[i] = static_cast<char>(pixel < pixels && source < from ? pixel * from + source : -128);
    }
    return _mm_load_si128(reinterpret_cast<const __m128i*>(index));
}

template <int from, int to>
void reorder8_vector(const Byte* in, Byte* out, bool swap, std::uint32_t width) {
    // As many pixels a step as 16 bytes hold on the wider side. A store may reach into the next pixel, which comes
    // later.
    constexpr int most = from > to ? from : to;
    constexpr std::uint32_t pixels = 16 / most;
    constexpr std::uint32_t reach = (16 + 2) / 3;  // pixels that 16 bytes touch where a pixel has three
    const __m128i shuffle = reorder_shuffle<from, to, static_cast<int>(pixels)>(swap);
    const __m128i alpha = from == 3 && to == 4 ? _mm_set1_epi32(static_cast<int>(0xff000000u)) : _mm_setzero_si128();
    std::uint32_t x = 0;
    for (; std::uint64_t{x} + reach <= width; x += pixels) {
        const __m128i value = _mm_shuffle_epi8(load16(in + std::uint64_t{x} * from), shuffle);
        store16(out + std::uint64_t{x} * to, _mm_or_si128(value, alpha));
    }
    reorder8_plain<from, to>(in, out, swap, x, width);
}

// A shuffle that drops the fourth byte of four pixels and puts the twelve bytes at `offset` of the result, cut where
// they reach beyond it; other bytes become 0.
__m128i dropping_shuffle(bool swap, int offset) {
    alignas(16) char index[16];
    for (int i = 0; i < 16; ++i) {
        const int at = i - offset, channel = at % 3;
        const bool taken = at >= 0 && at < 12;
        index[i] = static_cast<char>(taken ? at / 3 * 4 + (swap ? 2 - channel : channel) : -128);
    }
    return _mm_load_si128(reinterpret_cast<const __m128i*>(index));
}

// Sixteen pixels of four bytes become three whole vectors of 16 bytes. Shuffles within 16 bytes: those across the
// halves of 32 cost more than half of them saves (2-core Zen 3, AVX2).
class DropFourth {
public:
    static constexpr std::uint32_t pixels = 16;

    explicit DropFourth(bool swap)
        : first_(dropping_shuffle(swap, 0)),
          second_high_(dropping_shuffle(swap, 12)),
          second_low_(dropping_shuffle(swap, -4)),
          third_high_(dropping_shuffle(swap, 8)),
          third_low_(dropping_shuffle(swap, -8)),
          fourth_(dropping_shuffle(swap, 4)) {}

    // Past the caches where `streams`; then `out` is a multiple of 16.
    template <bool streams>
    void run(const Byte* in, Byte* out) const {
        const __m128i a = load16(in), b = load16(in + 16), c = load16(in + 32), d = load16(in + 48);
        put<streams>(out, _mm_or_si128(_mm_shuffle_epi8(a, first_), _mm_shuffle_epi8(b, second_high_)));
        put<streams>(out + 16, _mm_or_si128(_mm_shuffle_epi8(b, second_low_), _mm_shuffle_epi8(c, third_high_)));
        put<streams>(out + 32, _mm_or_si128(_mm_shuffle_epi8(c, third_low_), _mm_shuffle_epi8(d, fourth_)));
    }

private:
    template <bool streams>
    static void put(Byte* at, __m128i value) {
        if constexpr (streams)
            _mm_stream_si128(reinterpret_cast<__m128i*>(at), value);
        else
            store16(at, value);
    }

    __m128i first_, second_high_, second_low_, third_high_, third_low_, fourth_;
};

template <bool streams>
void drop_fourth(const Byte* in, Byte* out, bool swap, std::uint32_t width) {
    constexpr std::uint32_t step = DropFourth::pixels;
    if (width < step) return reorder8_plain<4, 3>(in, out, swap, 0, width);
    const DropFourth drop(swap);
    std::uint32_t x = 0;
    if constexpr (streams) {
        // Whole vectors from the first boundary on, which one of the first sixteen pixels has, as 3 is odd.
        while (reinterpret_cast<std::uintptr_t>(out + std::uint64_t{3} * x) % 16 != 0) ++x;
        if (x > 0) drop.run<false>(in, out);
    }
    for (; std::uint64_t{x} + step <= width; x += step)
        drop.run<streams>(in + std::uint64_t{4} * x, out + std::uint64_t{3} * x);
    // What is left together with some of what was done.
    if (x < width) drop.run<false>(in + std::uint64_t{4} * (width - step), out + std::uint64_t{3} * (width - step));
    if constexpr (streams) _mm_sfence();
}

void gray8_best(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t width) {
    if (channels == 4) return gray8_vector<4>(in, rgb, out, width);
    gray8_vector<3>(in, rgb, out, width);
}

template <int from, int to>
void reorder8_best(const Byte* in, Byte* out, bool swap, std::uint32_t width, bool streams) {
    if constexpr (from == 4 && to == 3) {
        if (streams) return drop_fourth<true>(in, out, swap, width);
        drop_fourth<false>(in, out, swap, width);
    } else {
        reorder8_vector<from, to>(in, out, swap, width);
    }
}

#else

void gray8_best(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t width) {
    gray8_plain(in, channels, rgb, out, 0, width);
}

template <int from, int to>
void reorder8_best(const Byte* in, Byte* out, bool swap, std::uint32_t width, bool) {
    reorder8_plain<from, to>(in, out, swap, 0, width);
}

#endif

}  // namespace

void gray8(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t width) {
    gray8_best(in, channels, rgb, out, width);
}

void reorder8(const Byte* in, std::uint32_t in_channels, Byte* out, std::uint32_t out_channels, bool swap,
              std::uint32_t width, bool past_caches) {
    if (in_channels == 3 && out_channels == 3) return reorder8_best<3, 3>(in, out, swap, width, past_caches);
    if (in_channels == 3) return reorder8_best<3, 4>(in, out, swap, width, past_caches);
    if (out_channels == 3) return reorder8_best<4, 3>(in, out, swap, width, past_caches);
    reorder8_best<4, 4>(in, out, swap, width, past_caches);
}

}  // namespace vedette::cpu::VEDETTE_ISA
