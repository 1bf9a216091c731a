#include "finder.h"

#include "core/failure.h"

#include "boost_test.h"

#include <cmath>

using namespace vedette;
using host::PatternOutcome;
using test::at;
using test::Finder;
using test::Image;

namespace {

constexpr test::Paint face{230, 230, 230};
constexpr test::Paint ink{60, 40, 20};

// A screen of 120 x 80 with one button at (31, 22).
Image screen_with_button(unsigned seed = 5, test::Paint paint = face) {
    Image screen = test::blank(120, 80, {150, 130, 110});
    test::draw_glyph(screen, 8, 60, 99, {10, 10, 10});
    test::paste(screen, test::button(34, 15, paint, ink, seed), 31, 22);
    return screen;
}

const Image& the_button() {
    static const Image button = test::button(34, 15, face, ink, 5);
    return button;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(composition)

BOOST_AUTO_TEST_CASE(an_identical_element_is_found_with_score_one) {
    Finder finder;
    const PatternOutcome outcome = finder.find(screen_with_button(), the_button());
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    const vdt_match& match = outcome.matches[0];
    BOOST_TEST(at(match, 31, 22));
    BOOST_TEST(match.w == 34);
    BOOST_TEST(match.h == 15);
    BOOST_TEST(match.score == 1);
    BOOST_TEST(match.residual == 0);
    BOOST_TEST(match.residual_limit > 5.5);
    BOOST_TEST(match.evidence > 6.4);
    BOOST_TEST(match.scale == 1);
    BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_SAME));
    BOOST_TEST(match.reason == static_cast<unsigned>(VDT_REASON_NONE));
    const double quad[8] = {31, 22, 65, 22, 65, 37, 31, 37};
    BOOST_TEST(match.quad == quad, boost::test_tools::per_element());
    BOOST_TEST(outcome.has_best);
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_NONE));
    BOOST_TEST(outcome.copies == 0U);
    // Nothing else reaches the threshold: one search, and the margin is a bound.
    BOOST_TEST(outcome.margin_is_bound);
    BOOST_TEST(outcome.margin == 0.25);
    BOOST_TEST(finder.proposer.thresholds.size() == 1U);
}

BOOST_AUTO_TEST_CASE(passes_a_threshold_of_one) {
    Finder finder;
    finder.query.threshold = 1;
    BOOST_TEST(finder.find(screen_with_button(), the_button()).matches.size() == 1U);
}

// A pattern that was not seen before is looked for down to the floor at once; what comes out is the same.
BOOST_AUTO_TEST_CASE(a_missing_pattern_is_searched_once) {
    const auto outcomes = [](host::Pattern& pattern, const Image& picture, std::vector<double>& thresholds) {
        Finder finder;
        host::Screen screen(host::color_of(picture.view()));
        const PatternOutcome outcome = finder.find(screen, {&pattern}).at(0);
        thresholds = finder.proposer.thresholds;
        return outcome;
    };
    const auto same = [](const PatternOutcome& a, const PatternOutcome& b) {
        BOOST_TEST(a.matches.size() == b.matches.size());
        BOOST_TEST(a.has_best == b.has_best);
        BOOST_TEST(a.reason == b.reason);
        BOOST_TEST(a.margin == b.margin);
        BOOST_TEST(a.margin_is_bound == b.margin_is_bound);
        BOOST_TEST(a.copies == b.copies);
        BOOST_TEST(a.best.score == b.best.score);
        BOOST_TEST(a.best.residual == b.best.residual);
        BOOST_TEST(at(a.best, b.best.x, b.best.y));
    };
    Image other = test::blank(120, 80, {150, 130, 110});
    test::draw_glyph(other, 8, 60, 99, {10, 10, 10});
    const Image bare = test::blank(120, 80, {150, 130, 110});
    const Image* const pictures[] = {&other, &bare};
    for (const Image* const picture : pictures) {
        const Image& absent = *picture;
        host::Pattern fresh(the_button().view()), kept(the_button().view());
        std::vector<double> thresholds;
        const PatternOutcome first = outcomes(kept, absent, thresholds);
        BOOST_TEST(first.matches.empty());
        BOOST_TEST(thresholds.size() == 1U);
        const PatternOutcome second = outcomes(kept, absent, thresholds);
        BOOST_TEST(thresholds.size() == 1U);
        same(first, second);
        const PatternOutcome shown = outcomes(kept, screen_with_button(), thresholds);
        BOOST_TEST(thresholds.size() == 1U);
        same(outcomes(fresh, screen_with_button(), thresholds), shown);
        BOOST_TEST(shown.matches.size() == 1U);
        outcomes(kept, screen_with_button(), thresholds);
        BOOST_TEST(thresholds.size() == 1U);
        BOOST_TEST(thresholds[0] > 0.6);
        const PatternOutcome gone = outcomes(kept, absent, thresholds);
        BOOST_TEST(thresholds.size() == 2U);
        same(first, gone);
    }
}

