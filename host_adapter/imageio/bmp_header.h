// The headers of a Windows or OS/2 bitmap. Internal to imageio.
#pragma once

#include "encoded_image.h"

#include <array>
#include <vector>

namespace vedette::host {

// Where one channel lies in a pixel of 16 or 32 bits; bits 0 = the channel is absent.
struct BmpChannel {
    std::uint32_t shift = 0;
    std::uint32_t bits = 0;

    // The channel's value scaled to 0..255, `absent` where there is none.
    std::uint8_t value(std::uint32_t pixel, std::uint8_t absent) const;
};

enum class BmpCoding { plain, run_length_8, run_length_4, bit_fields };

struct BmpHeader {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    bool top_down = false;
    std::uint32_t bits = 0;  // of a pixel: 1, 4, 8, 16, 24 or 32
    BmpCoding coding = BmpCoding::plain;
    std::array<BmpChannel, 4> channels;                      // blue, green, red, alpha; of 16 and 32 bits
    std::array<std::array<std::uint8_t, 3>, 256> palette{};  // blue, green, red; black beyond the file's entries
    std::size_t pixels = 0;                                  // offset of the pixels, inside the file
};

// Failure: as decode_image.
BmpHeader read_bmp_header(const EncodedImage& file);

}  // namespace vedette::host
