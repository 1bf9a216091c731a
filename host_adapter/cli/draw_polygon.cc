#include "draw_polygon.h"

#include <algorithm>
#include <cmath>

namespace vedette::cli {

namespace {

double distance_to_segment(Point p, Point a, Point b) {
    const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    const double part = squared == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0, 1.0);
    return std::hypot(a.x + part * dx - p.x, a.y + part * dy - p.y);
}

void draw_segment(Picture& picture, Point a, Point b, double half_width, const Color& color) {
    const auto row = [&](double y) { return std::clamp(y, 0.0, static_cast<double>(picture.height())); };
    const auto first_row = static_cast<std::uint32_t>(row(std::min(a.y, b.y) - half_width - 1));
    const auto last_row = static_cast<std::uint32_t>(row(std::max(a.y, b.y) + half_width + 1));
    for (std::uint32_t y = first_row; y < last_row; ++y) {
        // Columns that the segment can reach in this row.
        const double slack = half_width + 1;
        double low = std::min(a.x, b.x), high = std::max(a.x, b.x);
        if (a.y != b.y) {
            const double slope = (b.x - a.x) / (b.y - a.y);
            const double up = a.x + (y - slack - a.y) * slope, down = a.x + (y + 1 + slack - a.y) * slope;
            low = std::max(low, std::min(up, down));
            high = std::min(high, std::max(up, down));
        }
        const auto column = [&](double x) { return std::clamp(x, 0.0, static_cast<double>(picture.width())); };
        const auto first = static_cast<std::uint32_t>(column(low - slack));
        const auto last = static_cast<std::uint32_t>(column(std::ceil(high + slack)));
        for (std::uint32_t x = first; x < last; ++x) {
            if (distance_to_segment({x + 0.5, y + 0.5}, a, b) <= half_width) {
                std::uint8_t* const at = picture.at(x, y);
                at[0] = color.blue;
                at[1] = color.green;
                at[2] = color.red;
            }
        }
    }
}

}  // namespace

std::uint32_t line_width(const Picture& picture) {
    return std::clamp((picture.width() + 300) / 660, 1U, 4U);
}

void draw_polygon(Picture& picture, const std::vector<Point>& corners, const Color& color) {
    const double half_width = line_width(picture) / 2.0 + 0.25;
    constexpr Color white{255, 255, 255};
    for (const bool outline : {true, false}) {
        for (std::size_t i = 0; i < corners.size(); ++i) {
            draw_segment(picture, corners[i], corners[(i + 1) % corners.size()], outline ? half_width + 1 : half_width,
                         outline ? white : color);
        }
    }
}

}  // namespace vedette::cli
