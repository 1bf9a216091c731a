#include "annotate.h"

#include "../imageio/write_png.h"
#include "font.h"
#include "import_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

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
          scale_(std::clamp<std::int64_t>((image_.width() + 300) / 660, 1, 4)),
          taken_(std::size_t{image_.width()} * image_.height()) {}

    const Image& image() const noexcept { return image_; }

    void rectangle(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Ink& ink) {
        for (std::int64_t v = y; v < y + h; ++v)
            for (std::int64_t u = x; u < x + w; ++u) pixel(u, v, ink);
    }

    // Lines lie outside the rectangle, so that what was found stays visible.
    void frame(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const Ink& ink) {
        border(x, y, w, h, scale_ + 1, kOutline);
        border(x, y, w, h, scale_, ink);
        const std::int64_t width = scale_ + 1;
        take(x - width, y - width, w + 2 * width, width);
        take(x - width, y + h, w + 2 * width, width);
        take(x - width, y, width, h);
        take(x + w, y, width, h);
    }

    // Four corners, joined by lines.
    void frame(const double (&corners)[8], const Ink& ink) {
        for (const std::int64_t width : {scale_ + 2, scale_})
            for (int i = 0; i < 4; ++i)
                line(corners[2 * i], corners[2 * i + 1], corners[(2 * i + 2) % 8], corners[(2 * i + 3) % 8], width,
                     width == scale_ ? ink : kOutline);
    }

    // A label beside a frame, where it covers neither another label nor, if that can be, a frame: above, below, right
    // or left of it, or inside. Where there is no room that is free of labels it is left out: two on top of each other
    // say less than none. After all frames.
    void label(const std::string& text, std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h,
               const Ink& ink) {
        const std::int64_t width = static_cast<std::int64_t>(text.size()) * (kGlyphWidth + 1) * scale_;
        const std::int64_t height = kGlyphHeight * scale_;
        const std::int64_t gap = scale_ + 4;
        const auto within = [&](std::int64_t left) {
            return std::clamp<std::int64_t>(left, 2, std::max<std::int64_t>(image_.width() - width - 1, 2));
        };
        struct Place {
            std::int64_t left, top;
        };
        const Place places[] = {{within(x), y - gap - height},
                                {within(x), y + h + gap},
                                {x + w + gap, y},
                                {x - gap - width, y},
                                {within(x + w - width), y - gap - height},
                                {within(x + w - width), y + h + gap},
                                {within(x), y + gap}};
        const Place* chosen = nullptr;
        int least = kLabel;
        for (const Place& place : places) {
            if (place.left < 2 || place.top < 2 || place.left + width + 1 > image_.width() ||
                place.top + height + 2 > image_.height())
                continue;
            const int covered = most_taken(place.left - 2, place.top - 2, width + 3, height + 4);
            if (covered >= least) continue;
            least = covered;
            chosen = &place;
        }
        // The first label of all is shown wherever it may be, if only in part.
        if (chosen == nullptr && !labelled_) chosen = &places[6];
        if (chosen == nullptr) return;
        labelled_ = true;
        // On a plate of its own: an outline alone is lost on a busy screen.
        rectangle(chosen->left - 2, chosen->top - 2, width + 3, height + 4, ink);
        rectangle(chosen->left - 1, chosen->top - 1, width + 1, height + 2, kOutline);
        write(text, chosen->left, chosen->top, ink);
        take(chosen->left - 2, chosen->top - 2, width + 3, height + 4, kLabel);
    }

