#include "find/suppress.h"

#include "boost_test.h"

#include <random>

using namespace vedette::host;

BOOST_AUTO_TEST_SUITE(suppression)

BOOST_AUTO_TEST_CASE(overlap_is_intersection_over_union) {
    BOOST_TEST(intersection_over_union({0, 0, 10, 10}, {0, 0, 10, 10}) == 1);
    BOOST_TEST(intersection_over_union({0, 0, 10, 10}, {5, 0, 10, 10}) == 1.0 / 3);
    BOOST_TEST(intersection_over_union({0, 0, 10, 10}, {10, 0, 10, 10}) == 0);
    BOOST_TEST(intersection_over_union({0, 0, 10, 10}, {2, 2, 5, 5}) == 0.25);
    // A diagonal step of a 4 x 4 pattern is another place.
    BOOST_TEST(intersection_over_union({0, 0, 4, 4}, {1, 1, 4, 4}) == 9.0 / 23);
}

BOOST_AUTO_TEST_CASE(the_better_one_stays_and_only_those_that_stay_suppress) {
    // Each overlaps the next by a third and more: the second goes, the third stays although it overlaps the second.
    const std::vector<Box> boxes{{0, 0, 10, 10}, {3, 0, 10, 10}, {6, 0, 10, 10}, {0, 1, 10, 10}};
    const std::vector<std::size_t> want{0, 2};
    const std::vector<std::size_t> kept = suppress(boxes, 0.5);
    BOOST_TEST(kept == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(limits_of_the_overlap) {
    const std::vector<Box> boxes{{0, 0, 10, 10}, {0, 0, 10, 10}, {9, 9, 10, 10}, {10, 10, 10, 10}};
    BOOST_TEST(suppress(boxes, 1).size() == 4U);
    BOOST_TEST(suppress(boxes, 0.99).size() == 3U);
    BOOST_TEST(suppress(boxes, 0).size() == 2U);
    BOOST_TEST(suppress({}, 0.5).empty());
}

BOOST_AUTO_TEST_CASE(no_two_that_stay_overlap_more) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(-100, 100), size(1, 40);
    std::vector<Box> boxes;
    for (int i = 0; i < 400; ++i) boxes.push_back({place(random), place(random), size(random), size(random)});
    const std::vector<std::size_t> kept = suppress(boxes, 0.3);
    BOOST_TEST(std::is_sorted(kept.begin(), kept.end()));
    for (const std::size_t i : kept)
        for (const std::size_t j : kept)
            if (i != j) BOOST_TEST(intersection_over_union(boxes[i], boxes[j]) <= 0.3);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const bool stays = std::find(kept.begin(), kept.end(), i) != kept.end();
        bool overlapped = false;
        for (const std::size_t j : kept)
            overlapped = overlapped || (j < i && intersection_over_union(boxes[i], boxes[j]) > 0.3);
        BOOST_TEST(stays == !overlapped);
    }
}

BOOST_AUTO_TEST_CASE(long_lists_do_not_take_quadratic_time) {
    std::vector<Box> boxes;
    for (int i = 0; i < 100000; ++i) boxes.push_back({2.0 * (i % 400), 2.0 * (i / 400), 2, 2});
    BOOST_TEST(suppress(boxes, 0.5).size() == boxes.size());
}

BOOST_AUTO_TEST_SUITE_END()
