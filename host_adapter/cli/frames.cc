#include "frames.h"

#include "draw_polygon.h"

#include <algorithm>

namespace vedette::cli {

namespace {

constexpr Color green{40, 170, 0};
constexpr Color white{255, 255, 255};

void fill(Picture& bgr, std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Color& color) {
    const std::int64_t right = std::min<std::int64_t>(x + w, bgr.width());
    const std::int64_t bottom = std::min<std::int64_t>(y + h, bgr.height());
    for (std::int64_t v = std::max<std::int64_t>(y, 0); v < bottom; ++v) {
        for (std::int64_t u = std::max<std::int64_t>(x, 0); u < right; ++u) {
            std::uint8_t* const at = bgr.at(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
            at[0] = color.blue;
            at[1] = color.green;
            at[2] = color.red;
        }
    }
}

void border(Picture& bgr, const vdt_rect& r, std::int64_t width, const Color& color) {
    fill(bgr, r.x - width, r.y - width, r.w + 2 * width, width, color);
    fill(bgr, r.x - width, std::int64_t{r.y} + r.h, r.w + 2 * width, width, color);
    fill(bgr, r.x - width, r.y, width, r.h, color);
    fill(bgr, std::int64_t{r.x} + r.w, r.y, width, r.h, color);
}

}  // namespace

void draw_frame(Picture& bgr, const vdt_rect& rectangle) {
    const std::int64_t width = line_width(bgr);
    border(bgr, rectangle, width + 1, white);
    border(bgr, rectangle, width, green);
}

}  // namespace vedette::cli
