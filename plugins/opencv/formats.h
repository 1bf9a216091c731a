// The pixel formats of the ABI in OpenCV's terms.
#pragma once

#include <vedette/plugin/image.h>

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>

namespace vedette::opencv {

enum class Colors : std::uint8_t { gray, bgr, bgra, rgb, rgba, none /* numbers, not a picture */ };

struct FormatLayout {
    const char* name;
    int depth;  // CV_8U and so on; -1: OpenCV 4 has no such type (64-bit integers)
    int channels;
    std::uint32_t planes;
    std::uint32_t element_bytes;
    Colors colors;
};

// NULL for VDT_FORMAT_NONE and for numbers that are no format.
const FormatLayout* layout_of(vdt_format format) noexcept;

// Bytes of one row of one plane.
std::size_t row_bytes(const FormatLayout& layout, std::uint32_t width) noexcept;

// Largest magnitude a channel is assumed to have when an absolute tolerance is promised: the integer formats' largest
// value. Float pixels have no bound of their own; promises for them are for values up to 255.
double largest_value(const FormatLayout& layout) noexcept;

constexpr std::uint64_t formats_from(vdt_format first, vdt_format last) {
    std::uint64_t mask = 0;
    for (vdt_format format = first; format <= last; ++format) mask |= VDT_FORMAT_BIT(format);
    return mask;
}
constexpr std::uint64_t color_formats_8 = formats_from(VDT_FORMAT_GRAY8, VDT_FORMAT_RGBA8);
constexpr std::uint64_t color_formats_16 = formats_from(VDT_FORMAT_GRAY16, VDT_FORMAT_RGBA16);
constexpr std::uint64_t color_formats_float = formats_from(VDT_FORMAT_GRAYF32, VDT_FORMAT_PLANAR_RGBF32);
constexpr std::uint64_t color_formats = color_formats_8 | color_formats_16 | color_formats_float;

inline bool has(std::uint64_t formats, vdt_format format) noexcept {
    return format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(format)) != 0;
}

}  // namespace vedette::opencv
