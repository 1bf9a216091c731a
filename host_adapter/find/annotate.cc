#include "annotate.h"

#include "../imageio/write_png.h"
#include "font.h"
#include "import_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace vedette::host {
namespace {

struct Ink {
    std::uint8_t blue, green, red;
};

constexpr Ink kFound{40, 170, 0};
constexpr Ink kRefused{20, 20, 230};
constexpr Ink kDiffers{0, 140, 255};
constexpr Ink kOutline{255, 255, 255};

class Canvas {
public:
    explicit Canvas(Image image)
        : image_(std::move(image)),
          // Readable on a 4K picture that is shown whole, and not larger than the elements of a small one.
          scale_(std::clamp<std::int64_t>((image_.width() + 300) / 660, 1, 4)) {}

    const Image& image() const noexcept { return image_; }

    void rectangle(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Ink& ink) {
        for (std::int64_t v = y; v < y + h; ++v)
            for (std::int64_t u = x; u < x + w; ++u) pixel(u, v, ink);
    }

    // Lines lie outside the rectangle, so that what was found stays visible.
    void frame(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Ink& ink) {
        border(x, y, w, h, scale_ + 1, kOutline);
        border(x, y, w, h, scale_, ink);
    }

    // A label beside a frame: above it, or where there is no room below, or inside at the top.
    void label(const std::string& text, std::int64_t x, std::int64_t y, std::int64_t h, const Ink& ink) {
        const std::int64_t width = static_cast<std::int64_t>(text.size()) * (kGlyphWidth + 1) * scale_;
        const std::int64_t height = kGlyphHeight * scale_;
        const std::int64_t gap = scale_ + 4;
        std::int64_t top = y - gap - height;
        if (top < 2) top = y + h + gap;
        if (top + height + 2 > image_.height()) top = y + gap;
        const std::int64_t left =
            std::clamp<std::int64_t>(x, 2, std::max<std::int64_t>(std::int64_t{image_.width()} - width - 1, 2));
        // On a plate of its own: an outline alone is lost on a busy screen.
        rectangle(left - 2, top - 2, width + 3, height + 4, ink);
        rectangle(left - 1, top - 1, width + 1, height + 2, kOutline);
        write(text, left, top, ink);
    }

private:
    void pixel(std::int64_t x, std::int64_t y, const Ink& ink) {
        if (x < 0 || y < 0 || x >= image_.width() || y >= image_.height()) return;
        std::uint8_t* at = image_.row(static_cast<std::uint32_t>(y)) + 3 * x;
        at[0] = ink.blue;
        at[1] = ink.green;
        at[2] = ink.red;
    }

    void border(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, std::int64_t width, const Ink& ink) {
        rectangle(x - width, y - width, w + 2 * width, width, ink);
        rectangle(x - width, y + h, w + 2 * width, width, ink);
        rectangle(x - width, y, width, h, ink);
        rectangle(x + w, y, width, h, ink);
    }

    void write(const std::string& text, std::int64_t x, std::int64_t y, const Ink& ink) {
        for (const char character : text) {
            const Glyph rows = glyph(character);
            for (std::uint32_t row = 0; row < kGlyphHeight; ++row)
                for (std::uint32_t column = 0; column < kGlyphWidth; ++column)
                    if ((rows[row] >> (kGlyphWidth - 1 - column) & 1U) != 0)
                        rectangle(x + column * scale_, y + row * scale_, scale_, scale_, ink);
            x += (kGlyphWidth + 1) * scale_;
        }
    }

    Image image_;
    std::int64_t scale_;
};

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

void draw(Canvas& canvas, const vdt_match& match, const std::string& text, const Ink& ink) {
    const auto left = std::llround(match.x);
    const auto top = std::llround(match.y);
    const auto width = std::max(1LL, std::llround(match.w));
    const auto height = std::max(1LL, std::llround(match.h));
    canvas.frame(left, top, width, height, ink);
    canvas.label(text, left, top, height, ink);
}

}  // namespace

void annotate(const Screen& screen, const std::vector<PatternOutcome>& outcomes, const std::string& path) {
    Canvas canvas(screen.picture());
    // With several patterns each label says which.
    const auto name = [&](const vdt_match& match) {
        return outcomes.size() > 1 ? "#" + std::to_string(match.pattern) + " " : std::string();
    };
    // What was refused first: where frames meet, the matches stay on top.
    for (const PatternOutcome& outcome : outcomes) {
        if (!outcome.matches.empty() || !outcome.has_best) continue;
        const vdt_match& best = outcome.best;
        draw(canvas, best, name(best) + number(best.score) + " " + vdt_reason_text(best.reason), kRefused);
        const bool differs = best.reason == VDT_REASON_DIFFERS_LOCALLY || best.reason == VDT_REASON_DIFFERS_EVERYWHERE;
        if (differs && best.worst.w > 0) canvas.frame(best.worst.x, best.worst.y, best.worst.w, best.worst.h, kDiffers);
    }
    for (const PatternOutcome& outcome : outcomes)
        for (const vdt_match& match : outcome.matches) draw(canvas, match, name(match) + number(match.score), kFound);
    write_png(canvas.image(), path);
}

}  // namespace vedette::host
