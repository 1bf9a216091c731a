// Colour formats as the kernels see them.
#pragma once

#include "operands.h"

#include <vedette/plugin/cpp/format.hpp>

#include <string>

namespace vedette::opencl {

// Where a format keeps the channels of a pixel.
struct PixelLayout {
    std::uint32_t element_bytes;  // of a channel: 1, 2 or 4 (a float)
    std::uint32_t channels;       // 1, 3 or 4
    bool rgb;                     // red comes first
    bool planar;                  // a plane for each channel

    bool real() const noexcept { return element_bytes == 4; }
    const char* type() const noexcept { return element_bytes == 1 ? "uchar" : element_bytes == 2 ? "ushort" : "float"; }
    // What the macros CHANNELS_OF, RGB_OF and PLANAR_OF of the kernels read.
    std::uint32_t word() const noexcept { return channels | (rgb ? 8u : 0u) | (planar ? 16u : 0u); }
};

// `format` is a colour format.
inline PixelLayout layout_of_pixels(vdt_format format) noexcept {
    const plugin::FormatLayout& layout = *plugin::layout_of(format);
    const bool planar = layout.planes == 3;
    const bool rgb = format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_RGBA8 || format == VDT_FORMAT_RGB16 ||
                     format == VDT_FORMAT_RGBA16 || format == VDT_FORMAT_PLANAR_RGBF32;
    return {layout.element_bytes, planar ? 3 : layout.pixel_elements, rgb, planar};
}

inline double pixel_bytes(vdt_format format) noexcept {
    const plugin::FormatLayout& layout = *plugin::layout_of(format);
    return static_cast<double>(layout.element_bytes) * layout.pixel_elements * layout.planes;
}

// Plane `index` of an image, or its first one where it has fewer: kernels name three planes for every format.
inline Plane plane_or_first(const DeviceImage& image, int index) noexcept {
    return image.plane(image.memory[index] != nullptr ? index : 0);
}

}  // namespace vedette::opencl
