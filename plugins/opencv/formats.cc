#include "formats.h"

#include <array>

namespace vedette::opencv {

namespace {

constexpr int depth_of(vdt_format format) noexcept {
    if (format == VDT_FORMAT_I32) return CV_32S;
    if (format == VDT_FORMAT_F64) return CV_64F;
    if (has(plugin::color_formats_8, format)) return CV_8U;
    if (has(plugin::color_formats_16, format)) return CV_16U;
    return has(plugin::color_formats_float, format) || format == VDT_FORMAT_COMPLEXF32 ? CV_32F : -1;
}

constexpr Colors colors_of(vdt_format format) noexcept {
    switch (format) {
        case VDT_FORMAT_GRAY8:
        case VDT_FORMAT_GRAY16:
        case VDT_FORMAT_GRAYF32:
            return Colors::gray;
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_PLANAR_BGRF32:
            return Colors::bgr;
        case VDT_FORMAT_BGRA8:
        case VDT_FORMAT_BGRA16:
            return Colors::bgra;
        case VDT_FORMAT_RGB8:
        case VDT_FORMAT_RGB16:
        case VDT_FORMAT_PLANAR_RGBF32:
            return Colors::rgb;
        case VDT_FORMAT_RGBA8:
        case VDT_FORMAT_RGBA16:
            return Colors::rgba;
        default:
            return Colors::none;
    }
}

constexpr auto layouts = [] {
    std::array<FormatLayout, VDT_FORMAT_COUNT> all{};
    for (vdt_format format = 1; format < VDT_FORMAT_COUNT; ++format) {
        const plugin::FormatLayout& layout = *plugin::layout_of(format);
        all[format] = {layout, depth_of(format), static_cast<int>(layout.pixel_elements * layout.planes),
                       colors_of(format)};
    }
    return all;
}();

}  // namespace

const FormatLayout* layout_of(vdt_format format) noexcept {
    if (format == VDT_FORMAT_NONE || format >= VDT_FORMAT_COUNT) return nullptr;
    return &layouts[format];
}

double largest_value(const FormatLayout& layout) noexcept {
    return layout.depth == CV_16U ? 65535 : 255;
}

}  // namespace vedette::opencv
