#include "formats.h"

namespace vedette::cpu {

namespace {

constexpr FormatLayout layouts[VDT_FORMAT_COUNT] = {
    {"NONE", 0, 0, 0},   {"GRAY8", 1, 1, 1},         {"BGR8", 1, 3, 1},          {"BGRA8", 1, 4, 1},
    {"RGB8", 1, 3, 1},   {"RGBA8", 1, 4, 1},         {"GRAY16", 2, 1, 1},        {"BGR16", 2, 3, 1},
    {"BGRA16", 2, 4, 1}, {"RGB16", 2, 3, 1},         {"RGBA16", 2, 4, 1},        {"GRAYF32", 4, 1, 1},
    {"BGRF32", 4, 3, 1}, {"PLANAR_BGRF32", 4, 1, 3}, {"PLANAR_RGBF32", 4, 1, 3}, {"I32", 4, 1, 1},
    {"I64", 8, 1, 1},    {"F64", 8, 1, 1},           {"COMPLEXF32", 4, 2, 1},
};

}  // namespace

const FormatLayout* layout_of(vdt_format format) noexcept {
    return format == VDT_FORMAT_NONE || format >= VDT_FORMAT_COUNT ? nullptr : &layouts[format];
}

}  // namespace vedette::cpu
