// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/convert.h"

#if VEDETTE_ISA_LEVEL >= 1
#include <immintrin.h>
#endif

namespace vedette::cpu::VEDETTE_ISA {

extern const ConvertKernels convert_kernels;

namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;

// OpenCV 4's fixed-point BT.601 weights, 15 bits.
constexpr std::uint32_t blue_weight = 3735;
constexpr std::uint32_t green_weight = 19235;
constexpr std::uint32_t red_weight = 9798;
constexpr std::uint32_t half = 1u << 14;
constexpr std::uint32_t weight_bits = 15;

// ---- One row of any format --------------------------------------------------------------------------------------

constexpr std::uint32_t chunk = 256;  // pixels; the channels of a chunk stay in the first-level cache

// The largest sum is 65535 * 2^15 + 2^14, below 2^31.
Byte gray_of(Byte b, Byte g, Byte r) {
    return static_cast<Byte>((blue_weight * b + green_weight * g + red_weight * r + half) >> weight_bits);
}
Word gray_of(Word b, Word g, Word r) {
    return static_cast<Word>((blue_weight * b + green_weight * g + red_weight * r + half) >> weight_bits);
}
float gray_of(float b, float g, float r) {
    return static_cast<float>(0.114 * static_cast<double>(b) + 0.587 * static_cast<double>(g) +
                              0.299 * static_cast<double>(r));
}

// Round half to even, for 0 <= value < 2^51: adding 1.5 * 2^52 leaves no room for a fraction, so the addition itself
// rounds, in the default mode. No call of a library function, so that the loop becomes vector code on every set.
double round_half_even(double value) {
    constexpr double shift = 6755399441055744.0;
    return (value + shift) - shift;
}

#if VEDETTE_ISA_LEVEL >= 1
float single_scaled(Byte v, float high, float low, float offset) {
    const auto value = static_cast<float>(v);
    return __builtin_fmaf(value, high, __builtin_fmaf(value, low, offset));
}
#endif

Scale make_scale(double scale, double offset) {
    Scale result{};
    result.scale = scale;
    result.offset = offset;
#if VEDETTE_ISA_LEVEL >= 1  // where a fused operation is an instruction
    result.high = static_cast<float>(scale);
    result.low = static_cast<float>(scale - static_cast<double>(result.high));
    result.single_offset = static_cast<float>(offset);
    result.single = true;
    for (std::uint32_t v = 0; v < 256; ++v) {
        const float once = static_cast<float>(v * scale + offset);
        const float twice = single_scaled(static_cast<Byte>(v), result.high, result.low, result.single_offset);
        if (__builtin_memcmp(&once, &twice, sizeof once) != 0) result.single = false;
    }
#endif
    return result;
}

// NaN becomes 0.
std::uint32_t saturated(double value, double most) {
    const double positive = value > 0 ? value : 0;
    const double limited = positive < most ? positive : most;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(round_half_even(limited)));
}

void set_depth(const Byte* in, Word* out, std::uint32_t count, const Scale&) {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = static_cast<Word>(in[i] * 257u);
}
void set_depth(const Byte* in, float* out, std::uint32_t count, const Scale& scale) {
#if VEDETTE_ISA_LEVEL >= 1
    if (scale.single) {
        const float high = scale.high;
        const float low = scale.low;
        const float offset = scale.single_offset;
        for (std::uint32_t i = 0; i < count; ++i) out[i] = single_scaled(in[i], high, low, offset);
        return;
    }
#endif
    const double factor = scale.scale;
    const double offset = scale.offset;
    for (std::uint32_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i] * factor + offset);
}
void set_depth(const Word* in, Byte* out, std::uint32_t count, const Scale&) {
    // (v + 128) / 257, which is (255 v + 32895) / 65536 for every v of 16 bits.
    for (std::uint32_t i = 0; i < count; ++i) out[i] = static_cast<Byte>((in[i] * 255u + 32895u) >> 16);
}
void set_depth(const Word* in, float* out, std::uint32_t count, const Scale& scale) {
    const double factor = scale.scale;
    const double offset = scale.offset;
    for (std::uint32_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i] * factor + offset);
}
void set_depth(const float* in, Byte* out, std::uint32_t count, const Scale& scale) {
    const double factor = scale.scale;
    const double offset = scale.offset;
    for (std::uint32_t i = 0; i < count; ++i)
        out[i] = static_cast<Byte>(saturated(static_cast<double>(in[i]) * factor + offset, 255));
}
void set_depth(const float* in, Word* out, std::uint32_t count, const Scale& scale) {
    const double factor = scale.scale;
    const double offset = scale.offset;
    for (std::uint32_t i = 0; i < count; ++i)
        out[i] = static_cast<Word>(saturated(static_cast<double>(in[i]) * factor + offset, 65535));
}
template <class T>
void set_depth(const T* in, T* out, std::uint32_t count, const Scale&) {
    for (std::uint32_t i = 0; i < count; ++i) out[i] = in[i];
}

constexpr Byte opaque(Byte) {
    return 255;
}
constexpr Word opaque(Word) {
    return 65535;
}
constexpr float opaque(float) {
    return 1;
}

