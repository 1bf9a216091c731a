// The pixel formats of the ABI in OpenCV's terms.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vedette/plugin/cpp/format.hpp>

namespace vedette::opencv {

enum class Colors : std::uint8_t { gray, bgr, bgra, rgb, rgba, none /* numbers, not a picture */ };

struct FormatLayout : plugin::FormatLayout {
    int depth;     // CV_8U and so on; -1: OpenCV 4 has no such type (64-bit integers)
    int channels;  // of all planes
    Colors colors;
};

// NULL for VDT_FORMAT_NONE and for numbers that are no format.
const FormatLayout* layout_of(vdt_format format) noexcept;

using plugin::color_formats;
using plugin::color_formats_16;
using plugin::color_formats_8;
using plugin::color_formats_float;
using plugin::has;
using plugin::row_bytes;

// Largest magnitude a channel is assumed to have when an absolute tolerance is promised: the integer formats' largest
// value. Float pixels have no bound of their own; promises for them are for values up to 255.
double largest_value(const FormatLayout& layout) noexcept;

}  // namespace vedette::opencv
