// What went wrong in other tools, each with the right behaviour.
#include "finder.h"

#include "boost_test.h"

using namespace vedette;
using host::PatternOutcome;
using test::at;
using test::Finder;
using test::Image;

BOOST_AUTO_TEST_SUITE(reports)

// A needle of one colour was "found" at (0, 0) of any picture.
BOOST_AUTO_TEST_CASE(one_colour_matches_only_its_colour) {
    Image screen = test::desktop(160, 100, 2);
    const Image pattern = test::blank(12, 9, {30, 160, 40});
    Finder finder;
    PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_COLOR_ABSENT));
    test::fill(screen, {70, 60, 12, 9}, {30, 160, 40});
    outcome = finder.find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(at(outcome.matches[0], 70, 60));
    BOOST_TEST(outcome.matches[0].score == 1);
    BOOST_TEST(outcome.matches[0].stage == static_cast<unsigned>(VDT_STAGE_FLAT));
    BOOST_TEST(outcome.matches[0].evidence == -1);
    // In gray too, and with a mask.
    finder.query.color = VDT_COLOR_GRAY;
    outcome = finder.find(test::desktop(160, 100, 2), test::blank(12, 9, {128, 0, 128}));
    BOOST_TEST(outcome.matches.empty());
    finder.query.color = VDT_COLOR_AUTO;
    Image masked = test::with_alpha(pattern, 255);
    for (std::uint32_t x = 0; x < 12; ++x) {
        masked.row(0)[4 * x] = 200;
        masked.row(0)[4 * x + 3] = 0;
    }
    outcome = finder.find(screen, masked);
    BOOST_REQUIRE(outcome.matches.size() >= 1U);
    BOOST_TEST(outcome.matches[0].stage == static_cast<unsigned>(VDT_STAGE_FLAT));
    BOOST_TEST(outcome.matches[0].x == 70);
}

// Flat scene patches gave infinities and NaN under a mask.
BOOST_AUTO_TEST_CASE(flat_screens_score_zero) {
    const Image screen = test::blank(60, 40, {80, 80, 80});
    Image pattern = test::with_alpha(test::button(20, 12, {230, 230, 230}, {0, 0, 0}, 3), 255);
    for (std::uint32_t y = 0; y < 6; ++y) pattern.row(y)[3] = 0;
    Finder finder;
    finder.query.floor = -1;
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.best.score == 0);
}

// findAll on 2 x 1 pixels repeated its first match for ever; 1 x 1 scored 1 everywhere.
BOOST_AUTO_TEST_CASE(tiny_needles_give_a_finite_list) {
    Image screen = test::blank(64, 48, {255, 255, 255});
    const Image pair = [] {
        Image image = test::blank(2, 1, {0, 0, 255});
        test::fill(image, {1, 0, 1, 1}, {255, 0, 0});
        return image;
    }();
    for (std::uint32_t i = 0; i < 10; ++i) test::paste(screen, pair, 5 + 6 * i % 50, 3 + 4 * i);
    Finder finder;
    finder.query.all = true;
    finder.query.threshold = 0.99;
    const PatternOutcome outcome = finder.find(screen, pair);
    BOOST_TEST(outcome.matches.size() == 10U);
    const Image dot = test::blank(1, 1, {255, 0, 0});
    const PatternOutcome dots = finder.find(screen, dot);
    BOOST_TEST(dots.matches.size() == 10U);
}

// Places one pixel apart diagonally are three places for a pattern of 4 x 4.
BOOST_AUTO_TEST_CASE(equal_neighbours_of_a_tiny_pattern_all_count) {
    Image screen = test::blank(40, 40, {255, 255, 255});
    for (std::uint32_t i = 0; i < 6; ++i) test::fill(screen, {20 + i, 20 + i, 1, 1}, {0, 0, 0});
    Image slash = test::blank(4, 4, {255, 255, 255});
    for (std::uint32_t i = 0; i < 4; ++i) test::fill(slash, {i, i, 1, 1}, {0, 0, 0});
    Finder finder;
    finder.query.all = true;
    finder.query.threshold = 0.999;
    const PatternOutcome outcome = finder.find(screen, slash);
    BOOST_REQUIRE(outcome.matches.size() == 3U);
    BOOST_TEST(at(outcome.matches[0], 20, 20));
    BOOST_TEST(at(outcome.matches[1], 21, 21));
    BOOST_TEST(at(outcome.matches[2], 22, 22));
    BOOST_TEST(outcome.copies == 2U);
    finder.query.exclude = {{25, 25, 5, 5}};
    BOOST_TEST(finder.find(screen, slash).matches.size() == 2U);
}

