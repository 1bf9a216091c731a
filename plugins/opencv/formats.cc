#include "formats.h"

#include <array>

namespace vedette::opencv {

namespace {

constexpr std::array<FormatLayout, VDT_FORMAT_COUNT> layouts = {{
    {"NONE", -1, 0, 0, 0, Colors::none},
    {"GRAY8", CV_8U, 1, 1, 1, Colors::gray},
    {"BGR8", CV_8U, 3, 1, 1, Colors::bgr},
    {"BGRA8", CV_8U, 4, 1, 1, Colors::bgra},
    {"RGB8", CV_8U, 3, 1, 1, Colors::rgb},
    {"RGBA8", CV_8U, 4, 1, 1, Colors::rgba},
    {"GRAY16", CV_16U, 1, 1, 2, Colors::gray},
    {"BGR16", CV_16U, 3, 1, 2, Colors::bgr},
    {"BGRA16", CV_16U, 4, 1, 2, Colors::bgra},
    {"RGB16", CV_16U, 3, 1, 2, Colors::rgb},
    {"RGBA16", CV_16U, 4, 1, 2, Colors::rgba},
    {"GRAYF32", CV_32F, 1, 1, 4, Colors::gray},
    {"BGRF32", CV_32F, 3, 1, 4, Colors::bgr},
    {"PLANAR_BGRF32", CV_32F, 3, 3, 4, Colors::bgr},
    {"PLANAR_RGBF32", CV_32F, 3, 3, 4, Colors::rgb},
    {"I32", CV_32S, 1, 1, 4, Colors::none},
    {"I64", -1, 1, 1, 8, Colors::none},
    {"F64", CV_64F, 1, 1, 8, Colors::none},
    {"COMPLEXF32", CV_32F, 2, 1, 4, Colors::none},
}};

}  // namespace

const FormatLayout* layout_of(vdt_format format) noexcept {
    if (format == VDT_FORMAT_NONE || format >= VDT_FORMAT_COUNT) return nullptr;
    return &layouts[format];
}

std::size_t row_bytes(const FormatLayout& layout, std::uint32_t width) noexcept {
    const std::size_t channels = layout.planes > 1 ? 1 : static_cast<std::size_t>(layout.channels);
    return static_cast<std::size_t>(width) * channels * layout.element_bytes;
}

double largest_value(const FormatLayout& layout) noexcept {
    return layout.depth == CV_16U ? 65535 : 255;
}

}  // namespace vedette::opencv