// Interleaved pixels to an array for each channel, and back. Loops of this form become shuffles of whole vectors.
template <class T>
void separate(const T* in, std::uint32_t channels, std::uint32_t count, T (*out)[chunk]) {
    if (channels == 3) {
        for (std::uint32_t i = 0; i < count; ++i) {
            out[0][i] = in[3 * i];
            out[1][i] = in[3 * i + 1];
            out[2][i] = in[3 * i + 2];
        }
    } else {
        for (std::uint32_t i = 0; i < count; ++i) {
            out[0][i] = in[4 * i];
            out[1][i] = in[4 * i + 1];
            out[2][i] = in[4 * i + 2];
            out[3][i] = in[4 * i + 3];
        }
    }
}

template <class T>
void interleave(const T (*in)[chunk], std::uint32_t channels, std::uint32_t count, T* out) {
    if (channels == 3) {
        for (std::uint32_t i = 0; i < count; ++i) {
            out[3 * i] = in[0][i];
            out[3 * i + 1] = in[1][i];
            out[3 * i + 2] = in[2][i];
        }
    } else {
        for (std::uint32_t i = 0; i < count; ++i) {
            out[4 * i] = in[0][i];
            out[4 * i + 1] = in[1][i];
            out[4 * i + 2] = in[2][i];
            out[4 * i + 3] = in[3][i];
        }
    }
}

bool is_interleaved(const PixelLayout& layout) {
    return layout.channels != 1 && !layout.planar;
}

// Place of channel B, G, R or alpha (0 .. 3) in a pixel or among the planes.
std::uint32_t place_of(const PixelLayout& layout, std::uint32_t channel) {
    return layout.rgb && channel < 3 ? 2 - channel : channel;
}

template <class In, class Out>
void convert_chunk(const ConvertRow& row, std::uint32_t x, std::uint32_t count) {
    const PixelLayout from = row.from;
    const PixelLayout to = row.to;
    In source[4][chunk];
    Out target[4][chunk];
    In gray[chunk];
    // Pixels that lie apart are separated and interleaved through the arrays above, others are worked on in place.
    const In* in[4] = {source[0], source[1], source[2], source[3]};
    Out* out[4] = {target[0], target[1], target[2], target[3]};
    if (is_interleaved(from)) {
        separate(static_cast<const In*>(row.in[0]) + std::uint64_t{x} * from.channels, from.channels, count, source);
    } else {
        for (std::uint32_t place = 0; place < from.channels; ++place)
            in[place] = static_cast<const In*>(row.in[place]) + x;
    }
    if (!is_interleaved(to))
        for (std::uint32_t place = 0; place < to.channels; ++place) out[place] = static_cast<Out*>(row.out[place]) + x;

    const bool to_gray = to.channels == 1 && from.channels != 1;
    if (to_gray) {
        const In* const b = in[place_of(from, 0)];
        const In* const g = in[1];
        const In* const r = in[place_of(from, 2)];
        for (std::uint32_t i = 0; i < count; ++i) gray[i] = gray_of(b[i], g[i], r[i]);
    }
    for (std::uint32_t channel = 0; channel < to.channels; ++channel) {
        Out* const result = out[place_of(to, channel)];
        if (channel == 3 && from.channels != 4) {
            for (std::uint32_t i = 0; i < count; ++i) result[i] = opaque(Out{});
        } else {
            const In* const values = to_gray ? gray : in[from.channels == 1 ? 0 : place_of(from, channel)];
            set_depth(values, result, count, row.scale);
        }
    }
    if (is_interleaved(to))
        interleave(target, to.channels, count, static_cast<Out*>(row.out[0]) + std::uint64_t{x} * to.channels);
}

template <class In, class Out>
void convert_row(const ConvertRow& row) {
    for (std::uint32_t x = 0; x < row.width; x += chunk)
        convert_chunk<In, Out>(row, x, row.width - x < chunk ? row.width - x : chunk);
}

template <class In>
void convert_row_from(const ConvertRow& row) {
    switch (row.to.depth) {
        case Depth::bits8:
            return convert_row<In, Byte>(row);
        case Depth::bits16:
            return convert_row<In, Word>(row);
        case Depth::real32:
            return convert_row<In, float>(row);
    }
}

void any_row(const ConvertRow& row) {
    switch (row.from.depth) {
        case Depth::bits8:
            return convert_row_from<Byte>(row);
        case Depth::bits16:
            return convert_row_from<Word>(row);
        case Depth::real32:
            return convert_row_from<float>(row);
    }
}

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

void gray8(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t width) {
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

void gray8(const Byte* in, std::uint32_t channels, bool rgb, Byte* out, std::uint32_t width) {
    gray8_plain(in, channels, rgb, out, 0, width);
}

template <int from, int to>
void reorder8_best(const Byte* in, Byte* out, bool swap, std::uint32_t width, bool) {
    reorder8_plain<from, to>(in, out, swap, 0, width);
}

#endif

void reorder8(const Byte* in, std::uint32_t in_channels, Byte* out, std::uint32_t out_channels, bool swap,
              std::uint32_t width, bool past_caches) {
    if (in_channels == 3 && out_channels == 3) return reorder8_best<3, 3>(in, out, swap, width, past_caches);
    if (in_channels == 3) return reorder8_best<3, 4>(in, out, swap, width, past_caches);
    if (out_channels == 3) return reorder8_best<4, 3>(in, out, swap, width, past_caches);
    reorder8_best<4, 4>(in, out, swap, width, past_caches);
}

}  // namespace

const ConvertKernels convert_kernels = {make_scale, any_row, gray8, reorder8};

}  // namespace vedette::cpu::VEDETTE_ISA