BOOST_AUTO_TEST_CASE(translation_moves_the_match) {
    for (const std::uint32_t dx : {0U, 1U, 17U})
        for (const std::uint32_t dy : {0U, 3U}) {
            Image screen = test::blank(120, 80, {150, 130, 110});
            test::paste(screen, the_button(), 20 + dx, 30 + dy);
            Finder finder;
            const PatternOutcome outcome = finder.find(screen, the_button());
            BOOST_REQUIRE(outcome.matches.size() == 1U);
            BOOST_TEST(at(outcome.matches[0], 20.0 + dx, 30.0 + dy));
            BOOST_TEST(outcome.matches[0].score == 1);
        }
}

BOOST_AUTO_TEST_CASE(cropping_the_screen_moves_the_match_as_a_region_does_not) {
    const Image screen = screen_with_button();
    const Image part = test::crop(screen, {25, 20, 60, 40});
    Finder finder;
    BOOST_TEST(at(finder.find(part, the_button()).matches.at(0), 6, 2));
    Finder inside;
    inside.query.region = {25, 20, 60, 40};
    const PatternOutcome outcome = inside.find(screen, the_button());
    BOOST_TEST(at(outcome.matches.at(0), 31, 22));
    Finder elsewhere;
    elsewhere.query.region = {32, 20, 60, 40};
    BOOST_TEST(elsewhere.find(screen, the_button()).matches.empty());
}

BOOST_AUTO_TEST_CASE(at_every_corner) {
    for (const auto& [x, y] : {std::pair{0U, 0U}, {86U, 0U}, {0U, 65U}, {86U, 65U}}) {
        Image screen = test::blank(120, 80, {150, 130, 110});
        test::paste(screen, the_button(), x, y);
        Finder finder;
        BOOST_TEST(at(finder.find(screen, the_button()).matches.at(0), x, y));
    }
}

BOOST_AUTO_TEST_CASE(a_little_noise_is_no_difference) {
    Image screen = screen_with_button();
    const Image grain = test::noise(120, 80, 3);
    for (std::uint32_t y = 0; y < 80; ++y)
        for (std::uint32_t i = 0; i < 360; ++i)
            screen.row(y)[i] =
                static_cast<std::uint8_t>(std::clamp(screen.row(y)[i] + grain.row(y)[i] % 7 - 3, 0, 255));
    Finder finder;
    const PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(at(outcome.matches[0], 31, 22));
    BOOST_TEST(outcome.matches[0].score > 0.98);
}

BOOST_AUTO_TEST_CASE(another_contrast_is_another_state) {
    const Image screen = test::changed(screen_with_button(), 0.5, 110);
    Finder finder;
    const PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_DIFFERS_EVERYWHERE));
    BOOST_REQUIRE(outcome.has_best);
    BOOST_TEST(at(outcome.best, 31, 22));
    BOOST_TEST(outcome.best.score > 0.99);  // correlation does not see it
    BOOST_TEST(outcome.best.residual > outcome.best.residual_limit);
    // By score alone it is a match.
    Finder plain;
    plain.query.verify = false;
    const PatternOutcome by_score = plain.find(screen, the_button());
    BOOST_REQUIRE(by_score.matches.size() == 1U);
    BOOST_TEST(by_score.matches[0].residual == -1);
    BOOST_TEST(by_score.matches[0].evidence == -1);
    BOOST_TEST(by_score.matches[0].worst.w == 0);
}

BOOST_AUTO_TEST_CASE(another_tint_is_refused_unless_gray_is_asked_for) {
    // The same button with red in place of gray, of the same lightness.
    const Image screen = screen_with_button(5, {190, 190, 255});
    Image other = test::button(34, 15, {255, 190, 190}, ink, 5);
    Finder finder;
    const PatternOutcome outcome = finder.find(screen, other);
    BOOST_TEST(outcome.matches.empty());
    Finder gray;
    gray.query.color = VDT_COLOR_GRAY;
    gray.query.strictness = 0.5;
    const PatternOutcome in_gray = gray.find(screen, other);
    BOOST_REQUIRE(in_gray.matches.size() == 1U);
    BOOST_TEST(at(in_gray.matches[0], 31, 22));
}