// A pixel-exact icon at (0, 0) was missed.
BOOST_AUTO_TEST_CASE(an_icon_in_the_corner_is_found) {
    const Image screen = test::desktop(120, 80, 7);
    Image corner = test::copy(screen);
    const Image icon = test::button(16, 16, {200, 30, 30}, {255, 255, 255}, 9);
    test::paste(corner, icon, 0, 0);
    Finder finder;
    BOOST_TEST(at(finder.find(corner, icon).matches.at(0), 0, 0));
}

// Pale fields of low contrast: the best place, not any.
BOOST_AUTO_TEST_CASE(pale_elements_are_told_apart) {
    Image screen = test::blank(160, 60, {255, 250, 245});
    const Image pale = test::button(14, 15, {255, 250, 245}, {248, 240, 232}, 4);
    const Image other = test::button(14, 15, {255, 250, 245}, {248, 240, 232}, 25);
    for (std::uint32_t i = 0; i < 5; ++i) test::paste(screen, other, 10 + 20 * i, 10);
    test::paste(screen, pale, 90, 35);
    Finder finder;
    finder.query.all = true;
    const PatternOutcome outcome = finder.find(screen, pale);
    BOOST_REQUIRE(!outcome.matches.empty());
    BOOST_TEST(at(outcome.matches[0], 90, 35));
    BOOST_TEST(outcome.margin > 0);
}

// Hundreds of overlapping boxes for one element.
BOOST_AUTO_TEST_CASE(one_element_is_one_match) {
    Image screen = test::desktop(120, 80, 7);
    const Image icon = test::button(30, 20, {200, 30, 30}, {255, 255, 255}, 9);
    test::paste(screen, icon, 40, 30);
    Finder finder;
    finder.query.all = true;
    finder.query.verify = false;
    finder.query.threshold = 0.5;
    BOOST_TEST(finder.find(screen, icon).matches.size() == 1U);
}

// Red for blue, disabled for enabled: gray correlation of 0.9999.
BOOST_AUTO_TEST_CASE(state_is_colour) {
    const Image blue = test::button(40, 16, {200, 90, 30}, {255, 255, 255}, 6);
    const Image red = test::button(40, 16, {30, 60, 200}, {255, 255, 255}, 6);
    const Image disabled = test::button(40, 16, {190, 190, 190}, {235, 235, 235}, 6);
    for (const Image* shown : {&red, &disabled}) {
        Image screen = test::blank(120, 60, {240, 240, 240});
        test::paste(screen, *shown, 50, 20);
        Finder finder;
        finder.query.all = true;
        const PatternOutcome outcome = finder.find(screen, blue);
        BOOST_TEST(outcome.matches.empty());
        test::paste(screen, blue, 20, 40);
        BOOST_REQUIRE(finder.find(screen, blue).matches.size() == 1U);
        BOOST_TEST(at(finder.find(screen, blue).matches[0], 20, 40));
    }
}

// Images of text that share characters scored above 0.7.
BOOST_AUTO_TEST_CASE(another_character_is_another_text) {
    Image screen = test::blank(140, 60, {255, 255, 255});
    Image text = test::blank(60, 11, {255, 255, 255});
    for (std::uint32_t i = 0; i < 8; ++i) test::draw_glyph(text, 2 + 7 * i, 2, 50 + i, {0, 0, 0});
    Image other = test::copy(text);
    test::fill(other, {2 + 7 * 3, 2, 5, 7}, {255, 255, 255});
    test::draw_glyph(other, 2 + 7 * 3, 2, 777, {0, 0, 0});
    test::paste(screen, other, 40, 25);
    Finder finder;
    const PatternOutcome outcome = finder.find(screen, text);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_DIFFERS_LOCALLY));
    BOOST_TEST(outcome.best.score > 0.75);
    // The character that differs.
    BOOST_TEST(outcome.best.worst.x >= 40 + 20);
    BOOST_TEST(outcome.best.worst.x + outcome.best.worst.w <= 40 + 31);
}

