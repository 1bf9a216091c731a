// Kernels of convert: one row of pixels at a time. Rows need no alignment beyond their elements' and may end anywhere:
// nothing is read or written outside `width` pixels. Input and output must not overlap.
#pragma once

#include <cstdint>

namespace vedette::cpu {

enum class Depth : std::uint8_t { bits8, bits16, real32 };

// Where a format keeps the channels of a pixel.
struct PixelLayout {
    Depth depth;
    std::uint8_t channels;  // 1, 3 or 4
    bool rgb;               // red comes first
    bool planar;            // a plane for each channel
};

// v * scale + offset, for conversions between integers and reals. Made by ConvertKernels::make_scale.
struct Scale {
    double scale;
    double offset;
    // With `single`, (v * high + (v * low + offset)) in single precision with fused operations gives, for every v of 8
    // bits, the same value as double precision rounded once; that was tried for each of them.
    bool single;
    float high;
    float low;
    float single_offset;
};

// A row of any format to a row of any other.
struct ConvertRow {
    PixelLayout from;
    PixelLayout to;
    const void* in[3];  // planes, in the format's order; interleaved formats have one
    void* out[3];
    std::uint32_t width;  // pixels
    Scale scale;
};

// Formulas: convert in vedette/plugin/ops.h.
struct ConvertKernels {
    Scale (*make_scale)(double scale, double offset);
    void (*row)(const ConvertRow& row);
    // 8-bit colour of 3 or 4 interleaved channels to 8-bit gray; `rgb`: the first channel is red.
    void (*gray8)(const std::uint8_t* in, std::uint32_t channels, bool rgb, std::uint8_t* out, std::uint32_t width);
    // 8-bit colour to 8-bit colour; `swap` exchanges first and third channel. An added alpha is 255.
    // `past_caches`: the output is not read again soon; it goes past the caches where alpha is dropped, by sets that
    // can.
    void (*reorder8)(const std::uint8_t* in, std::uint32_t in_channels, std::uint8_t* out, std::uint32_t out_channels,
                     bool swap, std::uint32_t width, bool past_caches);
};

}  // namespace vedette::cpu
