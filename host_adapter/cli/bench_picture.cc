#include "bench_picture.h"

#include "library.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace vedette::cli {

namespace {

std::size_t element_bytes(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
            return 1;
        case VDT_FORMAT_BGR8:
            return 3;
        case VDT_FORMAT_BGRA8:
        case VDT_FORMAT_GRAYF32:
        case VDT_FORMAT_PLANAR_BGRF32:
        case VDT_FORMAT_I32:
            return 4;
        case VDT_FORMAT_I64:
        case VDT_FORMAT_COMPLEXF32:
        case VDT_FORMAT_F64:
            return 8;
        default:
            throw Problem(VDT_E_ARGUMENT, "The benchmark has no pictures of format " + std::to_string(format) + ".");
    }
}

std::uint32_t planes_of(vdt_format format) {
    return format == VDT_FORMAT_PLANAR_BGRF32 ? 3 : 1;
}

}  // namespace

Picture::Picture(vdt_format format, std::uint32_t width, std::uint32_t height)
    : format_(format),
      width_(width),
      height_(height),
      pixel_bytes_(element_bytes(format)),
      stride_(width * pixel_bytes_),
      data_(stride_ * height * planes_of(format)) {}

vdt_image Picture::view() const {
    vdt_image image{};
    image.struct_size = sizeof image;
    image.format = format_;
    image.width = width_;
    image.height = height_;
    image.memory = VDT_MEMORY_HOST;
    image.plane_count = planes_of(format_);
    for (std::uint32_t plane = 0; plane < image.plane_count; ++plane) {
        image.plane[plane].base = const_cast<std::uint8_t*>(data_.data());  // outputs are written through the same type
        image.plane[plane].offset = stride_ * height_ * plane;
        image.plane[plane].row_stride = static_cast<std::int64_t>(stride_);
        image.plane[plane].bytes = data_.size();
    }
    return image;
}

vdt_pixels Picture::pixels() const {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    pixels.format = format_;
    pixels.width = width_;
    pixels.height = height_;
    pixels.stride = static_cast<std::int64_t>(stride_);
    pixels.bytes = data_.size();
    pixels.data = data_.data();
    return pixels;
}

Picture picture_of(const vdt_pixels& pixels) {
    Picture picture(VDT_FORMAT_BGR8, pixels.width, pixels.height);
    const std::size_t channels = element_bytes(pixels.format);
    for (std::uint32_t y = 0; y < pixels.height; ++y) {
        const std::uint8_t* in = static_cast<const std::uint8_t*>(pixels.data) + y * pixels.stride;
        for (std::uint32_t x = 0; x < pixels.width; ++x, in += channels) {
            for (std::size_t channel = 0; channel < 3; ++channel) {
                picture.at(x, y)[channel] = in[channels == 1 ? 0 : channel];
            }
        }
    }
    return picture;
}

Picture read_picture(const std::string& path) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels, error); });
    const std::unique_ptr<vdt_pixels, Destroy<vdt_pixels_free>> owner(&pixels);
    return picture_of(pixels);
}

Picture gray_of(const Picture& bgr) {
    Picture gray(VDT_FORMAT_GRAY8, bgr.width(), bgr.height());
    for (std::uint32_t y = 0; y < bgr.height(); ++y) {
        for (std::uint32_t x = 0; x < bgr.width(); ++x) {
            const std::uint8_t* p = bgr.at(x, y);
            // The fixed-point BT.601 of the operation `convert`.
            *gray.at(x, y) =
                static_cast<std::uint8_t>((3735u * p[0] + 19235u * p[1] + 9798u * p[2] + (1u << 14)) >> 15);
        }
    }
    return gray;
}

Picture with_alpha(const Picture& bgr) {
    Picture bgra(VDT_FORMAT_BGRA8, bgr.width(), bgr.height());
    for (std::uint32_t y = 0; y < bgr.height(); ++y) {
        for (std::uint32_t x = 0; x < bgr.width(); ++x) {
            std::memcpy(bgra.at(x, y), bgr.at(x, y), 3);
            bgra.at(x, y)[3] = 255;
        }
    }
    return bgra;
}

Picture crop(const Picture& picture, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
    Picture part(picture.format(), width, height);
    for (std::uint32_t row = 0; row < height; ++row) {
        std::memcpy(part.at(0, row), picture.at(x, y + row), part.stride());
    }
    return part;
}

double gray_deviation(const Picture& picture, std::uint32_t x0, std::uint32_t y0, std::uint32_t width,
                      std::uint32_t height) {
    const std::size_t channel = picture.format() == VDT_FORMAT_BGR8 ? 1 : 0;  // green is the nearest to gray
    double sum = 0;
    double squares = 0;
    for (std::uint32_t y = y0; y < y0 + height; ++y) {
        for (std::uint32_t x = x0; x < x0 + width; ++x) {
            const double level = picture.at(x, y)[channel];
            sum += level;
            squares += level * level;
        }
    }
    const double count = double(width) * height;
    return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

Picture textured_part(const Picture& picture, std::uint32_t width, std::uint32_t height) {
    // Text and icons on real desktops have a standard deviation of about 45 gray levels.
    constexpr double typical_deviation = 45;
    constexpr std::uint32_t places = 8;  // along each side
    std::uint32_t best_x = 0;
    std::uint32_t best_y = 0;
    double best = 1e9;
    for (std::uint32_t i = 0; i < places * places; ++i) {
        const std::uint32_t x = (picture.width() - width) * (i % places) / (places - 1);
        const std::uint32_t y = (picture.height() - height) * (i / places) / (places - 1);
        const double off = std::abs(gray_deviation(picture, x, y, width, height) - typical_deviation);
        if (off < best) {
            best = off;
            best_x = x;
            best_y = y;
        }
    }
    return crop(picture, best_x, best_y, width, height);
}

}  // namespace vedette::cli
