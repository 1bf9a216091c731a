#include "plane.h"

#include <cstring>

namespace vedette::reference {

std::uint32_t channels(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_RGB8:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_RGB16:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_PLANAR_BGRF32:
        case VDT_FORMAT_PLANAR_RGBF32:
            return 3;
        case VDT_FORMAT_BGRA8:
        case VDT_FORMAT_RGBA8:
        case VDT_FORMAT_BGRA16:
        case VDT_FORMAT_RGBA16:
            return 4;
        case VDT_FORMAT_COMPLEXF32:
            return 2;
        case VDT_FORMAT_NONE:
            return 0;
        default:
            return 1;
    }
}

std::uint32_t bytes_per_pixel(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_NONE:
            return 0;
        case VDT_FORMAT_I32:
        case VDT_FORMAT_PLANAR_BGRF32:
        case VDT_FORMAT_PLANAR_RGBF32:
            return 4;
        case VDT_FORMAT_I64:
        case VDT_FORMAT_F64:
        case VDT_FORMAT_COMPLEXF32:
            return 8;
        default:
            break;
    }
    switch (depth_of(format)) {
        case Depth::u8:
            return channels(format);
        case Depth::u16:
            return 2 * channels(format);
        case Depth::f32:
            return 4 * channels(format);
        case Depth::other:
            break;
    }
    throw std::invalid_argument("no such pixel format");
}

Depth depth_of(vdt_format format) {
    if (format >= VDT_FORMAT_GRAY8 && format <= VDT_FORMAT_RGBA8) return Depth::u8;
    if (format >= VDT_FORMAT_GRAY16 && format <= VDT_FORMAT_RGBA16) return Depth::u16;
    if (format >= VDT_FORMAT_GRAYF32 && format <= VDT_FORMAT_PLANAR_RGBF32) return Depth::f32;
    return Depth::other;
}

ChannelOrder order_of(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
        case VDT_FORMAT_GRAY16:
        case VDT_FORMAT_GRAYF32:
            return {0, 0, 0, -1};
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_PLANAR_BGRF32:
            return {0, 1, 2, -1};
        case VDT_FORMAT_BGRA8:
        case VDT_FORMAT_BGRA16:
            return {0, 1, 2, 3};
        case VDT_FORMAT_RGB8:
        case VDT_FORMAT_RGB16:
        case VDT_FORMAT_PLANAR_RGBF32:
            return {2, 1, 0, -1};
        case VDT_FORMAT_RGBA8:
        case VDT_FORMAT_RGBA16:
            return {2, 1, 0, 3};
        default:
            throw std::invalid_argument("not a colour format");
    }
}

namespace {

template <class T>
double load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);  // planes need not be aligned
    return static_cast<double>(value);
}

}  // namespace

double pixel(const vdt_image& image, std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    const bool planar = image.format == VDT_FORMAT_PLANAR_BGRF32 || image.format == VDT_FORMAT_PLANAR_RGBF32;
    const vdt_plane& plane = image.plane[planar ? channel : 0];
    const std::uint8_t* row = static_cast<const std::uint8_t*>(plane.base) + static_cast<std::int64_t>(plane.offset) +
                              static_cast<std::int64_t>(y) * plane.row_stride;
    const std::uint8_t* start = row + static_cast<std::size_t>(x) * bytes_per_pixel(image.format);
    const std::size_t index = planar ? 0 : channel;
    switch (image.format) {
        case VDT_FORMAT_I32:
            return load<std::int32_t>(start);
        case VDT_FORMAT_I64:
            return load<std::int64_t>(start);
        case VDT_FORMAT_F64:
            return load<double>(start);
        case VDT_FORMAT_COMPLEXF32:
            return load<float>(start + 4 * index);
        default:
            break;
    }
    switch (depth_of(image.format)) {
        case Depth::u8:
            return start[index];
        case Depth::u16:
            return load<std::uint16_t>(start + 2 * index);
        case Depth::f32:
            return load<float>(start + 4 * index);
        case Depth::other:
            break;
    }
    throw std::invalid_argument("no such pixel format");
}

Plane make_plane(std::uint32_t width, std::uint32_t height, std::uint32_t channel_count) {
    Plane plane;
    plane.width = width;
    plane.height = height;
    plane.channels = channel_count;
    plane.value.resize(static_cast<std::size_t>(width) * height * channel_count);
    return plane;
}

Plane read(const vdt_image& image) {
    Plane plane = make_plane(image.width, image.height, channels(image.format));
    for (std::uint32_t y = 0; y < plane.height; ++y)
        for (std::uint32_t x = 0; x < plane.width; ++x)
            for (std::uint32_t c = 0; c < plane.channels; ++c) at(plane, x, y, c) = pixel(image, x, y, c);
    return plane;
}

}  // namespace vedette::reference
