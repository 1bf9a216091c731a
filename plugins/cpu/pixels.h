// Colour formats as the kernels see them.
#pragma once

#include "formats.h"
#include "kernels/convert.h"

namespace vedette::cpu {

// `format` is a colour format.
inline PixelLayout pixels_of(vdt_format format) noexcept {
    const FormatLayout& layout = *layout_of(format);
    const bool planar = layout.planes == 3;
    const bool rgb = format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_RGBA8 || format == VDT_FORMAT_RGB16 ||
                     format == VDT_FORMAT_RGBA16 || format == VDT_FORMAT_PLANAR_RGBF32;
    Depth depth = Depth::real32;
    if (layout.element_bytes == 1) depth = Depth::bits8;
    if (layout.element_bytes == 2) depth = Depth::bits16;
    return {depth, static_cast<std::uint8_t>(planar ? 3 : layout.pixel_elements), rgb, planar};
}

// Largest value of an integer channel. Float pixels have no limit; promises of accuracy take them to lie within +-255.
inline double largest_value(Depth depth) noexcept {
    return depth == Depth::bits16 ? 65535 : 255;
}

}  // namespace vedette::cpu
