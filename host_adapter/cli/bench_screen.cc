// The synthetic screen: a small painter and the things it paints.
#include "bench_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace vedette::cli {

namespace {

struct Color {
    int blue, green, red;
};

Color mix(Color a, Color b, double share) {
    const auto between = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return {between(a.blue, b.blue), between(a.green, b.green), between(a.red, b.red)};
}

// A rectangle; everything is painted inside one, and cut off at the screen's edges.
struct Box {
    int x, y, w, h;
    Box inset(int by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
};

class Painter {
public:
    Painter(Picture& picture, std::uint32_t seed) : picture_(picture), random_(seed) {}

    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(std::max(1, limit))); }
    int between(int least, int most) { return least + below(most - least + 1); }
    bool chance(int percent) { return below(100) < percent; }
    Color any_color() { return {between(20, 235), between(20, 235), between(20, 235)}; }

    void dot(int x, int y, Color color) {
        if (x < 0 || y < 0 || x >= static_cast<int>(picture_.width()) || y >= static_cast<int>(picture_.height())) {
            return;
        }
        std::uint8_t* p = picture_.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
        p[0] = static_cast<std::uint8_t>(std::clamp(color.blue, 0, 255));
        p[1] = static_cast<std::uint8_t>(std::clamp(color.green, 0, 255));
        p[2] = static_cast<std::uint8_t>(std::clamp(color.red, 0, 255));
    }

    void fill(Box box, Color color) {
        for (int y = box.y; y < box.y + box.h; ++y) {
            for (int x = box.x; x < box.x + box.w; ++x) {
                dot(x, y, color);
            }
        }
    }

    void frame(Box box, Color color) {
        fill({box.x, box.y, box.w, 1}, color);
        fill({box.x, box.y + box.h - 1, box.w, 1}, color);
        fill({box.x, box.y, 1, box.h}, color);
        fill({box.x + box.w - 1, box.y, 1, box.h}, color);
    }

    void gradient(Box box, Color top, Color bottom) {
        for (int y = 0; y < box.h; ++y) {
            fill({box.x, box.y + y, box.w, 1}, mix(top, bottom, double(y) / std::max(1, box.h - 1)));
        }
    }

    // A line of glyphs of `size` pixels height: each a fixed pattern of strokes for its letter, with softened edges.
    void text(int x, int y, int length, int size, Color ink, Color paper) {
        const int advance = size * 3 / 5 + 1;
        for (int i = 0; i < length; ++i, x += advance) {
            if (!chance(16)) {  // a gap between words otherwise
                glyph(x, y, below(26), size, ink, paper);
            }
        }
    }

    // A rounded square with a sign on it.
    void icon(Box box, Color color) {
        gradient(box, mix(color, {255, 255, 255}, 0.25), color);
        frame(box, mix(color, {0, 0, 0}, 0.4));
        const Color sign = {250, 250, 250};
        const int kind = below(4);
        const double radius = box.w * 0.3;
        for (int y = 0; y < box.h; ++y) {
            for (int x = 0; x < box.w; ++x) {
                const double dx = x - (box.w - 1) / 2.0;
                const double dy = y - (box.h - 1) / 2.0;
                const double ring = std::abs(std::hypot(dx, dy) - radius);
                const bool inside = kind == 0   ? ring < box.w * 0.08
                                    : kind == 1 ? std::abs(dx) + std::abs(dy) < radius
                                    : kind == 2 ? std::abs(dx) < radius && std::abs(dy) < box.w * 0.09
                                                : dy > -radius && dy < radius && std::abs(dx) < (dy + radius) / 2;
                if (inside) {
                    dot(box.x + x, box.y + y, sign);
                }
            }
        }
    }

    void button(Box box, int size) {
        gradient(box, {245, 245, 245}, {222, 222, 222});
        frame(box, {150, 150, 150});
        text(box.x + size, box.y + (box.h - size) / 2, std::max(2, (box.w - 2 * size) / (size * 3 / 5 + 1)), size,
             {40, 40, 40}, {233, 233, 233});
    }

    // Smooth colours with noise, as a photograph or a frame of a film.
    void photograph(Box box) {
        const Color a = any_color();
        const Color b = any_color();
        const double turn = 0.01 * between(2, 6);
        for (int y = 0; y < box.h; ++y) {
            for (int x = 0; x < box.w; ++x) {
                Color c = mix(a, b, 0.5 + 0.25 * std::sin(turn * x) + 0.25 * std::cos(turn * 0.7 * y + turn * x));
                const int noise = between(-9, 9);
                dot(box.x + x, box.y + y, {c.blue + noise, c.green + noise, c.red + noise});
            }
        }
    }

private:
    void glyph(int x0, int y0, int letter, int size, Color ink, Color paper) {
        // Seven rows of five cells; every letter its own fixed pattern.
        std::mt19937 shape(1000u + static_cast<unsigned>(letter));
        std::array<unsigned, 7> rows;
        for (unsigned& row : rows) {
            row = (shape() | shape() % 7) & 31u;
        }
        const int width = std::max(5, size * 3 / 5);
        for (int y = 0; y < size; ++y) {
            for (int x = 0; x < width; ++x) {
                const double column = (x + 0.5) * 5 / width - 0.5;
                const unsigned row = rows[static_cast<std::size_t>(y * 7 / size)];
                const auto cell = [row](int i) { return i >= 0 && i < 5 && (row >> i & 1u) != 0 ? 1.0 : 0.0; };
                const int left = static_cast<int>(std::floor(column));
                const double cover = cell(left) * (1 - (column - left)) + cell(left + 1) * (column - left);
                if (cover > 0.05) {
                    dot(x0 + x, y0 + y, mix(paper, ink, cover));
                }
            }
        }
    }

