#include "find/flat_search.h"

#include "find/lab.h"
#include "find/suppress.h"
#include "picture.h"

#include "boost_test.h"

#include <chrono>
#include <cmath>
#include <tuple>

using namespace vedette;
using host::Appearance;
using host::FlatFinding;
using host::FlatHit;
using host::FlatJudgement;
using host::FlatQuery;
using host::Workers;
using test::Image;
using test::view_of;

namespace {

FlatJudgement take(const FlatHit&) {
    return {};
}

double direct_distance(const Appearance& pattern, const test::PixelView& mask, const Image& screen, std::uint32_t x,
                       std::uint32_t y) {
    double sum = 0, n = 0;
    for (std::uint32_t v = 0; v < pattern.height(); ++v)
        for (std::uint32_t u = 0; u < pattern.width(); ++u) {
            if (!mask.empty() && mask.row(v)[u] == 0) continue;
            const std::uint8_t* pixel = screen.row(y + v) + std::size_t{3} * (x + u);
            const host::Lab lab = host::lab_of_bgr(pixel[0], pixel[1], pixel[2]);
            const double l = static_cast<double>(lab.l) - pattern.mean()[0];
            const double a = static_cast<double>(lab.a) - pattern.mean()[1];
            const double b = static_cast<double>(lab.b) - pattern.mean()[2];
            sum += std::sqrt(l * l + a * a + b * b);
            ++n;
        }
    return sum / n;
}

// All positions within the limit by brute force, suppressed in the same order.
std::vector<FlatHit> direct_search(const FlatQuery& query, const Image& screen) {
    const std::uint32_t w = query.pattern->width(), h = query.pattern->height();
    std::vector<FlatHit> hits;
    for (std::uint32_t y = query.region.y; y + h <= query.region.y + query.region.h; ++y)
        for (std::uint32_t x = query.region.x; x + w <= query.region.x + query.region.w; ++x) {
            bool excluded = false;
            if (query.exclude != nullptr)
                for (const vdt_rect& area : *query.exclude)
                    excluded = excluded || host::intersection_over_union(
                                               {double(x), double(y), double(w), double(h)},
                                               {double(area.x), double(area.y), double(area.w), double(area.h)}) > 0;
            const double distance = direct_distance(*query.pattern, query.mask, screen, x, y);
            if (!excluded && distance <= query.limit) hits.push_back({x, y, distance});
        }
    std::sort(hits.begin(), hits.end(), [](const FlatHit& p, const FlatHit& q) {
        return std::make_tuple(p.distance, p.y, p.x) < std::make_tuple(q.distance, q.y, q.x);
    });
    std::vector<host::Box> boxes;
    for (const FlatHit& hit : hits) boxes.push_back({double(hit.x), double(hit.y), double(w), double(h)});
    std::vector<FlatHit> kept;
    for (const std::size_t i : host::suppress(boxes, query.overlap)) kept.push_back(hits[i]);
    return kept;
}

FlatQuery query_for(const Appearance& pattern, const Image& screen) {
    FlatQuery query;
    query.screen = view_of(screen);
    query.pattern = &pattern;
    query.region = {0, 0, screen.width(), screen.height()};
    query.limit = 5.5;
    return query;
}

// Every pixel another colour near the pattern's, so that no two positions have the same distance.
Image speckled(std::uint32_t width, std::uint32_t height) {
    Image image = test::noise(width, height, 21);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t i = 0; i < 3 * width; ++i)
            image.row(y)[i] = static_cast<std::uint8_t>(100 + image.row(y)[i] % 14 + (i / 60 + y / 20) % 3 * 4);
    return image;
}

Image disc(std::uint32_t side) {
    Image mask(VDT_FORMAT_GRAY8, side, side);
    const double centre = (side - 1) / 2.0;
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x)
            mask.row(y)[x] = std::hypot(x - centre, y - centre) <= centre ? 255 : 0;
    return mask;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(flat)

