// What the decoders of the file formats share. Internal to imageio.
#pragma once

#include "../core/failure.h"
#include "../core/image.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace vedette::host {

// The bytes of an image file; they belong to the caller of the decoder. `name` is for error texts.
struct EncodedImage {
    const std::uint8_t* data;
    std::size_t bytes;
    const std::string& name;
};

// Most pixels an image file may have: 2^29, so that a 4-channel image stays under 2 GiB.
inline constexpr std::uint64_t max_pixels = std::uint64_t{1} << 29;

// Each decodes a file that begins with the signature of its format. Results and failures: decode_image.
Image decode_png(const EncodedImage& file);
Image decode_jpeg(const EncodedImage& file);
Image decode_webp(const EncodedImage& file);
Image decode_pnm(const EncodedImage& file);
Image decode_bmp(const EncodedImage& file);

// "'NAME' is a damaged FORMAT file: WHAT."
Failure damaged(const EncodedImage& file, const char* format, const std::string& what);
// "'NAME' is a truncated FORMAT file: it ends after N bytes, WHERE."
Failure truncated(const EncodedImage& file, const char* format, const std::string& where);
// "'NAME' is a FORMAT file of a kind that is not read: WHAT."
Failure not_read(const EncodedImage& file, const char* format, const std::string& what);

// Throws VDT_E_FORMAT for a size of 0, VDT_E_SIZE for one above VDT_MAX_DIMENSION a side or max_pixels. To be called
// before anything is allocated.
void check_size(const EncodedImage& file, const char* format, std::uint64_t width, std::uint64_t height);

// Takes rows of BGRA pixels in any order. They are kept without alpha, as GRAY8 or BGR8, until the first row arrives
// that is not opaque: most screenshots with an alpha channel never use it, and need no second pass this way.
class AlphaRows {
public:
    // `gray`: the three colours of every pixel are equal, and an opaque image becomes GRAY8.
    AlphaRows(std::uint32_t width, std::uint32_t height, bool gray);
    void put(std::uint32_t y, const std::uint8_t* bgra);
    Image take() { return std::move(image_); }

private:
    void keep_alpha();

    Image image_;
};

// The image without its alpha when that is 255 everywhere; `gray` as above. Other images come back as they are.
Image without_opaque_alpha(Image bgra, bool gray);

}  // namespace vedette::host
