#include "svg_plot.h"

#include "table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vedette::cli {

namespace {

constexpr double width = 960, height = 600, left = 80, right = 200, top = 70, bottom = 70;
// Told apart by people who do not see all colours as well [Okabe and Ito 2008].
constexpr const char* colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += letter;
        }
    }
    return result;
}

// Decades or, where they are few, parts of them, around the values.
struct Axis {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void widen(double factor) {
        low /= factor;
        high *= factor;
    }
    double place(double value, double from, double to) const {
        return from + (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (to - from);
    }
};

std::string text_at(double x, double y, const char* anchor, int size, const std::string& text,
                    const std::string& more = "") {
    return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\"%s>", x, y, anchor, size,
                  more.c_str()) +
           escaped(text) + "</text>\n";
}

std::string line_at(double x1, double y1, double x2, double y2, const char* style) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

bool is_drawn(const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second) && point.first > 0 && point.second > 0;
}

class Drawing {
public:
    explicit Drawing(const Plot& plot) : plot_(plot) {
        for (const PlotLine& line : plot.lines) {
            for (const auto& point : line.points) {
                if (is_drawn(point)) {
                    x_.take(point.first);
                    y_.take(point.second);
                }
            }
            if (std::find(names_.begin(), names_.end(), line.name) == names_.end()) {
                names_.push_back(line.name);
            }
        }
    }

    std::string text() {
        std::string svg = format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
        svg += text_at(left, 30, "start", 18, plot_.title);
        svg += text_at(left, 50, "start", 12, plot_.subtitle, " fill=\"#555\"");
        if (x_.high <= 0) {
            return svg + text_at(width / 2, height / 2, "middle", 16, "There is nothing to draw.") + "</svg>\n";
        }
        x_.widen(1.2);
        y_.widen(1.5);
        return svg + axes() + marks() + lines() + legend() + "</svg>\n";
    }

private:
    double x(double value) const { return x_.place(value, left, width - right); }
    double y(double value) const { return y_.place(value, height - bottom, top); }

    std::string axes() const {
        std::string svg;
        for (const auto& [value, name] : plot_.x_ticks) {
            if (value < x_.low || value > x_.high) {
                continue;
            }
            svg += line_at(x(value), top, x(value), height - bottom, "stroke=\"#e5e5e5\"");
            svg += format("<g transform=\"translate(%.1f,%.1f) rotate(-25)\">", x(value) + 4, height - bottom + 16) +
                   text_at(0, 0, "end", 11, name) + "</g>\n";
        }
        const bool few = y_.high / y_.low < 30;
        for (int decade = static_cast<int>(std::floor(std::log10(y_.low))); std::pow(10, decade) <= y_.high; ++decade) {
            for (const double part : {1.0, 2.0, 5.0}) {
                const double value = part * std::pow(10, decade);
                if (value < y_.low || value > y_.high || (part != 1 && !few)) {
                    continue;
                }
                svg += line_at(left, y(value), width - right, y(value), "stroke=\"#e5e5e5\"");
                svg += text_at(left - 8, y(value) + 4, "end", 11, format("%g", value));
            }
        }
        svg += line_at(left, height - bottom, width - right, height - bottom, "stroke=\"black\"");
        svg += line_at(left, top, left, height - bottom, "stroke=\"black\"");
        svg += text_at((left + width - right) / 2, height - 10, "middle", 13, plot_.x_name);
        return svg + format("<g transform=\"translate(22,%.1f) rotate(-90)\">", (top + height - bottom) / 2) +
               text_at(0, 0, "middle", 13, plot_.y_name) + "</g>\n";
    }

    std::string marks() const {
        std::string svg;
        double below = top + 14;
        for (const PlotMark& mark : plot_.marks) {
            if (!(mark.x >= x_.low) || mark.x > x_.high) {
                continue;
            }
            svg += line_at(x(mark.x), top, x(mark.x), height - bottom,
                           "stroke=\"#444\" stroke-width=\"1.5\" stroke-dasharray=\"2,4\"");
            const bool at_right = x(mark.x) > (left + width - right) / 2;
            svg += text_at(x(mark.x) + (at_right ? -6 : 6), below, at_right ? "end" : "start", 12, mark.text);
            below += 16;
        }
        return svg;
    }

    const char* color_of(const std::string& name) const {
        const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
        return colors[at % std::size(colors)];
    }

    std::string lines() const {
        std::string svg;
        for (const PlotLine& line : plot_.lines) {
            std::string path, dots;
            for (const auto& point : line.points) {
                if (!is_drawn(point)) {
                    continue;
                }
                path += format("%s%.1f,%.1f", path.empty() ? "" : " ", x(point.first), y(point.second));
                dots += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x(point.first),
                               y(point.second), color_of(line.name));
            }
            svg += format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", path.c_str(),
                          color_of(line.name), line.dashed ? " stroke-dasharray=\"7,5\"" : "");
            svg += line.dashed ? "" : dots;
        }
        return svg;
    }

    std::string legend() const {
        std::string svg;
        const double from = width - right + 20;
        double at = top + 10;
        for (const std::string& name : names_) {
            svg += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", from, at - 11,
                          color_of(name));
            svg += text_at(from + 22, at + 1, "start", 13, name);
            at += 22;
        }
        at += 10;
        for (const bool dashed : {true, false}) {
            if (std::none_of(plot_.lines.begin(), plot_.lines.end(),
                             [&](const PlotLine& line) { return line.dashed == dashed && !line.points.empty(); })) {
                continue;
            }
            svg += line_at(from, at, from + 40, at,
                           dashed ? "stroke=\"#555\" stroke-width=\"2\" stroke-dasharray=\"7,5\""
                                  : "stroke=\"#555\" stroke-width=\"2\"");
            svg += text_at(from + 48, at + 4, "start", 12, dashed ? "predicted" : "measured");
            at += 20;
        }
        return svg;
    }

    const Plot& plot_;
    Axis x_, y_;
    std::vector<std::string> names_;
};

}  // namespace

std::string svg_of(const Plot& plot) {
    return Drawing(plot).text();
}

}  // namespace vedette::cli
