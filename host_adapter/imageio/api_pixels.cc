// The C face of reading and writing image files: pixels without a screen or pattern around them.
#include "read_image.h"
#include "write_png.h"

#include "../core/api_guard.h"
#include "../core/image_check.h"

#include <vedette/vedette.h>

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace vedette::host;

namespace {

// The pixels as write_png takes them: blue first.
Image image_from(const vdt_image& view) {
    vdt_format format = view.format;
    const bool swap = format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_RGBA8;
    if (swap) {
        format = format == VDT_FORMAT_RGB8 ? VDT_FORMAT_BGR8 : VDT_FORMAT_BGRA8;
    }
    Image image(format, view.width, view.height);
    const std::size_t pixel_bytes = bytes_per_pixel(format);
    const std::size_t row_bytes = view.width * pixel_bytes;
    const auto* const first = static_cast<const std::uint8_t*>(view.plane[0].base) + view.plane[0].offset;
    for (std::uint32_t y = 0; y < view.height; ++y) {
        std::uint8_t* const row = image.row(y);
        std::memcpy(row, first + static_cast<std::int64_t>(y) * view.plane[0].row_stride, row_bytes);
        for (std::size_t at = 0; swap && at < row_bytes; at += pixel_bytes) {
            std::swap(row[at], row[at + 2]);
        }
    }
    return image;
}

}  // namespace

vdt_code vdt_pixels_from_file(const char* path, vdt_pixels* pixels, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        if (path == nullptr || pixels == nullptr) {
            throw Failure(VDT_E_ARGUMENT, path == nullptr ? "`path` is NULL." : "`pixels` is NULL.");
        }
        if (pixels->struct_size < sizeof(vdt_pixels)) {
            throw Failure(VDT_E_ARGUMENT, "`pixels->struct_size` is not set to sizeof(vdt_pixels).");
        }
        const Image image = read_image(path);
        const std::size_t row_bytes = image.width() * bytes_per_pixel(image.format());
        // Memory of the C library, so that freeing it needs nothing but its address.
        auto* data = static_cast<std::uint8_t*>(std::malloc(row_bytes * image.height()));
        if (data == nullptr) {
            throw Failure(VDT_E_OUT_OF_MEMORY, std::string("There is no memory for the pixels of '") + path + "'.");
        }
        for (std::uint32_t y = 0; y < image.height(); ++y) {
            std::memcpy(data + y * row_bytes, image.row(y), row_bytes);
        }
        pixels->format = image.format();
        pixels->width = image.width();
        pixels->height = image.height();
        pixels->stride = static_cast<std::int64_t>(row_bytes);
        pixels->bytes = row_bytes * image.height();
        pixels->data = data;
    });
}

void vdt_pixels_free(vdt_pixels* pixels) noexcept {
    if (pixels == nullptr || pixels->struct_size < sizeof(vdt_pixels)) {
        return;
    }
    std::free(const_cast<void*>(pixels->data));
    const std::uint32_t struct_size = pixels->struct_size;
    *pixels = {};
    pixels->struct_size = struct_size;
}

vdt_code vdt_pixels_to_file(const vdt_pixels* pixels, const char* path, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        if (path == nullptr) {
            throw Failure(VDT_E_ARGUMENT, "`path` is NULL.");
        }
        const vdt_image view = checked_view(pixels, "`pixels`");
        if (view.format > VDT_FORMAT_RGBA8) {
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "Pixels of the format " + format_name(view.format) +
                                                        " cannot be written to a file; reduce them to 8 bits first.");
        }
        write_png(image_from(view), path);
    });
}
