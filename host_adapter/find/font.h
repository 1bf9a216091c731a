// A small bitmap font for annotations: digits, lower-case letters and a few marks, 5 x 7 pixels.
#pragma once

#include <array>
#include <cstdint>

namespace vedette::host {

constexpr std::uint32_t kGlyphWidth = 5;
constexpr std::uint32_t kGlyphHeight = 7;

// Rows from the top; bit 4 is the leftmost pixel. Characters the font lacks are blank; capitals are shown as small
// letters.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

constexpr Glyph glyph(char character) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    switch (character) {
        case '0':
            return {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110};
        case '1':
            return {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110};
        case '2':
            return {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111};
        case '3':
            return {0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110};
        case '4':
            return {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010};
        case '5':
            return {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110};
        case '6':
            return {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110};
        case '7':
            return {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000};
        case '8':
            return {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110};
        case '9':
            return {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100};
        case 'a':
            return {0b00000, 0b00000, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111};
        case 'b':
            return {0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b11110};
        case 'c':
            return {0b00000, 0b00000, 0b01110, 0b10000, 0b10000, 0b10001, 0b01110};
        case 'd':
            return {0b00001, 0b00001, 0b01101, 0b10011, 0b10001, 0b10001, 0b01111};
        case 'e':
            return {0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110};
        case 'f':
            return {0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000};
        case 'g':
            return {0b00000, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110};
        case 'h':
            return {0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001};
        case 'i':
            return {0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110};
        case 'j':
            return {0b00010, 0b00000, 0b00110, 0b00010, 0b00010, 0b10010, 0b01100};
        case 'k':
            return {0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010};
        case 'l':
            return {0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110};
        case 'm':
            return {0b00000, 0b00000, 0b11010, 0b10101, 0b10101, 0b10001, 0b10001};
        case 'n':
            return {0b00000, 0b00000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001};
        case 'o':
            return {0b00000, 0b00000, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110};
        case 'p':
            return {0b00000, 0b00000, 0b11110, 0b10001, 0b11110, 0b10000, 0b10000};
        case 'q':
            return {0b00000, 0b00000, 0b01101, 0b10011, 0b01111, 0b00001, 0b00001};
        case 'r':
            return {0b00000, 0b00000, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000};
        case 's':
            return {0b00000, 0b00000, 0b01110, 0b10000, 0b01110, 0b00001, 0b11110};
        case 't':
            return {0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110};
        case 'u':
            return {0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b10011, 0b01101};
        case 'v':
            return {0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100};
        case 'w':
            return {0b00000, 0b00000, 0b10001, 0b10001, 0b10101, 0b10101, 0b01010};
        case 'x':
            return {0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001};
        case 'y':
            return {0b00000, 0b00000, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110};
        case 'z':
            return {0b00000, 0b00000, 0b11111, 0b00010, 0b00100, 0b01000, 0b11111};
        case '.':
            return {0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100};
        case ',':
            return {0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b00100, 0b01000};
        case '-':
            return {0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000};
        case ':':
            return {0b00000, 0b01100, 0b01100, 0b00000, 0b01100, 0b01100, 0b00000};
        case '#':
            return {0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010};
        default:
            return {};
    }
}

}  // namespace vedette::host
