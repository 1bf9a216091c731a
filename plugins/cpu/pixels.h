// Colour formats as the kernels see them.
#pragma once

#include "formats.h"
#include "kernels/convert.h"

namespace vedette::cpu {

// All formats that hold colours.
constexpr std::uint64_t color_formats =
    VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8) | VDT_FORMAT_BIT(VDT_FORMAT_BGRA8) |
    VDT_FORMAT_BIT(VDT_FORMAT_RGB8) | VDT_FORMAT_BIT(VDT_FORMAT_RGBA8) | VDT_FORMAT_BIT(VDT_FORMAT_GRAY16) |
    VDT_FORMAT_BIT(VDT_FORMAT_BGR16) | VDT_FORMAT_BIT(VDT_FORMAT_BGRA16) | VDT_FORMAT_BIT(VDT_FORMAT_RGB16) |
    VDT_FORMAT_BIT(VDT_FORMAT_RGBA16) | VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32) | VDT_FORMAT_BIT(VDT_FORMAT_BGRF32) |
    VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_BGRF32) | VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_RGBF32);

inline bool is_color(vdt_format format) noexcept {
    return format < VDT_FORMAT_COUNT && (color_formats & VDT_FORMAT_BIT(format)) != 0;
}

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
