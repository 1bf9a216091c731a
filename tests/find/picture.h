// Pictures for the tests: screens like those of graphical programs, drawn from a seed.
#pragma once

#include "core/image.h"
#include "find/import_pixels.h"
#include "find/view.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

namespace vedette::test {

using host::Image;
using host::PixelView;
using host::view_of;
using host::Window;

struct Paint {
    int blue, green, red;
};

inline Image blank(std::uint32_t width, std::uint32_t height, Paint paint) {
    Image image(VDT_FORMAT_BGR8, width, height);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            image.row(y)[3 * x] = static_cast<std::uint8_t>(paint.blue);
            image.row(y)[3 * x + 1] = static_cast<std::uint8_t>(paint.green);
            image.row(y)[3 * x + 2] = static_cast<std::uint8_t>(paint.red);
        }
    return image;
}

inline void fill(Image& image, const Window& area, Paint paint) {
    const Image patch = blank(area.w, area.h, paint);
    for (std::uint32_t y = 0; y < area.h; ++y)
        std::memcpy(image.row(area.y + y) + std::size_t{3} * area.x, patch.row(y), std::size_t{3} * area.w);
}

inline Image crop(const Image& image, const Window& area) {
    const std::size_t bytes = host::bytes_per_pixel(image.format());
    Image part(image.format(), area.w, area.h);
    for (std::uint32_t y = 0; y < area.h; ++y)
        std::memcpy(part.row(y), image.row(area.y + y) + bytes * area.x, bytes * area.w);
    return part;
}

inline Image copy(const Image& image) {
    return crop(image, {0, 0, image.width(), image.height()});
}

inline void paste(Image& image, const Image& part, std::uint32_t x, std::uint32_t y) {
    const std::size_t bytes = host::bytes_per_pixel(image.format());
    for (std::uint32_t v = 0; v < part.height(); ++v)
        std::memcpy(image.row(y + v) + bytes * x, part.row(v), bytes * part.width());
}

inline Image noise(std::uint32_t width, std::uint32_t height, unsigned seed, vdt_format format = VDT_FORMAT_BGR8) {
    std::mt19937 random(seed);
    Image image(format, width, height);
    const std::size_t bytes = width * host::bytes_per_pixel(format);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::size_t i = 0; i < bytes; ++i) image.row(y)[i] = static_cast<std::uint8_t>(random() & 255U);
    return image;
}

// Something like a glyph: a random 5 x 7 grid of strokes.
inline void draw_glyph(Image& image, std::uint32_t x, std::uint32_t y, unsigned seed, Paint paint) {
    std::mt19937 random(seed);
    for (std::uint32_t v = 0; v < 7; ++v)
        for (std::uint32_t u = 0; u < 5; ++u)
            if ((random() & 3U) < 2) fill(image, {x + u, y + v, 1, 1}, paint);
}

// A button with a frame and a label of `letters` glyphs; `seed` chooses them.
inline Image button(std::uint32_t width, std::uint32_t height, Paint face, Paint ink, unsigned seed) {
    Image image = blank(width, height, face);
    fill(image, {0, 0, width, 1}, ink);
    fill(image, {0, height - 1, width, 1}, ink);
    fill(image, {0, 0, 1, height}, ink);
    fill(image, {width - 1, 0, 1, height}, ink);
    for (std::uint32_t x = 4; x + 10 <= width; x += 7) draw_glyph(image, x, (height - 7) / 2, seed++, ink);
    return image;
}

// A window with a title bar, lines of text and a list.
inline Image desktop(std::uint32_t width, std::uint32_t height, unsigned seed) {
    Image image = blank(width, height, {120, 90, 60});
    fill(image, {10, 10, width - 20, height - 20}, {240, 240, 240});
    fill(image, {10, 10, width - 20, 14}, {170, 110, 50});
    for (std::uint32_t y = 30; y + 12 < height - 12; y += 12)
        for (std::uint32_t x = 16; x + 8 < width - 14; x += 7) draw_glyph(image, x, y, seed++, {40, 40, 40});
    return image;
}

inline Image changed(const Image& image, double gain, double offset) {
    Image out = copy(image);
    const std::size_t bytes = out.width() * host::bytes_per_pixel(out.format());
    for (std::uint32_t y = 0; y < out.height(); ++y)
        for (std::size_t i = 0; i < bytes; ++i)
            out.row(y)[i] = static_cast<std::uint8_t>(std::clamp(out.row(y)[i] * gain + offset + 0.5, 0.0, 255.0));
    return out;
}

inline Image with_alpha(const Image& bgr, std::uint8_t alpha) {
    Image out(VDT_FORMAT_BGRA8, bgr.width(), bgr.height());
    for (std::uint32_t y = 0; y < out.height(); ++y)
        for (std::uint32_t x = 0; x < out.width(); ++x) {
            std::memcpy(out.row(y) + std::size_t{4} * x, bgr.row(y) + std::size_t{3} * x, 3);
            out.row(y)[4 * x + 3] = alpha;
        }
    return out;
}

}  // namespace vedette::test
