// Patterns that are on the screen at another size only.
#include "find/fallback.h"

#include "exhaustive_scales.h"
#include "find/coarse_scales.h"
#include "find/resample.h"

#include "boost_test.h"

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace vedette;
using host::PatternOutcome;
using test::Image;

namespace {

// What a program draws at any size: a label of soft-edged glyphs, here at ten times the pattern's size.
Image drawing(std::uint32_t width, std::uint32_t height, unsigned seed) {
    Image large = test::blank(width, height, {228, 220, 215});
    const std::uint32_t stroke = height / 14;
    test::fill(large, {0, 0, width, stroke}, {150, 90, 40});
    test::fill(large, {0, height - stroke, width, stroke}, {150, 90, 40});
    std::mt19937 random(seed);
    for (std::uint32_t x = 2 * stroke; x + 4 * stroke < width; x += 5 * stroke)
        for (std::uint32_t v = 0; v < 7; ++v)
            for (std::uint32_t u = 0; u < 4; ++u)
                if ((random() & 3U) < 2)
                    test::fill(large, {x + u * stroke, (3 + v) * stroke, stroke, stroke},
                               {static_cast<int>(random() % 90), 40, static_cast<int>(random() % 120)});
    return large;
}

constexpr std::uint32_t kWidth = 24, kHeight = 16;

Image element(double factor, unsigned seed = 5) {
    return host::shrink(drawing(240, 160, seed), host::scaled_side(kWidth, factor), host::scaled_side(kHeight, factor),
                        host::Workers());
}

// A ground with other drawings on it.
Image ground(std::uint32_t width, std::uint32_t height) {
    Image screen = test::blank(width, height, {228, 220, 215});
    test::paste(screen, element(1, 77), 4, 3);
    test::paste(screen, element(1.3, 78), 40, 2);
    test::fill(screen, {0, height - 6, width, 6}, {90, 90, 90});
    return screen;
}

struct Fixture {
    host::FindQuery query;
    test::BruteProposer proposer;
    host::Workers workers;
    host::FeatureOperations features;  // none
    std::vector<std::size_t> asked;    // patterns of each request

    std::vector<PatternOutcome> find(const Image& screen, const std::vector<const Image*>& patterns) {
        host::Screen object(host::color_of(screen.view()));
        std::list<host::Pattern> objects;
        std::vector<host::Pattern*> pointers;
        for (const Image* pattern : patterns) {
            objects.emplace_back(pattern->view());
            pointers.push_back(&objects.back());
        }
        if (query.region.w == 0) query.region = {0, 0, screen.width(), screen.height()};
        return host::find_with_fallbacks(
            object, pointers, query,
            [&](const host::ProposalRequest& request) {
                asked.push_back(request.patterns.size());
                return proposer(request);
            },
            features, workers);
    }
    PatternOutcome find(const Image& screen, const Image& pattern) { return find(screen, {&pattern}).front(); }
};

bool near(const vdt_match& match, double x, double y, double w, double h) {
    return std::abs(match.x - x) <= 1 && std::abs(match.y - y) <= 1 && std::abs(match.w - w) <= 1.5 &&
           std::abs(match.h - h) <= 1.5;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fallback, Fixture)

BOOST_AUTO_TEST_CASE(the_sizes_tried_leave_no_gap) {
    const std::vector<double>& factors = host::automatic_factors();
    BOOST_TEST(factors.front() == 0.5);
    BOOST_TEST(factors.back() == 2.4);
    for (std::size_t i = 1; i < factors.size(); ++i) {
        BOOST_TEST(factors[i] > factors[i - 1]);
        BOOST_TEST(factors[i] / factors[i - 1] < 1.16);  // 1 lies between two of them
        BOOST_TEST(factors[i] != 1);
    }
    for (const double display :
         {1.0 / 2, 4.0 / 7, 2.0 / 3, 3.0 / 4, 0.8, 0.9, 1.1, 1.25, 4.0 / 3, 1.5, 1.75, 2.0, 2.25})
        BOOST_TEST((std::find(factors.begin(), factors.end(), display) != factors.end()));
}

BOOST_AUTO_TEST_CASE(a_coarse_pattern_is_never_an_enlarged_one) {
    for (const double factor : host::automatic_factors())
        for (const std::uint32_t side : {1U, 5U, 12U, 40U, 200U, 3000U}) {
            const double reduction = host::coarse_reduction(side, 2 * side, factor);
            BOOST_TEST(reduction >= factor);
            BOOST_TEST(reduction >= 1);
        }
    BOOST_TEST(host::coarse_reduction(200, 100, 1.1) > 4);
}

BOOST_DATA_TEST_CASE(the_same_is_found_as_by_an_exhaustive_search,
                     boost::unit_test::data::make({0.55, 0.62, 0.75, 1.2, 1.5, 1.83, 2.0}), factor) {
    Image screen = ground(108, 76);
    const Image placed = element(factor);
    test::paste(screen, placed, 41, 27);
    const Image pattern = element(1);
    const PatternOutcome outcome = find(screen, pattern);
    const PatternOutcome want = test::find_at_any_scale(screen, pattern, host::FindQuery());
    BOOST_REQUIRE(want.matches.size() == 1U);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    const vdt_match& match = outcome.matches[0];
    BOOST_TEST(near(match, 41, 27, placed.width(), placed.height()));
    BOOST_TEST(near(match, want.matches[0].x, want.matches[0].y, want.matches[0].w, want.matches[0].h));
    BOOST_TEST(match.score >= want.matches[0].score - 0.01);
    BOOST_TEST(std::abs(match.scale / factor - 1) < 0.04);
    BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_SCALE));
    BOOST_TEST(match.residual <= match.residual_limit);
    BOOST_TEST(match.evidence >= 9);
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_NONE));
    BOOST_TEST(match.quad[0] == match.x);
    BOOST_TEST(match.quad[5] == match.y + match.h);
}

