// The C face of reading image files: pixels without a screen or pattern around them.
#include "read_image.h"

#include "../core/api_guard.h"

#include <vedette/vedette.h>

#include <cstdlib>
#include <cstring>

using namespace vedette::host;

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
