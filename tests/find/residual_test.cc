#include "find/residual.h"

#include "find/lab.h"
#include "find/resample.h"
#include "picture.h"

#include "boost_test.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace vedette;
using host::Appearance;
using host::ResidualMeter;
using test::Image;
using test::view_of;

namespace {

struct Range {
    double low, high;
};

double value_at(const test::PixelView& image, std::int64_t x, std::int64_t y, unsigned channel) {
    x = std::clamp<std::int64_t>(x, 0, std::int64_t{image.width} - 1);
    y = std::clamp<std::int64_t>(y, 0, std::int64_t{image.height} - 1);
    const std::uint8_t* pixel = image.row(static_cast<std::uint32_t>(y)) + x * image.channels;
    if (image.channels == 1) {
        float l = 0;
        host::lightness_of_gray(pixel, 1, &l);
        return static_cast<double>(l);
    }
    const host::Lab lab = host::lab_of_bgr(pixel[0], pixel[1], pixel[2]);
    return static_cast<double>(channel == 0 ? lab.l : channel == 1 ? lab.a : lab.b);
}

// Straight from the definition: the pixel, four half-way means, four means of quads.
Range reach(const test::PixelView& image, std::int64_t x, std::int64_t y, unsigned c) {
    const auto v = [&](std::int64_t dx, std::int64_t dy) { return value_at(image, x + dx, y + dy, c); };
    std::vector<double> values{v(0, 0)};
    for (const std::int64_t s : {-1, 1}) {
        values.push_back((v(0, 0) + v(s, 0)) / 2);
        values.push_back((v(0, 0) + v(0, s)) / 2);
        for (const std::int64_t t : {-1, 1}) values.push_back((v(0, 0) + v(s, 0) + v(0, t) + v(s, t)) / 4);
    }
    return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

double outside(double value, const Range& range) {
    return std::max({0.0, range.low - value, value - range.high});
}

bool ignored(const test::PixelView& mask, std::int64_t x, std::int64_t y) {
    if (mask.empty() || x < 0 || y < 0 || x >= mask.width || y >= mask.height) return false;
    return mask.row(static_cast<std::uint32_t>(y))[x] == 0;
}

double direct_residual(const test::PixelView& pattern, const test::PixelView& mask, const test::PixelView& screen,
                       std::uint32_t left, std::uint32_t top) {
    std::vector<std::vector<double>> d(pattern.height, std::vector<double>(pattern.width, 0));
    for (std::int64_t y = 0; y < pattern.height; ++y)
        for (std::int64_t x = 0; x < pattern.width; ++x) {
            if (ignored(mask, x, y)) continue;
            bool known = true;
            for (std::int64_t v = -1; v <= 1; ++v)
                for (std::int64_t u = -1; u <= 1; ++u) known = known && !ignored(mask, x + u, y + v);
            double squares = 0;
            for (unsigned c = 0; c < pattern.channels; ++c) {
                const double s = value_at(screen, left + x, top + y, c);
                const double t = value_at(pattern, x, y, c);
                double difference = outside(t, reach(screen, left + x, top + y, c));
                if (known) difference = std::max(difference, outside(s, reach(pattern, x, y, c)));
                squares += difference * difference;
            }
            d[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = std::sqrt(squares);
        }
    double worst = 0;
    for (std::int64_t y = -4; y < pattern.height; ++y)
        for (std::int64_t x = -4; x < pattern.width; ++x) {
            double sum = 0;
            for (std::int64_t v = std::max<std::int64_t>(y, 0); v < std::min<std::int64_t>(y + 5, pattern.height); ++v)
                for (std::int64_t u = std::max<std::int64_t>(x, 0); u < std::min<std::int64_t>(x + 5, pattern.width);
                     ++u)
                    sum += d[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)];
            worst = std::max(worst, sum / (std::min(5U, pattern.width) * std::min(5U, pattern.height)));
        }
    return worst;
}

Image random_mask(std::uint32_t width, std::uint32_t height, unsigned seed) {
    Image mask(VDT_FORMAT_GRAY8, width, height);
    std::mt19937 random(seed);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) mask.row(y)[x] = (random() & 7U) != 0 ? 255 : 0;
    mask.row(0)[0] = 255;
    return mask;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(residual)

BOOST_DATA_TEST_CASE(agrees_with_the_definition,
                     boost::unit_test::data::make({1U, 2U, 4U, 5U, 9U, 23U}) *
                         boost::unit_test::data::make({1U, 3U, 5U, 14U}) * boost::unit_test::data::make({0, 1, 2, 3}),
                     width, height, kind) {
    const bool gray = (kind & 1) != 0;
    const bool masked = (kind & 2) != 0;
    const vdt_format format = gray ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
    const Image screen = test::noise(40, 30, 11 + width, format);
    const Image pattern = test::noise(width, height, 77 + height, format);
    const Image mask = masked ? random_mask(width, height, 5) : Image();
    const Appearance appearance(view_of(pattern), view_of(mask));
    ResidualMeter meter;
    // Inside, and at each border of the screen, where there is no further pixel.
    for (const std::uint32_t x : {0U, 7U, 40 - width})
        for (const std::uint32_t y : {0U, 3U, 30 - height}) {
            const double want = direct_residual(view_of(pattern), view_of(mask), view_of(screen), x, y);
            const host::Residual got = meter.measure(appearance, view_of(screen), x, y);
            BOOST_TEST(got.value == want, boost::test_tools::tolerance(1e-5));
            BOOST_TEST(got.worst.x + got.worst.w <= width);
            BOOST_TEST(got.worst.y + got.worst.h <= height);
        }
}

BOOST_AUTO_TEST_CASE(an_identical_place_has_none) {
    const Image screen = test::desktop(120, 90, 1);
    const Image pattern = test::crop(screen, {20, 25, 40, 30});
    const Appearance appearance(view_of(pattern), {});
    ResidualMeter meter;
    BOOST_TEST(meter.measure(appearance, view_of(screen), 20, 25).value == 0);
    BOOST_TEST(meter.measure(appearance, view_of(screen), 27, 25).value > 19);
}

// Squares of colour, drawn at twice the size and averaged down: once as they lie and once a pixel of the large one,
// half a pixel of the small one, further.
BOOST_AUTO_TEST_CASE(half_a_pixel_is_forgiven_more_than_a_whole_one) {
    const Image colors = test::noise(20, 12, 4);
    Image large(VDT_FORMAT_BGR8, 241, 144);
    for (std::uint32_t y = 0; y < 144; ++y)
        for (std::uint32_t x = 0; x < 241; ++x)
            for (std::uint32_t c = 0; c < 3; ++c)
                large.row(y)[3 * x + c] =
                    static_cast<std::uint8_t>(96 + colors.row(y / 12)[3 * std::min(x / 12, 19U) + c] / 4);
    const host::Workers workers;
    const Image still = host::shrink(test::crop(large, {0, 0, 240, 144}), 120, 72, workers);
    const Image moved = host::shrink(test::crop(large, {1, 0, 240, 144}), 120, 72, workers);
    const Image pattern = test::crop(still, {30, 20, 60, 30});
    const Appearance appearance(view_of(pattern), {});
    ResidualMeter meter;
    const double half = meter.measure(appearance, view_of(moved), 30, 20).value;
    const double whole = meter.measure(appearance, view_of(still), 31, 20).value;
    BOOST_TEST(half < 5);
    BOOST_TEST(half > 0);
    BOOST_TEST(whole > 1.7 * half);
}

BOOST_AUTO_TEST_CASE(the_worst_block_is_where_the_pictures_differ) {
    Image screen = test::desktop(160, 100, 9);
    const Image pattern = test::crop(screen, {20, 30, 100, 40});
    test::fill(screen, {20 + 61, 30 + 13, 5, 5}, {0, 0, 255});
    const Appearance appearance(view_of(pattern), {});
    ResidualMeter meter;
    const host::Residual found = meter.measure(appearance, view_of(screen), 20, 30);
    BOOST_TEST(found.value > 19);
    BOOST_TEST(found.worst.x == 61U);
    BOOST_TEST(found.worst.y == 13U);
    BOOST_TEST(found.worst.w == 5U);
    // A cursor's worth of difference is local, another tint is not.
    BOOST_TEST(host::share_that_differs(appearance, view_of(screen), 20, 30, 10, meter) < 0.2);
    const Image tinted = test::changed(screen, 0.4, 10);
    BOOST_TEST(host::share_that_differs(appearance, view_of(tinted), 20, 30, 10, meter) > 0.7);
}

BOOST_AUTO_TEST_CASE(stops_early_only_above_what_is_enough) {
    const Image screen = test::noise(60, 60, 2);
    const Image pattern = test::noise(30, 30, 3);
    const Appearance appearance(view_of(pattern), {});
    ResidualMeter meter;
    const double whole = meter.measure(appearance, view_of(screen), 5, 5).value;
    BOOST_TEST(meter.measure(appearance, view_of(screen), 5, 5, whole + 1).value == whole);
    const double stopped = meter.measure(appearance, view_of(screen), 5, 5, whole / 4).value;
    BOOST_TEST(stopped > whole / 4);
    BOOST_TEST(stopped <= whole);
}

BOOST_AUTO_TEST_CASE(what_is_ignored_does_not_matter) {
    Image screen = test::desktop(100, 80, 6);
    const Image pattern = test::crop(screen, {20, 20, 40, 40});
    Image mask(VDT_FORMAT_GRAY8, 40, 40);
    for (std::uint32_t y = 0; y < 40; ++y)
        for (std::uint32_t x = 0; x < 40; ++x) mask.row(y)[x] = x < 20 ? 255 : 0;
    Image other = test::copy(pattern);
    test::fill(other, {20, 0, 20, 40}, {0, 0, 255});
    const Appearance appearance(view_of(other), view_of(mask));
    ResidualMeter meter;
    BOOST_TEST(meter.measure(appearance, view_of(screen), 20, 20).value == 0);
    BOOST_TEST(appearance.counted() == 800U);
}

BOOST_AUTO_TEST_CASE(appearance_measures_contrast) {
    const Image uniform = test::blank(9, 7, {10, 200, 30});
    const Appearance flat(view_of(uniform), {});
    BOOST_TEST(flat.flat());
    BOOST_TEST(flat.uniform());
    BOOST_TEST(flat.deviation() == 0);
    // Half black, half white: lightness 0 and 100.
    Image halves = test::blank(10, 10, {0, 0, 0});
    test::fill(halves, {5, 0, 5, 10}, {255, 255, 255});
    const Appearance contrast(view_of(halves), {});
    BOOST_TEST(contrast.deviation() == 50, boost::test_tools::tolerance(1e-4));
    BOOST_TEST(contrast.mean()[0] == 50, boost::test_tools::tolerance(1e-4));
    BOOST_TEST(!contrast.flat());
    Image faint = test::blank(10, 10, {100, 100, 100});
    test::fill(faint, {5, 0, 5, 10}, {103, 103, 103});
    BOOST_TEST(Appearance(view_of(faint), {}).flat());
    BOOST_TEST(!Appearance(view_of(faint), {}).uniform());
}

// A pattern too large to be kept in CIELAB is converted at each place; the numbers are those of a part of it.
BOOST_AUTO_TEST_CASE(large_patterns_agree_with_their_parts) {
    Image screen = test::desktop(1120, 1010, 2);
    const Image pattern = test::copy(screen);
    const Image part = test::crop(screen, {500, 600, 90, 80});
    test::fill(screen, {540, 640, 9, 7}, {0, 0, 255});
    Image mask(VDT_FORMAT_GRAY8, 1120, 1010);
    for (std::uint32_t y = 0; y < 1010; ++y)
        for (std::uint32_t x = 0; x < 1120; ++x) mask.row(y)[x] = x < 543 || y < 300 ? 255 : 0;
    const Image part_of_mask = test::crop(mask, {500, 600, 90, 80});
    ResidualMeter meter;
    for (const bool masked : {false, true}) {
        const Appearance large(view_of(pattern), masked ? view_of(mask) : test::PixelView{});
        const Appearance small(view_of(part), masked ? view_of(part_of_mask) : test::PixelView{});
        const host::Residual whole = meter.measure(large, view_of(screen), 0, 0);
        const host::Residual some = meter.measure(small, view_of(screen), 500, 600);
        BOOST_TEST(whole.value > 5);
        BOOST_TEST(whole.value == some.value);
        BOOST_TEST(whole.worst.x == 500 + some.worst.x);
        BOOST_TEST(whole.worst.y == 600 + some.worst.y);
        BOOST_TEST(host::share_that_differs(large, view_of(screen), 0, 0, 5, meter) < 0.01);
    }
}

BOOST_AUTO_TEST_SUITE_END()