BOOST_DATA_TEST_CASE(what_is_painted_over_is_not_found, boost::unit_test::data::make({0.5, 0.75, 1.5, 2.0}), factor) {
    Image screen = ground(108, 76);
    const Image placed = element(factor, 6);  // another label in the same frame
    test::paste(screen, placed, 41, 27);
    const Image pattern = element(1);
    BOOST_TEST(find(screen, pattern).matches.empty());
    BOOST_TEST(test::find_at_any_scale(screen, pattern, host::FindQuery()).matches.empty());
}

BOOST_AUTO_TEST_CASE(a_match_at_its_own_size_needs_no_other) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    const Image pattern = element(1);
    test::paste(screen, pattern, 80, 4);
    const PatternOutcome outcome = find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(outcome.matches[0].scale == 1);
    BOOST_TEST(asked.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_element_in_another_state_is_not_taken_from_elsewhere) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    const Image pattern = element(1);
    test::paste(screen, test::changed(pattern, 0.4, 130), 80, 4);  // faded
    const PatternOutcome outcome = find(screen, pattern);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST((outcome.reason == static_cast<unsigned>(VDT_REASON_DIFFERS_LOCALLY) ||
                outcome.reason == static_cast<unsigned>(VDT_REASON_DIFFERS_EVERYWHERE)));
    BOOST_TEST(asked.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_faded_element_at_another_size_is_refused) {
    Image screen = ground(108, 76);
    test::paste(screen, test::changed(element(1.5), 0.4, 130), 41, 27);
    BOOST_TEST(find(screen, element(1)).matches.empty());
}