// A second find with a higher threshold took the first one's answer.
BOOST_AUTO_TEST_CASE(a_screen_remembers_no_answers) {
    const Image picture = test::desktop(120, 80, 7);
    Image pattern = test::crop(picture, {40, 30, 30, 20});
    pattern.row(5)[20] = static_cast<std::uint8_t>(pattern.row(5)[20] ^ 31U);
    host::Screen screen(test::copy(picture));
    Finder finder;
    BOOST_TEST(finder.find(screen, {&pattern}).at(0).matches.size() == 1U);
    finder.query.threshold = 1;
    BOOST_TEST(finder.find(screen, {&pattern}).at(0).matches.empty());
}

// Alpha as a wildcard; the masked score is free of the mean, so plain brown is no match.
BOOST_AUTO_TEST_CASE(alpha_is_a_mask) {
    Image pattern = test::with_alpha(test::button(30, 20, {40, 80, 140}, {255, 255, 255}, 9), 255);
    for (std::uint32_t y = 0; y < 20; ++y)
        for (std::uint32_t x = 20; x < 30; ++x) pattern.row(y)[4 * x + 3] = 0;
    Image screen = test::blank(140, 60, {40, 80, 140});
    test::paste(screen, test::button(30, 20, {40, 80, 140}, {255, 255, 255}, 9), 70, 20);
    test::fill(screen, {91, 20, 9, 20}, {0, 255, 0});  // behind the transparent part, not beside the seen one
    Finder finder;
    finder.query.all = true;
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(at(outcome.matches[0], 70, 20));
    BOOST_TEST(outcome.matches[0].score == 1);
    BOOST_TEST(finder.find(test::blank(140, 60, {40, 80, 140}), pattern).matches.empty());
}

// RGBA against RGB, gray against colour: an assertion in other tools.
BOOST_AUTO_TEST_CASE(formats_mix) {
    const Image screen = test::desktop(120, 80, 7);
    const Image part = test::crop(screen, {40, 30, 30, 20});
    const Image alpha = test::with_alpha(part, 255);
    const Image gray = host::gray_from_color(part);
    const Image gray_screen = host::gray_from_color(screen);
    Finder finder;
    BOOST_TEST(at(finder.find(screen, alpha).matches.at(0), 40, 30));
    BOOST_TEST(at(finder.find(gray_screen, gray).matches.at(0), 40, 30));
    BOOST_TEST(at(finder.find(gray_screen, host::color_from_gray(gray)).matches.at(0), 40, 30));
    finder.query.color = VDT_COLOR_BGR;
    BOOST_TEST(at(finder.find(gray_screen, gray).matches.at(0), 40, 30));
    finder.query.color = VDT_COLOR_GRAY;
    BOOST_TEST(at(finder.find(screen, gray).matches.at(0), 40, 30));
}

// A needle larger than the screen aborted, or changed roles with it and scored 1.
BOOST_AUTO_TEST_CASE(larger_than_the_screen_is_not_found) {
    const Image small = test::desktop(40, 40, 1);
    const Image large = test::desktop(41, 40, 1);
    Finder finder;
    PatternOutcome outcome = finder.find(small, large);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(!outcome.has_best);
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    Finder region;
    region.query.region = {5, 5, 20, 10};
    outcome = region.find(test::desktop(100, 80, 1), test::crop(small, {0, 0, 20, 11}));
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
}

// A repeating pattern: every period once, and an end.
BOOST_AUTO_TEST_CASE(repetition_is_listed_once_each) {
    Image screen = test::blank(64, 64, {0, 0, 0});
    const Image tile = test::noise(16, 16, 12);
    for (std::uint32_t y = 0; y < 64; y += 16)
        for (std::uint32_t x = 0; x < 64; x += 16) test::paste(screen, tile, x, y);
    Finder finder;
    finder.query.all = true;
    const PatternOutcome outcome = finder.find(screen, tile);
    BOOST_REQUIRE(outcome.matches.size() == 16U);
    BOOST_TEST(outcome.copies == 15U);
    for (std::size_t i = 0; i < 16; ++i)
        BOOST_TEST(at(outcome.matches[i], 16.0 * static_cast<double>(i % 4), 16.0 * static_cast<double>(i / 4)));
}

BOOST_AUTO_TEST_SUITE_END()
