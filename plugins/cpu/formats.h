// How pixel formats lie in memory.
#pragma once

#include <vedette/plugin/image.h>

#include <cstdint>

namespace vedette::cpu {

struct FormatLayout {
    const char* name;
    std::uint32_t element_bytes;   // of one number
    std::uint32_t pixel_elements;  // numbers of one pixel in one plane
    std::uint32_t planes;
};

// Layout of a format, NULL for VDT_FORMAT_NONE and for values this ABI version does not name.
const FormatLayout* layout_of(vdt_format format) noexcept;

inline std::uint64_t row_bytes(const FormatLayout& layout, std::uint32_t width) noexcept {
    return std::uint64_t{layout.element_bytes} * layout.pixel_elements * width;
}

// First byte of row y of a plane. The view has passed check_image.
template <class T>
T* row_of(const vdt_image& image, std::uint32_t plane, std::uint32_t y) noexcept {
    const vdt_plane& p = image.plane[plane];
    auto* const first = static_cast<unsigned char*>(p.base) + p.offset;
    return static_cast<T*>(static_cast<void*>(first + static_cast<std::int64_t>(y) * p.row_stride));
}

}  // namespace vedette::cpu