BOOST_AUTO_TEST_CASE(a_cursor_over_it_is_a_local_difference) {
    Image screen = screen_with_button();
    test::fill(screen, {52, 24, 5, 9}, {0, 0, 0});
    Finder finder;
    finder.query.threshold = 0.5;
    finder.query.floor = 0.4;
    const PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_DIFFERS_LOCALLY));
    BOOST_TEST(at(outcome.best, 31, 22));
    BOOST_TEST(outcome.best.worst.x >= 50);
    BOOST_TEST(outcome.best.worst.x + outcome.best.worst.w <= 59);
    BOOST_TEST(outcome.best.worst.w == 5);
}

BOOST_AUTO_TEST_CASE(strictness_moves_the_limit) {
    const Image screen = test::changed(screen_with_button(), 0.97, 0);
    Finder normal;
    BOOST_TEST(normal.find(screen, the_button()).matches.size() == 1U);
    Finder strict;
    strict.query.strictness = 4;
    const PatternOutcome refused = strict.find(test::changed(screen, 0.95, 0), the_button());
    BOOST_TEST(refused.matches.empty());
    Finder loose;
    loose.query.strictness = 0.25;
    const PatternOutcome loosely = loose.find(test::changed(screen, 0.7, 20), the_button());
    BOOST_TEST(loosely.matches.size() == 1U);
    BOOST_TEST(loosely.matches.at(0).residual_limit == 4 * normal.find(screen, the_button()).best.residual_limit,
               boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(the_best_below_the_threshold_is_reported_down_to_the_floor) {
    Image screen = screen_with_button(5);
    test::fill(screen, {50, 22, 15, 15}, face);  // half of the label is gone
    Finder finder;
    finder.query.threshold = 0.97;
    finder.query.floor = 0.2;
    const PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_TEST(outcome.matches.empty());
    BOOST_REQUIRE(outcome.has_best);
    BOOST_TEST(at(outcome.best, 31, 22));
    BOOST_TEST(outcome.best.score < 0.97);
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_BELOW_SCORE));
    BOOST_TEST(outcome.best.residual > 0);  // measured all the same
    const std::vector<double> want{0.97, 0.2};
    BOOST_TEST(finder.proposer.thresholds == want, boost::test_tools::per_element());
    BOOST_TEST(outcome.margin >= 0);

    Finder above;
    above.query.threshold = 0.97;
    above.query.floor = std::min(0.999, outcome.best.score + 0.01);
    const PatternOutcome nothing = above.find(screen, the_button());
    BOOST_TEST(!nothing.has_best);
    BOOST_TEST(nothing.reason == static_cast<unsigned>(VDT_REASON_NOTHING_ABOVE_FLOOR));

    Finder however_low;
    however_low.query.floor = -1;
    const PatternOutcome low = however_low.find(test::blank(60, 40, {1, 2, 3}), the_button());
    BOOST_TEST(low.has_best);
    BOOST_TEST(low.best.score == 0);
}

BOOST_AUTO_TEST_CASE(all_matches_come_best_first_with_copies_and_margin) {
    Image screen = test::blank(160, 80, {150, 130, 110});
    test::paste(screen, the_button(), 10, 40);
    test::paste(screen, the_button(), 60, 10);
    test::paste(screen, test::changed(the_button(), 0.98, 1), 110, 50);
    Finder finder;
    finder.query.all = true;
    PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_REQUIRE(outcome.matches.size() == 3U);
    BOOST_TEST(at(outcome.matches[0], 60, 10));  // equal scores: top first
    BOOST_TEST(at(outcome.matches[1], 10, 40));
    BOOST_TEST(at(outcome.matches[2], 110, 50));
    BOOST_TEST(outcome.matches[2].score < 1);
    BOOST_TEST(outcome.margin == 0);
    BOOST_TEST(!outcome.margin_is_bound);
    BOOST_TEST(outcome.copies >= 1U);
    // One only: the counts stay.
    finder.query.all = false;
    const PatternOutcome one = finder.find(screen, the_button());
    BOOST_REQUIRE(one.matches.size() == 1U);
    BOOST_TEST(at(one.matches[0], 60, 10));
    BOOST_TEST(one.copies == outcome.copies);
    BOOST_TEST(one.margin == 0);
    // The cap keeps the best.
    finder.query.all = true;
    finder.query.max_results = 2;
    outcome = finder.find(screen, the_button());
    BOOST_REQUIRE(outcome.matches.size() == 2U);
    BOOST_TEST(at(outcome.matches[1], 10, 40));
    // A region around one place leaves no copy.
    finder.query.region = {0, 30, 50, 50};
    outcome = finder.find(screen, the_button());
    BOOST_TEST(outcome.matches.size() == 1U);
    BOOST_TEST(outcome.copies == 0U);
}

