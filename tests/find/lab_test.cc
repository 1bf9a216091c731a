#include "find/lab.h"
#include "find/kernels/kernels.h"

#include "picture.h"

#include "boost_test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace vedette;

namespace {

// IEC 61966-2-1 and CIE 15, with the D65 white point as the matrix gives it.
std::array<double, 3> closed_form(int blue, int green, int red) {
    const auto linear = [](int value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double r = linear(red), g = linear(green), b = linear(blue);
    const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / (0.4124564 + 0.3575761 + 0.1804375);
    const double y = (0.2126729 * r + 0.7151522 * g + 0.0721750 * b) / (0.2126729 + 0.7151522 + 0.0721750);
    const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / (0.0193339 + 0.1191920 + 0.9503041);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lab)

BOOST_AUTO_TEST_CASE(colours_agree_with_the_closed_form) {
    double worst = 0;
    for (int blue = 0; blue < 256; blue += 15)
        for (int green = 0; green < 256; green += 15)
            for (int red = 0; red < 256; red += 5) {
                const host::Lab lab = host::lab_of_bgr(
                    static_cast<std::uint8_t>(blue), static_cast<std::uint8_t>(green), static_cast<std::uint8_t>(red));
                const auto want = closed_form(blue, green, red);
                worst = std::max({worst, std::abs(static_cast<double>(lab.l) - want[0]),
                                  std::abs(static_cast<double>(lab.a) - want[1]),
                                  std::abs(static_cast<double>(lab.b) - want[2])});
            }
    BOOST_TEST(worst < 0.001);
}

BOOST_AUTO_TEST_CASE(gray_has_no_colour_and_the_same_lightness) {
    for (int value = 0; value < 256; ++value) {
        const auto v = static_cast<std::uint8_t>(value);
        const host::Lab lab = host::lab_of_bgr(v, v, v);
        float lightness = -1;
        host::lightness_of_gray(&v, 1, &lightness);
        BOOST_TEST(std::abs(lab.a) < 1e-3F);
        BOOST_TEST(std::abs(lab.b) < 1e-3F);
        BOOST_TEST(lab.l == lightness);
    }
    BOOST_TEST(host::lab_of_bgr(255, 255, 255).l == 100.0F, boost::test_tools::tolerance(1e-5F));
    BOOST_TEST(std::abs(host::lab_of_bgr(0, 0, 0).l) < 1e-4F);
}

BOOST_AUTO_TEST_CASE(rows_agree_with_single_pixels) {
    test::Image image = test::noise(37, 1, 3);
    for (std::uint32_t x = 9; x < 30; ++x) std::copy_n(image.row(0) + 24, 3, image.row(0) + std::size_t{3} * x);
    std::vector<float> l(host::row_pitch(37)), a(l), b(l);
    host::lab_of_bgr(image.row(0), 37, l.data(), a.data(), b.data());
    for (std::size_t i = 0; i < 37; ++i) {
        const host::Lab lab = host::lab_of_bgr(image.row(0)[3 * i], image.row(0)[3 * i + 1], image.row(0)[3 * i + 2]);
        BOOST_TEST(l[i] == lab.l);
        BOOST_TEST(a[i] == lab.a);
        BOOST_TEST(b[i] == lab.b);
    }
}

BOOST_AUTO_TEST_SUITE_END()
