// Help for plugins written in C++; not part of the ABI. How the pixel formats lie in memory.
#ifndef VEDETTE_PLUGIN_CPP_FORMAT_HPP
#define VEDETTE_PLUGIN_CPP_FORMAT_HPP

#include "../image.h"

namespace vedette::plugin {

struct FormatLayout {
    const char* name;         // "BGR8", for error sentences
    uint32_t element_bytes;   // of one number
    uint32_t pixel_elements;  // numbers of one pixel in one plane
    uint32_t planes;
};

namespace detail {

inline constexpr FormatLayout layouts[VDT_FORMAT_COUNT] = {
    {"NONE", 0, 0, 0},   {"GRAY8", 1, 1, 1},         {"BGR8", 1, 3, 1},          {"BGRA8", 1, 4, 1},
    {"RGB8", 1, 3, 1},   {"RGBA8", 1, 4, 1},         {"GRAY16", 2, 1, 1},        {"BGR16", 2, 3, 1},
    {"BGRA16", 2, 4, 1}, {"RGB16", 2, 3, 1},         {"RGBA16", 2, 4, 1},        {"GRAYF32", 4, 1, 1},
    {"BGRF32", 4, 3, 1}, {"PLANAR_BGRF32", 4, 1, 3}, {"PLANAR_RGBF32", 4, 1, 3}, {"I32", 4, 1, 1},
    {"I64", 8, 1, 1},    {"F64", 8, 1, 1},           {"COMPLEXF32", 4, 2, 1},
};

}  // namespace detail

// Layout of a format, NULL for VDT_FORMAT_NONE and for numbers that these headers do not name.
constexpr const FormatLayout* layout_of(vdt_format format) noexcept {
    return format == VDT_FORMAT_NONE || format >= VDT_FORMAT_COUNT ? nullptr : &detail::layouts[format];
}

// Bytes of the pixels of one row of one plane. Cannot overflow up to VDT_MAX_DIMENSION and far beyond.
constexpr uint64_t row_bytes(const FormatLayout& layout, uint32_t width) noexcept {
    return uint64_t{layout.element_bytes} * layout.pixel_elements * width;
}

// First byte of row y of a plane that check_image has accepted. In device memory the pointer is the device's.
template <class T>
T* row_of(const vdt_plane& plane, uint32_t y) noexcept {
    auto* const first = static_cast<unsigned char*>(plane.base) + plane.offset;
    return static_cast<T*>(static_cast<void*>(first + static_cast<int64_t>(y) * plane.row_stride));
}
template <class T>
T* row_of(const vdt_image& image, uint32_t plane, uint32_t y) noexcept {
    return row_of<T>(image.plane[plane], y);
}

// Masks of formats, VDT_FORMAT_BIT of each.
constexpr uint64_t formats_from(vdt_format first, vdt_format last) noexcept {
    uint64_t mask = 0;
    for (vdt_format format = first; format <= last; ++format) mask |= VDT_FORMAT_BIT(format);
    return mask;
}
inline constexpr uint64_t color_formats_8 = formats_from(VDT_FORMAT_GRAY8, VDT_FORMAT_RGBA8);
inline constexpr uint64_t color_formats_16 = formats_from(VDT_FORMAT_GRAY16, VDT_FORMAT_RGBA16);
inline constexpr uint64_t color_formats_float = formats_from(VDT_FORMAT_GRAYF32, VDT_FORMAT_PLANAR_RGBF32);
inline constexpr uint64_t color_formats = color_formats_8 | color_formats_16 | color_formats_float;

// Whether `format`, any number, is in the mask.
constexpr bool has(uint64_t formats, vdt_format format) noexcept {
    return format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(format)) != 0;
}
constexpr bool is_color(vdt_format format) noexcept {
    return has(color_formats, format);
}

}  // namespace vedette::plugin
#endif