private:
    void pixel(std::int64_t x, std::int64_t y, const Ink& ink) {
        if (x < 0 || y < 0 || x >= image_.width() || y >= image_.height()) return;
        std::uint8_t* at = image_.row(static_cast<std::uint32_t>(y)) + 3 * x;
        at[0] = ink.blue;
        at[1] = ink.green;
        at[2] = ink.red;
    }

    // What a label would cover, by how much that matters.
    static constexpr std::uint8_t kFrame = 1, kLabel = 2;

    template <class Visit>
    void visit(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, Visit&& visit_pixel) {
        const std::int64_t right = std::min<std::int64_t>(x + w, image_.width());
        const std::int64_t bottom = std::min<std::int64_t>(y + h, image_.height());
        for (std::int64_t v = std::max<std::int64_t>(y, 0); v < bottom; ++v)
            for (std::int64_t u = std::max<std::int64_t>(x, 0); u < right; ++u)
                visit_pixel(taken_[static_cast<std::size_t>(v * image_.width() + u)]);
    }

    void take(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, std::uint8_t what = kFrame) {
        visit(x, y, w, h, [what](std::uint8_t& taken) { taken = std::max(taken, what); });
    }

    std::uint8_t most_taken(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) {
        std::uint8_t most = 0;
        visit(x, y, w, h, [&most](std::uint8_t& taken) { most = std::max(most, taken); });
        return most;
    }

    void line(double x0, double y0, double x1, double y1, std::int64_t width, const Ink& ink) {
        // Corners may lie far outside the picture: steps are counted on what can be seen of the line.
        double first = 0, last = 1;
        clip(x0, x1, -8.0, image_.width() + 8.0, first, last);
        clip(y0, y1, -8.0, image_.height() + 8.0, first, last);
        if (!(first < last)) return;
        const double length = std::max(std::abs(x1 - x0), std::abs(y1 - y0)) * (last - first);
        const auto steps = static_cast<std::int64_t>(std::ceil(length)) + 1;
        for (std::int64_t i = 0; i <= steps; ++i) {
            const double at = first + (last - first) * static_cast<double>(i) / static_cast<double>(steps);
            const std::int64_t x = std::llround(x0 + at * (x1 - x0)) - width / 2;
            const std::int64_t y = std::llround(y0 + at * (y1 - y0)) - width / 2;
            rectangle(x, y, width, width, ink);
            take(x, y, width, width);
        }
    }

    // The part of 0 .. 1 for which from + at * (to - from) lies between least and most.
    static void clip(double from, double to, double least, double most, double& first, double& last) {
        if (from == to) {
            if (from < least || from > most) last = first;
            return;
        }
        const double a = (least - from) / (to - from);
        const double b = (most - from) / (to - from);
        first = std::max(first, std::min(a, b));
        last = std::min(last, std::max(a, b));
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
    std::vector<std::uint8_t> taken_;  // of each pixel
    bool labelled_ = false;
};

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

struct Frame {
    std::int64_t x, y, w, h;
};

Frame frame_of(const vdt_match& match) {
    return {std::llround(match.x), std::llround(match.y), std::max(1LL, std::llround(match.w)),
            std::max(1LL, std::llround(match.h))};
}

void draw_frame(Canvas& canvas, const vdt_match& match, const Ink& ink) {
    const Frame frame = frame_of(match);
    if (match.stage == VDT_STAGE_FEATURES)
        canvas.frame(match.quad, ink);
    else
        canvas.frame(frame.x, frame.y, frame.w, frame.h, ink);
}

void draw_label(Canvas& canvas, const vdt_match& match, const std::string& text, const Ink& ink) {
    const Frame frame = frame_of(match);
    canvas.label(text, frame.x, frame.y, frame.w, frame.h, ink);
}

bool is_refused(const PatternOutcome& outcome) {
    return outcome.matches.empty() && outcome.has_best;
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
        if (!is_refused(outcome)) continue;
        const vdt_match& best = outcome.best;
        draw_frame(canvas, best, kRefused);
        const bool differs = best.reason == VDT_REASON_DIFFERS_LOCALLY || best.reason == VDT_REASON_DIFFERS_EVERYWHERE;
        if (differs && best.worst.w > 0) canvas.frame(best.worst.x, best.worst.y, best.worst.w, best.worst.h, kDiffers);
    }
    for (const PatternOutcome& outcome : outcomes)
        for (const vdt_match& match : outcome.matches) draw_frame(canvas, match, kFound);
    // There is one refusal for a pattern, and it says why; matches may be many.
    for (const PatternOutcome& outcome : outcomes)
        if (is_refused(outcome))
            draw_label(canvas, outcome.best,
                       name(outcome.best) + number(outcome.best.score) + " " + vdt_reason_text(outcome.best.reason),
                       kRefused);
    for (const PatternOutcome& outcome : outcomes)
        for (const vdt_match& match : outcome.matches)
            draw_label(canvas, match, name(match) + number(match.score), kFound);
    write_png(canvas.image(), path);
}

}  // namespace vedette::host
