#include "encoded_image.h"

#include <algorithm>
#include <cstring>

namespace vedette::host {

namespace {

std::string subject(const EncodedImage& file) {
    return "'" + file.name + "'";
}

bool is_opaque(const std::uint8_t* bgra, std::uint32_t width) {
    std::uint32_t all = 0xff;
    for (std::uint32_t x = 0; x < width; ++x) {
        all &= bgra[4 * std::size_t{x} + 3];
    }
    return all == 0xff;
}

// Copies without alpha into a GRAY8 or BGR8 row.
void drop_alpha(const std::uint8_t* bgra, std::uint32_t width, vdt_format format, std::uint8_t* out) {
    if (format == VDT_FORMAT_GRAY8) {
        for (std::size_t x = 0; x < width; ++x) {
            out[x] = bgra[4 * x];
        }
        return;
    }
    // Four bytes are stored for each pixel but the last: the fourth is overwritten by the next, and one store is
    // cheaper than three.
    for (std::size_t x = 0; x + 1 < width; ++x) {
        std::memcpy(out + 3 * x, bgra + 4 * x, 4);
    }
    std::memcpy(out + 3 * std::size_t{width - 1}, bgra + 4 * std::size_t{width - 1}, 3);
}

void add_opaque_alpha(const std::uint8_t* in, std::uint32_t width, vdt_format format, std::uint8_t* bgra) {
    const std::size_t step = format == VDT_FORMAT_GRAY8 ? 1 : 3;
    const std::size_t green = step == 1 ? 0 : 1;
    const std::size_t red = step == 1 ? 0 : 2;
    for (std::size_t x = 0; x < width; ++x) {
        bgra[4 * x] = in[step * x];
        bgra[4 * x + 1] = in[step * x + green];
        bgra[4 * x + 2] = in[step * x + red];
        bgra[4 * x + 3] = 255;
    }
}

}  // namespace

Failure damaged(const EncodedImage& file, const char* format, const std::string& what) {
    return Failure(VDT_E_FORMAT, subject(file) + " is a damaged " + format + " file: " + what + ".");
}

Failure truncated(const EncodedImage& file, const char* format, const std::string& where) {
    return Failure(VDT_E_FORMAT, subject(file) + " is a truncated " + format + " file: it ends after " +
                                     std::to_string(file.bytes) + " bytes, " + where + ".");
}

Failure not_read(const EncodedImage& file, const char* format, const std::string& what) {
    return Failure(VDT_E_FORMAT, subject(file) + " is a " + format + " file of a kind that is not read: " + what + ".");
}

void check_size(const EncodedImage& file, const char* format, std::uint64_t width, std::uint64_t height) {
    const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
    if (width == 0 || height == 0) {
        throw damaged(file, format, "it says that it is " + size);
    }
    if (width > VDT_MAX_DIMENSION || height > VDT_MAX_DIMENSION || width * height > max_pixels) {
        throw Failure(VDT_E_SIZE, subject(file) + " is too large: " + size + ", where at most " +
                                      std::to_string(VDT_MAX_DIMENSION) + " a side and " + std::to_string(max_pixels) +
                                      " pixels are read.");
    }
}

AlphaRows::AlphaRows(std::uint32_t width, std::uint32_t height, bool gray)
    : image_(gray ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8, width, height) {}

void AlphaRows::put(std::uint32_t y, const std::uint8_t* bgra) {
    const std::uint32_t width = image_.width();
    if (image_.format() != VDT_FORMAT_BGRA8 && !is_opaque(bgra, width)) {
        keep_alpha();
    }
    if (image_.format() == VDT_FORMAT_BGRA8) {
        std::memcpy(image_.row(y), bgra, 4 * std::size_t{width});
    } else {
        drop_alpha(bgra, width, image_.format(), image_.row(y));
    }
}

void AlphaRows::keep_alpha() {
    Image with_alpha(VDT_FORMAT_BGRA8, image_.width(), image_.height());
    for (std::uint32_t y = 0; y < image_.height(); ++y) {
        add_opaque_alpha(image_.row(y), image_.width(), image_.format(), with_alpha.row(y));
    }
    image_ = std::move(with_alpha);
}

Image without_opaque_alpha(Image bgra, bool gray) {
    for (std::uint32_t y = 0; y < bgra.height(); ++y) {
        if (!is_opaque(bgra.row(y), bgra.width())) {
            return bgra;
        }
    }
    Image opaque(gray ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8, bgra.width(), bgra.height());
    for (std::uint32_t y = 0; y < bgra.height(); ++y) {
        drop_alpha(bgra.row(y), bgra.width(), opaque.format(), opaque.row(y));
    }
    return opaque;
}

}  // namespace vedette::host
