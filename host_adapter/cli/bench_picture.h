// Pictures that the benchmark runs on.
#pragma once

#include <vedette/vedette.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vedette::cli {

// Pixels or values in memory of its own, rows without gaps, planes below each other.
class Picture {
public:
    Picture() = default;
    Picture(vdt_format format, std::uint32_t width, std::uint32_t height);  // zero

    vdt_format format() const { return format_; }
    std::uint32_t width() const { return width_; }
    std::uint32_t height() const { return height_; }
    std::size_t stride() const { return stride_; }
    std::size_t bytes() const { return data_.size(); }
    std::uint8_t* at(std::uint32_t x, std::uint32_t y) { return data_.data() + y * stride_ + x * pixel_bytes_; }
    const std::uint8_t* at(std::uint32_t x, std::uint32_t y) const {
        return data_.data() + y * stride_ + x * pixel_bytes_;
    }

    // Views for the C API; valid as long as the picture. `view` may be written through.
    vdt_image view() const;
    vdt_pixels pixels() const;

private:
    vdt_format format_ = VDT_FORMAT_NONE;
    std::uint32_t width_ = 0;
    std::uint32_t height_ = 0;
    std::size_t pixel_bytes_ = 0;
    std::size_t stride_ = 0;
    std::vector<std::uint8_t> data_;
};

// GRAY8, BGR8 or BGRA8 pixels as BGR8, alpha dropped.
Picture picture_of(const vdt_pixels& pixels);
// An image file as BGR8. Failure: Problem.
Picture read_picture(const std::string& path);
// GRAY8 or BGRA8 (opaque) from BGR8.
Picture gray_of(const Picture& bgr);
Picture with_alpha(const Picture& bgr);
Picture crop(const Picture& picture, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height);
// Standard deviation of the gray levels (of BGR8: of green) in a part of the picture.
double gray_deviation(const Picture& picture, std::uint32_t x0, std::uint32_t y0, std::uint32_t width,
                      std::uint32_t height);
// A part with structure: of places spread over the picture the one whose gray levels vary as an element's do, the same
// for the same picture. `picture` is BGR8 or GRAY8 and not smaller than the
// part.
Picture textured_part(const Picture& picture, std::uint32_t width, std::uint32_t height);

// A screen as a desktop shows it, BGR8, drawn from `seed`: a wallpaper, windows with title bars, rows of text, lists
// with icons, buttons, a picture with noise, and flat areas between.
Picture synthetic_screen(std::uint32_t width, std::uint32_t height, std::uint32_t seed);

}  // namespace vedette::cli