BOOST_DATA_TEST_CASE(agrees_with_brute_force,
                     boost::unit_test::data::make({false, true}) * boost::unit_test::data::make({0.0, 0.2, 0.5, 1.0}),
                     masked, overlap) {
    const Image screen = speckled(90, 70);
    const Image pattern = test::blank(9, 9, {108, 109, 107});
    const Image mask = masked ? disc(9) : Image();
    const Appearance appearance(view_of(pattern), view_of(mask));
    const std::vector<vdt_rect> exclude{{30, 20, 5, 40}, {-5, -5, 8, 8}, {200, 200, 5, 5}};
    FlatQuery query = query_for(appearance, screen);
    query.mask = view_of(mask);
    query.region = {5, 3, 80, 60};
    query.exclude = &exclude;
    query.overlap = overlap;
    query.most = 100000;
    host::ThreadPool pool(3);
    const FlatFinding found = host::flat_search(query, take, Workers(&pool));
    const std::vector<FlatHit> want = direct_search(query, screen);
    BOOST_REQUIRE(!want.empty());
    BOOST_TEST(found.nearest.distance == want[0].distance, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(found.nearest.x == want[0].x);
    // The search compares rounded distances: where two are nearly equal it may choose the other, and then other
    // neighbours.
    std::size_t same = 0;
    for (const FlatHit& hit : found.hits) {
        BOOST_TEST(hit.distance == direct_distance(appearance, view_of(mask), screen, hit.x, hit.y),
                   boost::test_tools::tolerance(1e-9));
        BOOST_TEST(hit.distance <= query.limit + 0.005);
        same += std::any_of(want.begin(), want.end(), [&](const FlatHit& w) { return w.x == hit.x && w.y == hit.y; })
                    ? 1U
                    : 0U;
    }
    BOOST_TEST(static_cast<double>(same) >= 0.9 * static_cast<double>(want.size()));
    BOOST_TEST(static_cast<double>(found.hits.size()) == static_cast<double>(want.size()),
               boost::test_tools::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(an_area_of_the_colour_is_covered_in_reading_order) {
    Image screen = test::blank(200, 120, {255, 255, 255});
    test::fill(screen, {40, 30, 60, 50}, {200, 80, 30});
    const Image pattern = test::blank(20, 20, {200, 80, 30});
    const Appearance appearance(view_of(pattern), {});
    const FlatFinding found = host::flat_search(query_for(appearance, screen), take, Workers());
    BOOST_REQUIRE(!found.hits.empty());
    BOOST_TEST(found.hits[0].x == 40U);
    BOOST_TEST(found.hits[0].y == 30U);
    BOOST_TEST(found.hits[0].distance == 0);
    // 20 wide at a third of overlap: steps of 7.
    BOOST_TEST(found.hits[1].x == 47U);
    BOOST_TEST(found.hits[1].y == 30U);
    for (const FlatHit& p : found.hits)
        for (const FlatHit& q : found.hits)
            if (&p != &q)
                BOOST_TEST(host::intersection_over_union({double(p.x), double(p.y), 20, 20},
                                                         {double(q.x), double(q.y), 20, 20}) <= 0.5);
}

BOOST_AUTO_TEST_CASE(another_colour_is_not_found_but_the_nearest_place_is_known) {
    Image screen = test::blank(100, 100, {0, 0, 255});
    test::fill(screen, {60, 70, 30, 20}, {60, 0, 200});
    const Image pattern = test::blank(10, 10, {255, 0, 0});
    const Appearance appearance(view_of(pattern), {});
    const FlatFinding found = host::flat_search(query_for(appearance, screen), take, Workers());
    BOOST_TEST(found.any);
    BOOST_TEST(found.hits.empty());
    BOOST_TEST(found.nearest.x == 60U);
    BOOST_TEST(found.nearest.y == 70U);
    BOOST_TEST(found.nearest.distance == direct_distance(appearance, {}, screen, 60, 70),
               boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_refused_place_does_not_hide_a_good_one_beside_it) {
    const Image screen = test::blank(100, 20, {90, 90, 90});
    const Image pattern = test::blank(20, 20, {90, 90, 90});
    const Appearance appearance(view_of(pattern), {});
    // A blemish at x = 10 .. 14, which the distance does not see here.
    std::vector<std::uint32_t> asked;
    const FlatFinding found = host::flat_search(
        query_for(appearance, screen),
        [&](const FlatHit& hit) {
            asked.push_back(hit.x);
            const bool bad = hit.x <= 14 && hit.x + 20 > 10;
            return FlatJudgement{!bad, {bad ? std::max(10U, hit.x) - hit.x : 0, 5, 5, 5}};
        },
        Workers());
    BOOST_REQUIRE(!found.hits.empty());
    BOOST_TEST(found.hits[0].x == 15U);
    BOOST_TEST(asked.size() < 20U);
}

BOOST_AUTO_TEST_CASE(excluded_everywhere_means_no_position) {
    const Image screen = test::blank(50, 50, {90, 90, 90});
    const Image pattern = test::blank(10, 10, {90, 90, 90});
    const Appearance appearance(view_of(pattern), {});
    const std::vector<vdt_rect> exclude{{0, 0, 50, 50}};
    FlatQuery query = query_for(appearance, screen);
    query.exclude = &exclude;
    const FlatFinding found = host::flat_search(query, take, Workers());
    BOOST_TEST(!found.any);
    BOOST_TEST(found.hits.empty());
}

BOOST_AUTO_TEST_CASE(single_pixels_and_whole_screens) {
    Image screen = test::blank(40, 30, {250, 250, 250});
    test::fill(screen, {33, 22, 1, 1}, {0, 0, 200});
    const Image dot = test::blank(1, 1, {0, 0, 200});
    const Appearance appearance(view_of(dot), {});
    FlatFinding found = host::flat_search(query_for(appearance, screen), take, Workers());
    BOOST_REQUIRE(found.hits.size() == 1U);
    BOOST_TEST(found.hits[0].x == 33U);
    BOOST_TEST(found.hits[0].y == 22U);
    const Image whole = test::blank(40, 30, {250, 250, 250});
    const Appearance all(view_of(whole), {});
    found = host::flat_search(query_for(all, screen), take, Workers());
    BOOST_REQUIRE(found.hits.size() == 1U);
    BOOST_TEST(found.hits[0].distance > 0);
}

BOOST_AUTO_TEST_CASE(a_large_plateau_does_not_take_quadratic_time) {
    const Image screen = test::blank(1920, 1080, {90, 90, 90});
    const Image pattern = test::blank(24, 24, {90, 90, 90});
    const Appearance appearance(view_of(pattern), {});
    FlatQuery query = query_for(appearance, screen);
    query.most = 100000;
    const auto begin = std::chrono::steady_clock::now();
    const FlatFinding found = host::flat_search(query, take, Workers());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    BOOST_TEST(found.hits.size() > 10000U);
    BOOST_TEST(seconds < 5);  // 0.1 on an idle machine, without sanitizers
}

BOOST_AUTO_TEST_SUITE_END()
