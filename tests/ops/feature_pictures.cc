#include "feature_pictures.h"

#include <cmath>
#include <filesystem>
#include <iostream>

#include "imageio/read_image.h"

namespace vedette::ops {

TestImage gray_from_file(const std::string& path) {
    const host::Image from = host::read_image(path);
    TestImage image(VDT_FORMAT_GRAY8, from.width(), from.height());
    const vdt_convert_params params{sizeof params, 0, 1, 0};
    const Plane plane = reference::convert(from.view(), VDT_FORMAT_GRAY8, params);
    image.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return plane.at(x, y, c); });
    return image;
}

TestImage sample_screen() {
    return gray_from_file(VEDETTE_SAMPLE_DIR "/screen.png");
}

TestImage real_picture(const std::string& name) {
    const std::string path = std::string(VEDETTE_SHARED_DIR) + "/data/real/" + name;
    if (std::filesystem::exists(path)) return gray_from_file(path);
    // Not the word that makes ctest count the whole program as skipped: the other pictures are tested.
    std::cout << "left out: there is no " << name << " among real data\n";
    return TestImage::none();
}

std::array<double, 9> homography_of(const Change& change, const TestImage& picture) {
    const double cx = picture.width() / 2.0, cy = picture.height() / 2.0;
    const double c = change.scale * std::cos(change.angle * std::acos(-1) / 180);
    const double s = change.scale * std::sin(change.angle * std::acos(-1) / 180);
    // About the centre: move there, turn, move back; the denominator 1 + p (x - cx).
    const double p = change.perspective;
    const double m[9] = {c, -s, -c * cx + s * cy, s, c, -s * cx - c * cy, p, 0, 1 - p * cx};
    std::array<double, 9> h{};
    for (int k = 0; k < 3; ++k) {
        h[static_cast<std::size_t>(k)] = m[k] + cx * m[6 + k];
        h[static_cast<std::size_t>(3 + k)] = m[3 + k] + cy * m[6 + k];
        h[static_cast<std::size_t>(6 + k)] = m[6 + k];
    }
    return h;
}

namespace {

std::array<double, 9> inverse_of(const std::array<double, 9>& h) {
    const auto minor = [&h](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return h[a] * h[d] - h[b] * h[c];
    };
    const double determinant = h[0] * minor(4, 5, 7, 8) - h[1] * minor(3, 5, 6, 8) + h[2] * minor(3, 4, 6, 7);
    std::array<double, 9> inverse = {minor(4, 5, 7, 8),  -minor(1, 2, 7, 8), minor(1, 2, 4, 5),
                                     -minor(3, 5, 6, 8), minor(0, 2, 6, 8),  -minor(0, 2, 3, 5),
                                     minor(3, 4, 6, 7),  -minor(0, 1, 6, 7), minor(0, 1, 3, 4)};
    for (double& value : inverse) value /= determinant;
    return inverse;
}

}  // namespace

TestImage changed(const TestImage& picture, const Change& change) {
    const std::array<double, 9> back = inverse_of(homography_of(change, picture));
    TestImage out(VDT_FORMAT_GRAY8, picture.width(), picture.height());
    const auto pixel = [&picture](double x, double y) {
        if (x < 0 || y < 0 || x >= picture.width() || y >= picture.height()) return 128.0;
        return picture.at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    };
    out.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) {
        const Point from = mapped(back, {static_cast<double>(x), static_cast<double>(y)});
        const double left = std::floor(from.x), top = std::floor(from.y), u = from.x - left, v = from.y - top;
        const double value = (pixel(left, top) * (1 - u) + pixel(left + 1, top) * u) * (1 - v) +
                             (pixel(left, top + 1) * (1 - u) + pixel(left + 1, top + 1) * u) * v;
        return value * change.gain + change.offset;
    });
    return out;
}

TestImage blob(std::uint32_t width, std::uint32_t height, double x, double y, double sigma, double height_of_peak) {
    TestImage image(VDT_FORMAT_GRAY8, width, height);
    image.fill([=](std::uint32_t u, std::uint32_t v, std::uint32_t) {
        return 40 + height_of_peak * std::exp(-((u - x) * (u - x) + (v - y) * (v - y)) / (2 * sigma * sigma));
    });
    return image;
}

}  // namespace vedette::ops
