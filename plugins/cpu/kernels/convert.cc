// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/convert.h"

#include "kernels/convert_bytes.h"
#include "kernels/gray.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const ConvertKernels convert_kernels;

namespace {

using Byte = std::uint8_t;
using Word = std::uint16_t;

// ---- One row of any format --------------------------------------------------------------------------------------

constexpr std::uint32_t chunk = 256;  // pixels; the channels of a chunk stay in the first-level cache

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

}  // namespace

const ConvertKernels convert_kernels = {make_scale, any_row, gray8, reorder8};

}  // namespace vedette::cpu::VEDETTE_ISA
