// Reads image files: PNG, JPEG, WebP, PNM and BMP, told by content, through libpng, libjpeg-turbo and libwebp.
#pragma once

#include "../core/image.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace vedette::host {

// Decodes `bytes` bytes at `data`. The result is 8-bit GRAY8, BGR8 or BGRA8: palettes are expanded, 16 bit is reduced
// by (v + 128) / 257, gray with alpha and files with a transparent colour become BGRA8, alpha that is opaque everywhere
// is dropped, EXIF orientation is not applied. `name` is used in error texts only. Failure: VDT_E_FORMAT (unknown,
// damaged, truncated: says which and where), VDT_E_SIZE (more than VDT_MAX_DIMENSION a side or 2^29 pixels),
// VDT_E_OUT_OF_MEMORY.
Image decode_image(const void* data, std::size_t bytes, const std::string& name);

// Reads the whole of `path` (UTF-8; "-" is standard input) and decodes it. Failure: as above and VDT_E_FILE.
Image read_image(const std::string& path);

}  // namespace vedette::host