    Picture& picture_;
    std::mt19937 random_;
};

void paint_text_window(Painter& painter, Box body, int size) {
    const Color paper{255, 255, 255};
    for (int y = body.y + size; y + size < body.y + body.h; y += size * 8 / 5) {
        const int most = (body.w - 2 * size) / (size * 3 / 5 + 1);
        if (!painter.chance(12)) {
            painter.text(body.x + size, y, painter.between(most / 3, std::max(1, most)), size, {30, 30, 30}, paper);
        }
    }
}

void paint_list_window(Painter& painter, Box body, int size) {
    const int row = size * 2 + 4;
    for (int y = body.y + 4, i = 0; y + row < body.y + body.h; y += row, ++i) {
        const Color paper = i % 2 == 0 ? Color{255, 255, 255} : Color{246, 243, 240};
        painter.fill({body.x, y, body.w, row}, paper);
        painter.icon({body.x + size, y + 3, row - 6, row - 6}, painter.any_color());
        painter.text(body.x + size + row + 4, y + (row - size) / 2,
                     painter.between(4, std::max(4, body.w / (size * 2))), size, {50, 40, 40}, paper);
    }
}

void paint_icon_window(Painter& painter, Box body, int size) {
    const int side = size * 3;
    const int step = side * 9 / 5;
    for (int y = body.y + size; y + step < body.y + body.h; y += step) {
        for (int x = body.x + size; x + step < body.x + body.w; x += step) {
            painter.icon({x, y, side, side}, painter.any_color());
            painter.text(x, y + side + 4, 5, std::max(7, size * 3 / 4), {30, 30, 30}, {255, 255, 255});
        }
    }
}

void paint_window(Painter& painter, Box box, int size) {
    const int title = size * 2;
    const bool dark = painter.chance(30);
    const Color bar = dark ? Color{60, 52, 48} : Color{228, 224, 220};
    painter.fill(box, {255, 255, 255});
    painter.gradient({box.x, box.y, box.w, title}, mix(bar, {255, 255, 255}, 0.15), bar);
    painter.text(box.x + size, box.y + size / 2, painter.between(8, 22), size,
                 dark ? Color{240, 240, 240} : Color{30, 30, 30}, bar);
    painter.icon({box.x + box.w - title + 4, box.y + 4, title - 8, title - 8}, {60, 60, 200});
    const Box body{box.x + 1, box.y + title, box.w - 2, box.h - title - size * 3};
    switch (painter.below(4)) {
        case 0:
            paint_text_window(painter, body, size);
            break;
        case 1:
            paint_list_window(painter, body, size);
            break;
        case 2:
            paint_icon_window(painter, body, size);
            break;
        default:
            painter.photograph(body.inset(size));
            break;
    }
    painter.fill({box.x + 1, body.y + body.h, box.w - 2, size * 3 - 1}, {240, 240, 240});
    painter.button({box.x + box.w - size * 9, body.y + body.h + size / 2, size * 8, size * 2}, size);
    painter.button({box.x + box.w - size * 18, body.y + body.h + size / 2, size * 8, size * 2}, size);
    painter.frame(box, {120, 120, 120});
}

}  // namespace

Picture synthetic_screen(std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
    Picture picture(VDT_FORMAT_BGR8, width, height);
    Painter painter(picture, seed);
    const int w = static_cast<int>(width);
    const int h = static_cast<int>(height);
    const int size = std::clamp(h / 90, 8, 16);  // height of text, as at common display scales
    painter.gradient({0, 0, w, h}, {120, 70, 30}, {60, 110, 70});
    const int windows = std::clamp(w * h / 220'000, 2, 24);
    for (int i = 0; i < windows; ++i) {
        const Box box{painter.between(-w / 20, w * 3 / 4), painter.between(-h / 20, h * 3 / 4),
                      painter.between(w / 5, w / 2), painter.between(h / 4, h * 3 / 5)};
        paint_window(painter, box, size);
    }
    const Box panel{0, h - size * 3, w, size * 3};
    painter.fill(panel, {50, 42, 38});
    for (int x = size; x < w - size * 12; x += size * 4) {
        if (painter.chance(60)) {
            painter.icon({x, panel.y + size / 2, size * 2, size * 2}, painter.any_color());
        }
    }
    painter.text(w - size * 8, panel.y + size, 8, size, {240, 240, 240}, {50, 42, 38});
    return picture;
}

}  // namespace vedette::cli
