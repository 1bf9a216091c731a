// The guards of what local features find, and the look through a homography.
#include "find/feature_fallback.h"

#include "find/fallback.h"
#include "find/feature_place.h"
#include "find/resample.h"
#include "find/warp.h"
#include "picture.h"

#include "boost_test.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace vedette;
using host::Homography;
using host::Point;
using test::Image;

namespace {

constexpr std::uint32_t kWidth = 80, kHeight = 60;

Homography similarity(double factor, double degrees, double x, double y) {
    const double c = factor * std::cos(degrees * std::numbers::pi / 180);
    const double s = factor * std::sin(degrees * std::numbers::pi / 180);
    return {c, -s, x, s, c, y, 0, 0, 1};
}

// Smooth patches with some detail, so that a warp by fractions of pixels changes little.
Image picture(std::uint32_t width, std::uint32_t height, unsigned seed) {
    return host::shrink(test::noise(width / 3, height / 3, seed), width / 6, height / 6, host::Workers());
}

Image enlarged(const Image& image, std::uint32_t width, std::uint32_t height) {
    Image out(image.format(), width, height);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            std::memcpy(out.row(y) + std::size_t{3} * x,
                        image.row(y * image.height() / height) + std::size_t{3} * (x * image.width() / width), 3);
    return out;
}

// `pattern` drawn on `ground` through the homography.
Image drawn(Image ground, const Image& pattern, const Homography& to_screen) {
    for (std::uint32_t y = 0; y < ground.height(); ++y) {
        for (std::uint32_t x = 0; x < ground.width(); ++x) {
            // The inverse by Newton's method, which converges at once for what is nearly affine.
            Point at{pattern.width() / 2.0, pattern.height() / 2.0};
            for (int i = 0; i < 20; ++i) {
                Point here, right, down;
                host::transform(to_screen, at, here);
                host::transform(to_screen, {at.x + 1e-3, at.y}, right);
                host::transform(to_screen, {at.x, at.y + 1e-3}, down);
                const double a = (right.x - here.x) / 1e-3, b = (down.x - here.x) / 1e-3;
                const double c = (right.y - here.y) / 1e-3, d = (down.y - here.y) / 1e-3;
                const double u = x + 0.5 - here.x, v = y + 0.5 - here.y;
                const double det = a * d - b * c;
                at.x += (d * u - b * v) / det;
                at.y += (a * v - c * u) / det;
            }
            if (!(at.x >= 0 && at.y >= 0 && at.x < pattern.width() && at.y < pattern.height())) continue;
            std::memcpy(ground.row(y) + std::size_t{3} * x,
                        pattern.row(static_cast<std::uint32_t>(at.y)) + std::size_t{3} * static_cast<std::size_t>(at.x),
                        3);
        }
    }
    return ground;
}

// Keypoints of a pattern on a grid and where a homography takes them, `wrong` further ones elsewhere.
struct Synthetic {
    host::FeatureSet pattern, screen;
    host::FeaturePairs pairs;

    Synthetic(const Homography& homography, std::uint32_t right, std::uint32_t wrong) {
        pairs.homography = homography;
        for (std::uint32_t i = 0; i < right + wrong; ++i) {
            vdt_keypoint from{};
            from.x = static_cast<float>(5 + 12 * (i % 6));
            from.y = static_cast<float>(5 + 9 * (i / 6 % 6));
            Point to;
            host::transform(homography, {static_cast<double>(from.x), static_cast<double>(from.y)}, to);
            vdt_keypoint there = from;
            there.x = static_cast<float>(to.x);
            there.y = static_cast<float>(to.y);
            pattern.keypoints.push_back(from);
            screen.keypoints.push_back(there);
            pairs.pairs.push_back({i, i, 1.0F, i < right ? 1U : 0U});
        }
    }