BOOST_AUTO_TEST_CASE(excluded_areas_hide_matches) {
    Image screen = test::blank(160, 80, {150, 130, 110});
    test::paste(screen, the_button(), 10, 40);
    test::paste(screen, the_button(), 60, 10);
    Finder finder;
    finder.query.all = true;
    finder.query.exclude = {{93, 24, 10, 10}};  // meets the last pixel of the second
    const PatternOutcome outcome = finder.find(screen, the_button());
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(at(outcome.matches[0], 10, 40));
    finder.query.exclude = {{94, 24, 10, 10}};  // one pixel further
    BOOST_TEST(finder.find(screen, the_button()).matches.size() == 2U);
}

BOOST_AUTO_TEST_CASE(several_patterns_in_one_call_are_one_search) {
    Image screen = screen_with_button();
    test::paste(screen, test::button(20, 13, {90, 200, 90}, {0, 60, 0}, 40), 80, 50);
    const Image second = test::button(20, 13, {90, 200, 90}, {0, 60, 0}, 40);
    const Image absent = test::button(20, 13, {90, 90, 200}, {60, 0, 0}, 77);
    const Image flat = test::blank(8, 8, {150, 130, 110});
    const Image large = test::blank(121, 10, {1, 2, 3});
    Finder finder;
    const auto outcomes = finder.find(screen, {&the_button(), &second, &absent, &flat, &large});
    BOOST_REQUIRE(outcomes.size() == 5U);
    BOOST_TEST(at(outcomes[0].matches.at(0), 31, 22));
    BOOST_TEST(at(outcomes[1].matches.at(0), 80, 50));
    BOOST_TEST(outcomes[1].matches[0].pattern == 1U);
    BOOST_TEST(outcomes[2].matches.empty());
    BOOST_TEST(outcomes[3].matches.at(0).stage == static_cast<unsigned>(VDT_STAGE_FLAT));
    BOOST_TEST(outcomes[4].reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    BOOST_TEST(!outcomes[4].has_best);
    BOOST_TEST(finder.proposer.thresholds.size() <= 2U);  // the second for the absent one's best
}

BOOST_AUTO_TEST_CASE(too_little_structure_is_chance) {
    // A gradient of a few pixels correlates with any edge.
    Image screen = test::blank(80, 60, {120, 120, 120});
    Image pattern(VDT_FORMAT_BGR8, 6, 4);
    std::mt19937 random(4);
    for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t i = 0; i < 18; ++i) pattern.row(y)[i] = static_cast<std::uint8_t>(100 + 8 * (i / 3));
    Image similar = test::copy(pattern);
    for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t i = 0; i < 18; ++i)
            similar.row(y)[i] = static_cast<std::uint8_t>(similar.row(y)[i] + random() % 14);
    test::paste(screen, similar, 40, 30);
    Finder finder;
    const PatternOutcome outcome = finder.find(screen, pattern);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_TOO_LITTLE_STRUCTURE));
    BOOST_TEST(outcome.best.evidence < 6.4);
    // The very pixels need no evidence.
    test::paste(screen, pattern, 10, 10);
    BOOST_TEST(at(finder.find(screen, pattern).matches.at(0), 10, 10));
}

BOOST_AUTO_TEST_CASE(a_cancelled_find_stops) {
    std::atomic<bool> flag{true};
    host::CallLimit limit(&flag, 0);
    Finder finder;
    finder.workers = host::Workers(nullptr, &limit);
    BOOST_CHECK_EXCEPTION(finder.find(screen_with_button(), the_button()), host::Failure,
                          [](const host::Failure& failure) { return failure.code() == VDT_E_CANCELLED; });
}

BOOST_AUTO_TEST_CASE(threads_do_not_change_the_answer) {
    const Image screen = test::desktop(140, 90, 3);
    const Image pattern = test::crop(screen, {30, 42, 28, 10});
    Finder one;
    one.query.all = true;
    one.query.threshold = 0.3;
    Finder many = one;
    host::ThreadPool pool(4);
    many.workers = host::Workers(&pool);
    const PatternOutcome p = one.find(screen, pattern), q = many.find(screen, pattern);
    BOOST_REQUIRE(p.matches.size() == q.matches.size());
    for (std::size_t i = 0; i < p.matches.size(); ++i) {
        BOOST_TEST(at(p.matches[i], q.matches[i].x, q.matches[i].y));
        BOOST_TEST(p.matches[i].residual == q.matches[i].residual);
    }
    BOOST_TEST(p.margin == q.margin);
}

BOOST_AUTO_TEST_SUITE_END()
