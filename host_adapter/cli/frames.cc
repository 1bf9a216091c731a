#include "frames.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vedette::cli {

namespace {

using Ink = std::array<std::uint8_t, 3>;  // blue, green, red
constexpr Ink green{40, 170, 0};
constexpr Ink white{255, 255, 255};

void fill(Picture& bgr, std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Ink& ink) {
    const std::int64_t right = std::min<std::int64_t>(x + w, bgr.width());
    const std::int64_t bottom = std::min<std::int64_t>(y + h, bgr.height());
    for (std::int64_t v = std::max<std::int64_t>(y, 0); v < bottom; ++v) {
        for (std::int64_t u = std::max<std::int64_t>(x, 0); u < right; ++u) {
            std::memcpy(bgr.at(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v)), ink.data(), ink.size());
        }
    }
}

void border(Picture& bgr, const vdt_rect& r, std::int64_t width, const Ink& ink) {
    fill(bgr, r.x - width, r.y - width, r.w + 2 * width, width, ink);
    fill(bgr, r.x - width, std::int64_t{r.y} + r.h, r.w + 2 * width, width, ink);
    fill(bgr, r.x - width, r.y, width, r.h, ink);
    fill(bgr, std::int64_t{r.x} + r.w, r.y, width, r.h, ink);
}

}  // namespace

void draw_frame(Picture& bgr, const vdt_rect& rectangle) {
    // Readable on a 4K picture that is shown whole, and not larger than the elements of a small one.
    const std::int64_t width = std::clamp<std::int64_t>((bgr.width() + 300) / 660, 1, 4);
    border(bgr, rectangle, width + 1, white);
    border(bgr, rectangle, width, green);
}

}  // namespace vedette::cli
