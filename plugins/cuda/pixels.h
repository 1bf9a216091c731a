// Colour formats as the kernels see them.
#pragma once

#include "operands.h"

#include <vedette/plugin/cpp/format.hpp>

#include <kernels/convert.h>

namespace vedette::cuda_plugin {

// `format` is a colour format.
inline cuda::PixelLayout layout_of_pixels(vdt_format format) noexcept {
    const plugin::FormatLayout& layout = *plugin::layout_of(format);
    const bool planar = layout.planes == 3;
    const bool rgb = format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_RGBA8 || format == VDT_FORMAT_RGB16 ||
                     format == VDT_FORMAT_RGBA16 || format == VDT_FORMAT_PLANAR_RGBF32;
    cuda::Depth depth = cuda::Depth::real32;
    if (layout.element_bytes == 1) depth = cuda::Depth::bits8;
    if (layout.element_bytes == 2) depth = cuda::Depth::bits16;
    return {depth, static_cast<std::uint8_t>(planar ? 3 : layout.pixel_elements), rgb, planar};
}

inline double pixel_bytes(vdt_format format) noexcept {
    const plugin::FormatLayout& layout = *plugin::layout_of(format);
    return static_cast<double>(layout.element_bytes) * layout.pixel_elements * layout.planes;
}

inline cuda::PixelPlanes pixel_planes(const DeviceImage& image) noexcept {
    cuda::PixelPlanes result;
    result.layout = layout_of_pixels(image.format);
    for (int index = 0; index < 3; ++index) result.plane[index] = image.view<std::byte>(1, index);
    return result;
}

}  // namespace vedette::cuda_plugin
