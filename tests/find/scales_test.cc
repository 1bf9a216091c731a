#include "finder.h"

#include "find/resample.h"

#include "boost_test.h"

#include <cmath>

using namespace vedette;
using host::PatternOutcome;
using test::Finder;
using test::Image;

namespace {

// A detailed element of 48 x 32 on a screen.
Image element(std::uint32_t width, std::uint32_t height) {
    const Image large = test::noise(width / 8, height / 8, 31);
    Image out(VDT_FORMAT_BGR8, width, height);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            std::copy_n(large.row(y / 8) + std::size_t{3} * (x / 8), 3, out.row(y) + std::size_t{3} * x);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scales)

BOOST_AUTO_TEST_CASE(a_smaller_element_is_found_by_shrinking_the_pattern) {
    const Image pattern = element(64, 48);
    Image screen = test::blank(120, 90, {120, 120, 120});
    test::paste(screen, host::shrink(pattern, 48, 36, host::Workers()), 41, 33);
    Finder finder;
    finder.query.scales = {1, 0.5, 0.75};
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    const vdt_match& match = outcome.matches[0];
    BOOST_TEST(match.x == 41);
    BOOST_TEST(match.y == 33);
    BOOST_TEST(match.w == 48);
    BOOST_TEST(match.h == 36);
    BOOST_TEST(match.scale == 0.75);
    BOOST_TEST(match.score == 1);
    BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_SCALE));
    // At size 1 alone it is not there.
    Finder plain;
    BOOST_TEST(plain.find(screen, pattern).matches.empty());
}

BOOST_AUTO_TEST_CASE(a_larger_element_is_found_by_shrinking_the_screen) {
    const Image large = element(96, 64);
    const Image pattern = host::shrink(large, 48, 32, host::Workers());
    Image screen = test::blank(200, 140, {120, 120, 120});
    test::paste(screen, large, 64, 40);
    Finder finder;
    finder.query.scales = {1, 1.5, 2};
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    const vdt_match& match = outcome.matches[0];
    BOOST_TEST(match.x == 64);
    BOOST_TEST(match.y == 40);
    BOOST_TEST(match.w == 96);
    BOOST_TEST(match.h == 64);
    BOOST_TEST(match.scale == 2);
    BOOST_TEST(match.quad[4] == 160);
    // Regions and excluded areas are in pixels of the screen.
    finder.query.region = {60, 36, 104, 72};
    BOOST_TEST(finder.find(screen, pattern).matches.size() == 1U);
    finder.query.region = {66, 36, 104, 72};
    BOOST_TEST(finder.find(screen, pattern).matches.empty());
    finder.query.region = {0, 0, 200, 140};
    finder.query.exclude = {{159, 103, 10, 10}};
    BOOST_TEST(finder.find(screen, pattern).matches.empty());
    finder.query.exclude = {{160, 104, 10, 10}};
    BOOST_TEST(finder.find(screen, pattern).matches.size() == 1U);
}

BOOST_AUTO_TEST_CASE(several_sizes_ask_for_more) {
    // The same candidate passes when its size is the only one asked for.
    const Image large = element(64, 48);
    Image small = host::shrink(large, 32, 24, host::Workers());
    const Image grain = test::noise(32, 24, 8);
    for (std::uint32_t y = 0; y < 24; ++y)
        for (std::uint32_t i = 0; i < 96; ++i)
            small.row(y)[i] = static_cast<std::uint8_t>((small.row(y)[i] * 4 + grain.row(y)[i] * 4 + 4) / 8);
    Image screen = test::blank(90, 70, {120, 120, 120});
    test::paste(screen, small, 20, 20);
    Finder one;
    one.query.scales = {0.5};
    one.query.strictness = 0.25;
    one.query.threshold = 0.5;
    const PatternOutcome alone = one.find(screen, large);
    BOOST_REQUIRE(alone.matches.size() == 1U);
    BOOST_TEST(alone.matches[0].score < 0.8);
    Finder several = one;
    several.query.scales = {1, 0.5};
    const PatternOutcome among = several.find(screen, large);
    BOOST_TEST(among.matches.empty());
    BOOST_TEST(among.reason == static_cast<unsigned>(VDT_REASON_BELOW_SCORE));
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_are_left_out) {
    const Image pattern = element(64, 48);
    const Image screen = test::blank(50, 40, {120, 120, 120});
    Finder finder;
    finder.query.scales = {1, 2};
    BOOST_TEST(finder.find(screen, pattern).reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    finder.query.scales = {1, 0.5};
    BOOST_TEST(finder.find(screen, pattern).reason != static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    // A fine checkerboard shrinks to plain gray, which must not be found on every gray area.
    Image board = test::blank(40, 40, {0, 0, 0});
    for (std::uint32_t y = 0; y < 40; ++y)
        for (std::uint32_t x = y % 2; x < 40; x += 2) test::fill(board, {x, y, 1, 1}, {240, 240, 240});
    BOOST_TEST(finder.find(screen, board).matches.empty());
}

BOOST_AUTO_TEST_CASE(flat_patterns_have_sizes_too) {
    Image screen = test::blank(60, 60, {255, 255, 255});
    test::fill(screen, {20, 20, 10, 10}, {0, 0, 200});
    const Image pattern = test::blank(20, 20, {0, 0, 200});
    Finder finder;
    finder.query.scales = {1, 0.5};
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(test::at(outcome.matches[0], 20, 20));
    BOOST_TEST(outcome.matches[0].w == 10);
    BOOST_TEST(outcome.matches[0].stage == static_cast<unsigned>(VDT_STAGE_FLAT));
}

BOOST_AUTO_TEST_CASE(shrunk_screens_are_kept_within_bounds) {
    host::Screen screen(test::noise(100, 80, 1));
    const host::Workers workers;
    const auto first = screen.form(host::ColorMode::Color, 2, workers).image;
    BOOST_TEST(screen.form(host::ColorMode::Color, 2, workers).image == first);
    for (int i = 0; i < 100; ++i) screen.form(host::ColorMode::Color, 1.01 + i * 0.01, workers);
    BOOST_TEST(screen.form(host::ColorMode::Color, 2, workers).image != first);
    BOOST_TEST(first->image().width() == 50U);
}

BOOST_AUTO_TEST_SUITE_END()