BOOST_AUTO_TEST_CASE(flat_patterns_and_those_too_large_have_no_fallback) {
    const Image screen = ground(108, 76);
    BOOST_TEST(find(screen, test::blank(12, 9, {0, 200, 0})).matches.empty());
    BOOST_TEST(asked.empty());
    // At half its size it would be there.
    Image small = test::blank(30, 20, {228, 220, 215});
    test::paste(small, element(0.75), 5, 5);
    query.region = {};
    const PatternOutcome outcome = find(small, element(1.5));
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(outcome.reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(a_pattern_with_too_little_structure_is_not_looked_for) {
    // At half its size it is one edge, which is anywhere.
    Image screen = ground(108, 76);
    Image pattern = test::blank(4, 4, {228, 220, 215});
    test::fill(pattern, {0, 0, 2, 4}, {90, 90, 90});
    test::fill(pattern, {0, 0, 1, 4}, {10, 200, 10});
    const PatternOutcome outcome = find(screen, pattern);
    BOOST_TEST(outcome.matches.empty());
    BOOST_TEST(asked.size() <= 2U);  // its own size, and the best below the threshold
}

BOOST_AUTO_TEST_CASE(regions_and_excluded_areas_hold_at_other_sizes) {
    Image screen = ground(108, 76);
    const Image placed = element(1.5);
    test::paste(screen, placed, 41, 27);
    const Image pattern = element(1);
    query.region = {40, 26, placed.width() + 3, placed.height() + 3};
    BOOST_TEST(find(screen, pattern).matches.size() == 1U);
    query.region = {44, 26, 60, 40};
    BOOST_TEST(find(screen, pattern).matches.empty());
    query.region = {0, 0, 108, 76};
    query.exclude = {{60, 40, 2, 2}};
    BOOST_TEST(find(screen, pattern).matches.empty());
    query.exclude = {{0, 0, 30, 20}};
    BOOST_TEST(find(screen, pattern).matches.size() == 1U);
}

BOOST_AUTO_TEST_CASE(only_what_was_missed_is_tried_again) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    const Image present = element(1, 77);
    const Image elsewhere = element(1);
    const Image absent = element(1, 9);
    query.all = true;
    const std::vector<PatternOutcome> outcomes = find(screen, {&present, &elsewhere, &absent});
    BOOST_REQUIRE(outcomes[0].matches.size() == 1U);
    BOOST_TEST(outcomes[0].matches[0].scale == 1);
    BOOST_REQUIRE(outcomes[1].matches.size() == 1U);
    BOOST_TEST(outcomes[1].matches[0].pattern == 1U);
    BOOST_TEST(outcomes[1].best.pattern == 1U);
    BOOST_TEST(near(outcomes[1].matches[0], 41, 27, 36, 24));
    BOOST_TEST(outcomes[2].matches.empty());
    // Both missed patterns share each search of a coarse copy.
    std::size_t shared = 0;
    for (std::size_t i = 2; i < asked.size(); ++i) shared = std::max(shared, asked[i]);
    BOOST_TEST(shared >= 2U);
    BOOST_TEST(asked.size() < 14U);
}

// The best below the threshold is worth a search only where nothing else was found, and is then the same as ever.
BOOST_AUTO_TEST_CASE(the_floor_is_looked_at_last) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    const Image elsewhere = element(1);
    const Image absent = element(1, 9);
    query.floor = 0.35;
    const auto floor_searches = [this] {
        return std::count(proposer.thresholds.begin(), proposer.thresholds.end(), query.floor);
    };
    BOOST_TEST(find(screen, elsewhere).matches.size() == 1U);
    BOOST_TEST(floor_searches() == 0);
    const std::vector<PatternOutcome> outcomes = find(screen, {&elsewhere, &absent});
    BOOST_TEST(floor_searches() == 1);
    BOOST_TEST(proposer.thresholds.back() == query.floor);
    BOOST_TEST(outcomes[0].matches.size() == 1U);
    BOOST_TEST(outcomes[1].matches.empty());
    query.fallbacks = 0;
    const PatternOutcome want = find(screen, absent);
    BOOST_REQUIRE(want.has_best);
    BOOST_REQUIRE(outcomes[1].has_best);
    BOOST_TEST(outcomes[1].best.pattern == 1U);
    BOOST_TEST(outcomes[1].best.x == want.best.x);
    BOOST_TEST(outcomes[1].best.y == want.best.y);
    BOOST_TEST(outcomes[1].best.score == want.best.score);
    BOOST_TEST(outcomes[1].reason == want.reason);
    BOOST_TEST(outcomes[1].margin == want.margin);
    BOOST_TEST(outcomes[1].margin_is_bound == want.margin_is_bound);
}

