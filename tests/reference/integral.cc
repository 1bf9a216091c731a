#include "plane.h"

namespace vedette::reference {
namespace {

// T(x, y) = sum of I(i, j) over j < y, |i - x + 1| <= y - j - 1: an upside-down triangle above the point.
Plane tilted(const Plane& in) {
    Plane out = make_plane(in.width + 1, in.height + 1, 1);
    const auto width = static_cast<std::int64_t>(in.width);
    std::vector<double> before;  // before[y * (w + 1) + x] = sum of row y left of x
    before.resize(static_cast<std::size_t>(in.height) * (in.width + 1));
    for (std::uint32_t y = 0; y < in.height; ++y)
        for (std::uint32_t x = 0; x < in.width; ++x) {
            const std::size_t i = static_cast<std::size_t>(y) * (in.width + 1) + x;
            before[i + 1] = before[i] + in.at(x, y);
        }
    for (std::uint32_t y = 0; y < out.height; ++y)
        for (std::uint32_t x = 0; x < out.width; ++x) {
            double sum = 0;
            for (std::uint32_t j = 0; j < y; ++j) {
                const std::int64_t reach = static_cast<std::int64_t>(y) - j - 1;
                const std::int64_t first = std::clamp<std::int64_t>(std::int64_t{x} - 1 - reach, 0, width);
                const std::int64_t last = std::clamp<std::int64_t>(std::int64_t{x} + reach, 0, width);
                const std::size_t row = static_cast<std::size_t>(j) * (in.width + 1);
                if (last > first)
                    sum += before[row + static_cast<std::size_t>(last)] - before[row + static_cast<std::size_t>(first)];
            }
            at(out, x, y, 0) = sum;
        }
    return out;
}

}  // namespace

// Whole numbers stay exact in double: 65535 x 65535 x 255^2 < 2^53.
Plane integral(const vdt_image& in, std::uint32_t which) {
    Plane plane = read(in);
    if (plane.channels != 1) throw std::invalid_argument("integral takes one channel");
    if (which == VDT_INTEGRAL_TILTED) return tilted(plane);
    if (which != VDT_INTEGRAL_SUM && which != VDT_INTEGRAL_SQUARED) throw std::invalid_argument("no such integral");
    Plane out = make_plane(plane.width + 1, plane.height + 1, 1);
    for (std::uint32_t y = 0; y < plane.height; ++y) {
        double row = 0;
        for (std::uint32_t x = 0; x < plane.width; ++x) {
            const double value = plane.at(x, y);
            row += which == VDT_INTEGRAL_SQUARED ? value * value : value;
            at(out, x + 1, y + 1, 0) = out.at(x + 1, y) + row;
        }
    }
    return out;
}

}  // namespace vedette::reference