    host::FeatureVerdict verdict(const host::Window& region = {0, 0, 400, 300}) const {
        return host::judge_features(pattern, screen, pairs, kWidth, kHeight, region);
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(features)

// Corners and keypoints of one map, told in coordinates with different beginnings.
BOOST_AUTO_TEST_CASE(a_shifted_map_is_the_same_map) {
    const Homography map{3, 0.2, 50, -0.1, 2.5, 20, 0.001, -0.002, 1.5};
    const Homography shifted = host::shifted(map, 0.25);
    for (const Point from : {Point{0, 0}, Point{80, 60}, Point{-7, 31}}) {
        Point to, shifted_to;
        BOOST_TEST_REQUIRE(host::transform(map, from, to));
        BOOST_TEST_REQUIRE(host::transform(shifted, {from.x + 0.25, from.y + 0.25}, shifted_to));
        BOOST_CHECK_SMALL(shifted_to.x - 0.25 - to.x, 1e-9);
        BOOST_CHECK_SMALL(shifted_to.y - 0.25 - to.y, 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(a_quad_is_measured) {
    host::Quad quad;
    BOOST_REQUIRE(host::transform_rectangle(similarity(2, 0, 10, 20), 30, 20, quad));
    BOOST_TEST(quad.corner[2].x == 70);
    BOOST_TEST(quad.corner[2].y == 60);
    BOOST_TEST(host::area(quad) == 2400);
    BOOST_TEST(host::convex_and_not_mirrored(quad));
    BOOST_TEST(host::share_inside(quad, 0, 0, 100, 100) == 1);
    BOOST_TEST(std::abs(host::share_inside(quad, 0, 0, 40, 100) - 0.5) < 1e-12);
    BOOST_TEST(host::share_inside(quad, 80, 0, 40, 100) == 0);
    BOOST_TEST(host::distance_from_upright(quad, 30, 20) < 1e-9);
    BOOST_REQUIRE(host::transform_rectangle(similarity(1, 90, 50, 20), 30, 20, quad));
    BOOST_TEST(host::convex_and_not_mirrored(quad));
    BOOST_TEST(std::abs(host::area(quad) - 600) < 1e-9);
    BOOST_TEST(host::distance_from_upright(quad, 30, 20) > 20);
    // Mirrored; folded; beyond infinity; no numbers.
    BOOST_REQUIRE(host::transform_rectangle({-1, 0, 50, 0, 1, 0, 0, 0, 1}, 30, 20, quad));
    BOOST_TEST(!host::convex_and_not_mirrored(quad));
    BOOST_TEST(!host::transform_rectangle({1, 0, 0, 0, 1, 0, -0.05, 0, 1}, 30, 20, quad));
    BOOST_TEST(!host::transform_rectangle({}, 30, 20, quad));
    Homography wrong = similarity(1, 0, 0, 0);
    wrong[4] = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(!host::transform_rectangle(wrong, 30, 20, quad));
}

BOOST_AUTO_TEST_CASE(a_rotated_pattern_passes_the_guards) {
    const host::FeatureVerdict verdict = Synthetic(similarity(1.5, 30, 120, 60), 20, 10).verdict();
    BOOST_TEST(verdict.accepted);
    BOOST_TEST(!verdict.upright);
    BOOST_TEST(std::abs(verdict.factor - 1.5) < 1e-9);
    BOOST_TEST(verdict.quad.corner[0].x == 120);
    // Places count from the region's corner.
    const host::FeatureVerdict moved = Synthetic(similarity(1.5, 30, 120, 60), 20, 10).verdict({7, 9, 380, 280});
    BOOST_TEST(moved.accepted);
    BOOST_TEST(moved.quad.corner[0].x == 127);
    BOOST_TEST(moved.quad.corner[0].y == 69);
}

BOOST_AUTO_TEST_CASE(too_few_pairs_are_refused) {
    const Homography turned = similarity(1.5, 30, 120, 60);
    BOOST_TEST(Synthetic(turned, 12, 0).verdict().accepted);
    BOOST_TEST(!Synthetic(turned, 11, 0).verdict().accepted);
    // A quarter of all pairs.
    BOOST_TEST(Synthetic(turned, 15, 45).verdict().accepted);
    BOOST_TEST(!Synthetic(turned, 15, 46).verdict().accepted);
    // Many keypoints on one corner, here or there, are one.
    Synthetic here(turned, 20, 0);
    for (std::size_t i = 8; i < 20; ++i) here.pattern.keypoints[i] = here.pattern.keypoints[7];
    BOOST_TEST(!here.verdict().accepted);
    Synthetic there(turned, 20, 0);
    for (std::size_t i = 8; i < 20; ++i) there.screen.keypoints[i] = there.screen.keypoints[7];
    BOOST_TEST(!there.verdict().accepted);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_an_element_is_refused) {
    const Homography turned = similarity(1.5, 30, 120, 60);
    const auto accepted = [](const Homography& homography, const host::Window& region = {0, 0, 400, 300}) {
        return Synthetic(homography, 20, 0).verdict(region).accepted;
    };
    BOOST_TEST(accepted(turned));
    BOOST_TEST(!accepted({}));
    BOOST_TEST(!accepted({-1, 0.3, 200, 0.3, 1, 50, 0, 0, 1}));  // mirrored
    BOOST_TEST(!accepted({1, 0, 100, 0, 1, 100, -0.02, 0, 1}));  // beyond infinity
    BOOST_TEST(accepted(similarity(0.4, 30, 120, 60)));
    BOOST_TEST(!accepted(similarity(0.3, 30, 120, 60)));  // a tenth of the area
    BOOST_TEST(accepted(similarity(3.1, 30, 260, 20), {0, 0, 600, 500}));
    BOOST_TEST(!accepted(similarity(3.2, 30, 260, 20), {0, 0, 600, 500}));
    BOOST_TEST(!accepted(similarity(1.5, 30, 350, 60)));  // too much of it outside
}

BOOST_AUTO_TEST_CASE(an_upright_one_is_left_to_the_judgement_of_sizes) {
    BOOST_TEST(Synthetic(similarity(1, 0, 50, 40), 20, 0).verdict().upright);
    BOOST_TEST(Synthetic(similarity(1.6, 0, 50, 40), 20, 0).verdict().upright);
    BOOST_TEST(Synthetic(similarity(1.6, 2, 50, 40), 20, 0).verdict().upright);
    BOOST_TEST(!Synthetic(similarity(1.6, 5, 50, 40), 20, 0).verdict().upright);
    BOOST_TEST(!Synthetic({1.2, 0, 50, 0, 1, 40, 0, 0, 1}, 20, 0).verdict().upright);  // stretched
}

BOOST_AUTO_TEST_CASE(the_look_through_a_homography) {
    const Image pattern = enlarged(picture(kWidth, kHeight, 3), kWidth, kHeight);
    const Image other = enlarged(picture(kWidth, kHeight, 4), kWidth, kHeight);
    const Image ground = test::blank(300, 220, {180, 180, 180});
    const host::Workers workers;
    const auto look = [&](const Image& screen, const Homography& homography, const Image& mask = Image()) {
        return host::warped_correlation(test::view_of(screen), test::view_of(pattern),
                                        mask.empty() ? test::PixelView() : test::view_of(mask), homography, workers);
    };
    for (const Homography& homography :
         {similarity(1, 0, 60, 50), similarity(1.4, 25, 120, 40), similarity(0.8, -70, 60, 150),
          Homography{1.2, 0.2, 60, -0.1, 1.1, 60, 0.001, 0.0005, 1}}) {
        BOOST_TEST(look(drawn(test::copy(ground), pattern, homography), homography) > 0.97);
        BOOST_TEST(look(drawn(test::copy(ground), other, homography), homography) < 0.5);
        BOOST_TEST(look(ground, homography) == 0);
    }
    const Homography turned = similarity(1.4, 25, 120, 40);
    const Image screen = drawn(test::copy(ground), pattern, turned);
    BOOST_TEST(look(screen, similarity(1.4, 25, 132, 40)) < 0.8);
    BOOST_TEST(look(screen, similarity(1.4, 205, 120, 40)) < 0.5);
    // Off the screen there is nothing to see; half of it must be there.
    BOOST_TEST(look(screen, similarity(1.4, 25, 1200, 40)) == 0);
    // What the mask ignores may be anything.
    Image mask(VDT_FORMAT_GRAY8, kWidth, kHeight);
    for (std::uint32_t y = 0; y < kHeight; ++y)
        for (std::uint32_t x = 0; x < kWidth; ++x) mask.row(y)[x] = x < kWidth / 2 ? 255 : 0;
    Image half = test::copy(pattern);
    for (std::uint32_t y = 0; y < kHeight; ++y)
        std::memcpy(half.row(y) + 3 * kWidth / 2, other.row(y) + 3 * kWidth / 2, 3 * kWidth / 2);
    const Image half_screen = drawn(test::copy(ground), half, turned);
    BOOST_TEST(look(half_screen, turned) < 0.8);
    BOOST_TEST(look(half_screen, turned, mask) > 0.97);
}

BOOST_AUTO_TEST_CASE(large_pictures_are_shrunk_before_features_are_looked_for) {
    BOOST_TEST(host::feature_reduction(200, 300, {0, 0, 800, 600}) == 1);
    BOOST_TEST(host::feature_reduction(200, 300, {0, 0, 1920, 1080}) == 1.75);
    BOOST_TEST(host::feature_reduction(60, 64, {0, 0, 1920, 1080}) == 1.5);
    BOOST_TEST(host::feature_reduction(49, 64, {0, 0, 1920, 1080}) == 1);
    BOOST_TEST(host::feature_reduction(200, 300, {0, 0, 3840, 2160}) == 3);
    BOOST_TEST(host::feature_reduction(80, 300, {0, 0, 3840, 2160}) == 2);
}

BOOST_AUTO_TEST_CASE(small_patterns_need_more_features) {
    BOOST_TEST(host::least_feature_places(200, 64) >= host::kLeastInliers);
    BOOST_TEST(host::least_feature_places(200, 63) > host::least_feature_places(64, 64));
}

// The whole step, with features that are given.
struct Step {
    Image pattern = enlarged(picture(kWidth, kHeight, 3), kWidth, kHeight);
    host::FindQuery query;
    host::Workers workers;
    int extracted = 0;

    host::FeatureOperations operations(const Synthetic& synthetic) {
        host::FeatureOperations result;
        result.extract = [this, &synthetic](host::SharedImage& image, host::SharedImage*, double, double,
                                            std::uint32_t) {
            ++extracted;
            const host::FeatureSet& from = image.image().width() == kWidth ? synthetic.pattern : synthetic.screen;
            auto set = std::make_shared<host::FeatureSet>();
            set->keypoints = from.keypoints;
            return set;
        };
        result.match = [&synthetic](const host::FeatureSet&, const host::FeatureSet&, double) {
            return std::optional(synthetic.pairs);
        };
        return result;
    }

    host::FeatureFinding find(const Image& screen, const Synthetic& synthetic) {
        host::Screen screen_object(test::copy(screen));
        host::Pattern pattern_object(pattern.view());
        if (query.region.w == 0) query.region = {0, 0, screen.width(), screen.height()};
        host::FeatureFinding finding =
            host::find_by_features(screen_object, pattern_object, query, operations(synthetic), workers);
        // Both sets are kept.
        const int once = extracted;
        host::find_by_features(screen_object, pattern_object, query, operations(synthetic), workers);
        BOOST_TEST(extracted == once);
        return finding;
    }
};

BOOST_FIXTURE_TEST_CASE(a_rotated_element_is_found_with_its_quad, Step) {
    const Homography turned = similarity(1.4, 25, 120, 40);
    const Image screen = drawn(test::blank(300, 220, {180, 180, 180}), pattern, turned);
    const host::FeatureFinding finding = find(screen, Synthetic(turned, 20, 10));
    BOOST_REQUIRE(finding.match.has_value());
    BOOST_TEST(!finding.hint.has_value());
    const vdt_match& match = *finding.match;
    BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_FEATURES));
    BOOST_TEST(match.score > 0.95);
    BOOST_TEST(std::abs(match.scale - 1.4) < 1e-9);
    BOOST_TEST(match.residual == -1);
    BOOST_TEST(match.evidence == -1);
    BOOST_TEST(std::abs(match.quad[0] - 120) < 1e-9);
    BOOST_TEST(std::abs(match.quad[1] - 40) < 1e-9);
    for (int i = 0; i < 8; i += 2) {
        BOOST_TEST(match.quad[i] >= match.x - 1e-9);
        BOOST_TEST(match.quad[i] <= match.x + match.w + 1e-9);
        BOOST_TEST(match.quad[i + 1] >= match.y - 1e-9);
        BOOST_TEST(match.quad[i + 1] <= match.y + match.h + 1e-9);
    }
    query.exclude = {{150, 100, 4, 4}};
    BOOST_TEST(!find(screen, Synthetic(turned, 20, 10)).match.has_value());
    query.exclude = {{10, 10, 4, 4}};
    BOOST_TEST(find(screen, Synthetic(turned, 20, 10)).match.has_value());
}

BOOST_FIXTURE_TEST_CASE(pairs_that_fit_do_not_make_an_element_of_another_picture, Step) {
    const Homography turned = similarity(1.4, 25, 120, 40);
    const Image other = enlarged(picture(kWidth, kHeight, 4), kWidth, kHeight);
    const Image screen = drawn(test::blank(300, 220, {180, 180, 180}), other, turned);
    BOOST_TEST(!find(screen, Synthetic(turned, 20, 10)).match.has_value());
}

BOOST_FIXTURE_TEST_CASE(an_element_much_larger_than_the_pattern, Step) {
    const Homography turned = similarity(2.5, 40, 190, 20);
    const Image screen = drawn(test::blank(400, 340, {180, 180, 180}), pattern, turned);
    query.region = {3, 5, 395, 333};
    const Homography in_region = similarity(2.5, 40, 187, 15);
    const host::FeatureFinding finding = find(screen, Synthetic(in_region, 20, 10));
    BOOST_REQUIRE(finding.match.has_value());
    BOOST_TEST(finding.match->score > 0.95);
    BOOST_TEST(std::abs(finding.match->quad[0] - 190) < 1e-9);
}

BOOST_FIXTURE_TEST_CASE(an_upright_place_becomes_a_hint, Step) {
    const Homography larger = similarity(1.6, 0, 50, 40);
    const Image screen = drawn(test::blank(300, 220, {180, 180, 180}), pattern, larger);
    const host::FeatureFinding finding = find(screen, Synthetic(larger, 20, 10));
    BOOST_TEST(!finding.match.has_value());
    BOOST_REQUIRE(finding.hint.has_value());
    BOOST_TEST(std::abs(finding.hint->factor - 1.6) < 1e-9);
    BOOST_TEST(std::abs(finding.hint->x - 50) < 1e-9);
    // Its own size was judged already.
    const host::FeatureFinding same = find(screen, Synthetic(similarity(1.01, 1, 50, 40), 20, 10));
    BOOST_TEST(!same.match.has_value());
    BOOST_TEST(!same.hint.has_value());
}

// The screen is the dear part: nothing is looked for on it when no pairs could be enough.
BOOST_FIXTURE_TEST_CASE(a_pattern_with_features_at_few_places_costs_no_look_at_the_screen, Step) {
    const Homography turned = similarity(1.4, 25, 120, 40);
    const Image screen = drawn(test::blank(300, 220, {180, 180, 180}), pattern, turned);
    const std::size_t least = host::least_feature_places(kWidth, kHeight);
    Synthetic few(turned, 30, 0);
    for (std::size_t i = least - 1; i < 30; ++i) few.pattern.keypoints[i] = few.pattern.keypoints[0];
    BOOST_TEST(!find(screen, few).match.has_value());
    BOOST_TEST(extracted == 1);
    BOOST_TEST(find(screen, Synthetic(turned, static_cast<std::uint32_t>(least), 0)).match.has_value());
    BOOST_TEST(extracted == 3);
}

BOOST_FIXTURE_TEST_CASE(without_the_operations_the_step_is_left_out, Step) {
    host::Screen screen(test::blank(300, 220, {180, 180, 180}));
    host::Pattern object(pattern.view());
    query.region = {0, 0, 300, 220};
    host::FeatureOperations none;
    none.extract = [](host::SharedImage&, host::SharedImage*, double, double, std::uint32_t) {
        return std::shared_ptr<const host::FeatureSet>();
    };
    none.match = [](const host::FeatureSet&, const host::FeatureSet&, double) {
        return std::optional<host::FeaturePairs>();
    };
    const host::FeatureFinding finding = host::find_by_features(screen, object, query, none, workers);
    BOOST_TEST(!finding.match.has_value());
    BOOST_TEST(!finding.hint.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