// Below a high threshold there may be the pattern in another state, for which no other size is tried.
BOOST_AUTO_TEST_CASE(other_states_below_the_threshold_are_seen_first) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    query.threshold = 0.9;
    query.floor = 0.5;
    find(screen, element(1, 9));
    BOOST_REQUIRE(proposer.thresholds.size() > 1U);
    BOOST_TEST(proposer.thresholds[0] == query.threshold);
    BOOST_TEST(proposer.thresholds[1] == query.floor);
}

BOOST_AUTO_TEST_CASE(all_places_of_the_size_are_found) {
    Image screen = ground(140, 76);
    test::paste(screen, element(1.5), 41, 27);
    test::paste(screen, element(1.5), 90, 40);
    query.all = true;
    const PatternOutcome outcome = find(screen, element(1));
    BOOST_REQUIRE(outcome.matches.size() == 2U);
    BOOST_TEST(outcome.matches[0].scale == outcome.matches[1].scale);
}

BOOST_AUTO_TEST_CASE(masks_hold_at_other_sizes) {
    Image screen = ground(108, 76);
    const Image placed = element(1.5);
    test::paste(screen, placed, 41, 27);
    Image pattern = test::with_alpha(element(1), 255);
    for (std::uint32_t y = 0; y < kHeight; ++y)  // a corner that is not part of the element
        for (std::uint32_t x = 0; x < 6; ++x) {
            pattern.row(y)[4 * x] = 255;
            pattern.row(y)[4 * x + 3] = 0;
        }
    const PatternOutcome outcome = find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(near(outcome.matches[0], 41, 27, placed.width(), placed.height()));
}

BOOST_AUTO_TEST_CASE(contrast_of_colour_alone_is_enough) {
    // Blocks of two colours of the same lightness.
    Image large = test::blank(240, 160, {60, 150, 60});
    std::mt19937 random(3);
    for (std::uint32_t y = 0; y < 160; y += 20)
        for (std::uint32_t x = 0; x < 240; x += 20)
            if ((random() & 1U) != 0) test::fill(large, {x, y, 20, 20}, {170, 96, 144});
    const Image pattern = host::shrink(large, 24, 16, host::Workers());
    host::Pattern object(pattern.view());
    BOOST_TEST((host::coarse_mode(object, workers) == host::ColorMode::Color));
    Image screen = ground(108, 76);
    test::paste(screen, host::shrink(large, 36, 24, host::Workers()), 41, 27);
    const PatternOutcome outcome = find(screen, pattern);
    BOOST_REQUIRE(outcome.matches.size() == 1U);
    BOOST_TEST(near(outcome.matches[0], 41, 27, 36, 24));
}

BOOST_AUTO_TEST_CASE(it_can_be_switched_off) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    query.fallbacks = 0;
    BOOST_TEST(find(screen, element(1)).matches.empty());
    BOOST_TEST(asked.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_find_is_cancelled_inside_the_fallback) {
    Image screen = ground(108, 76);
    test::paste(screen, element(1.5), 41, 27);
    const Image pattern = element(1);
    host::Screen screen_object(host::color_of(screen.view()));
    host::Pattern pattern_object(pattern.view());
    query.region = {0, 0, screen.width(), screen.height()};
    // After each number of requests in turn: the fallback must notice wherever it is.
    for (int after = 3; after < 8; ++after) {
        std::atomic<bool> stop{false};
        host::CallLimit limit(&stop, 0);
        int requests = 0;
        const auto run = [&] {
            host::find_with_fallbacks(
                screen_object, {&pattern_object}, query,
                [&](const host::ProposalRequest& request) {
                    if (++requests == after) stop = true;
                    return proposer(request);
                },
                features, host::Workers(nullptr, &limit));
        };
        BOOST_CHECK_EXCEPTION(run(), host::Failure,
                              [](const host::Failure& failure) { return failure.code() == VDT_E_CANCELLED; });
        BOOST_TEST(requests == after);
    }
}

BOOST_AUTO_TEST_SUITE_END()
