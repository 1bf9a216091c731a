#include "suite.h"

#include <cmath>
#include <limits>

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
#include VEDETTE_TESTS_OPENCV_CASCADE_HEADER
#endif

namespace vedette::ops {

namespace {

// Clusters of rectangles of several sizes, with strays.
std::vector<vdt_item> random_items(unsigned seed, int count) {
    Random random(seed);
    const auto below = [&random](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
    std::vector<vdt_item> items;
    for (int i = 0; i < count; ++i) {
        vdt_item item{};
        const int cluster = below(5), size = 20 + 15 * cluster;
        item.x = static_cast<float>(40 * cluster + below(size / 6));
        item.y = static_cast<float>(30 * (cluster % 3) + below(size / 6));
        item.w = static_cast<float>(size + below(4));
        item.h = static_cast<float>(size + below(6));
        if (below(8) == 0) item.x += static_cast<float>(below(300));
        item.score = below(1000) / 64.0 - 5;
        items.push_back(item);
    }
    return items;
}

std::vector<vdt_item> grouped(const std::vector<vdt_item>& items, int threshold, double eps) {
    vdt_group_params params{};
    params.struct_size = sizeof params;
    params.threshold = threshold;
    params.eps = eps;
    TestList in(items), out(items.size() + 1);
    Operation operation;
    operation.op = VDT_OP_GROUP;
    operation.params = &params;
    operation.lists_in = {in.ptr()};
    operation.lists_out = {out.ptr()};
    const Outcome outcome = backend().run(operation);
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
    BOOST_CHECK(out.guards_intact());
    BOOST_CHECK_EQUAL(out.ptr()->needed, out.ptr()->count);
    return out.items();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(group)

void check_group(const std::vector<vdt_item>& items, int threshold, double eps) {
    vdt_group_params params{};
    params.struct_size = sizeof params;
    params.threshold = threshold;
    params.eps = eps;
    const std::vector<vdt_item> expected = reference::group(items, params), is = grouped(items, threshold, eps);
    BOOST_REQUIRE_EQUAL(is.size(), expected.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
        BOOST_CHECK(is[i].x == expected[i].x && is[i].y == expected[i].y && is[i].w == expected[i].w &&
                    is[i].h == expected[i].h);
        BOOST_CHECK_EQUAL(is[i].neighbors, expected[i].neighbors);
        BOOST_CHECK_EQUAL(is[i].score, expected[i].score);
    }
}

BOOST_DATA_TEST_CASE(as_the_reference, bdata::xrange(40), seed) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    const std::vector<vdt_item> items = random_items(static_cast<unsigned>(seed), seed * 3);
    for (const int threshold : {0, 1, 3})
        for (const double eps : {0.0, 0.2, 0.7}) check_group(items, threshold, eps);
}

// Rectangles of all sizes and shapes, some far left of and above the origin, with copies and near copies of each other.
std::vector<vdt_item> scattered_items(unsigned seed, int count) {
    Random random(seed);
    const auto below = [&random](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random); };
    const int span = 10 + below(4000);
    std::vector<vdt_item> items;
    for (int i = 0; i < count; ++i) {
        vdt_item item{};
        if (i > 0 && below(2) == 0) {
            item = items[static_cast<std::size_t>(below(i))];
            item.x += static_cast<float>(below(static_cast<int>(item.w) / 4 + 1));
            item.y -= static_cast<float>(below(static_cast<int>(item.h) / 4 + 1));
            item.w += static_cast<float>(below(static_cast<int>(item.w) / 8 + 1));
        } else {
            const int size = (1 << below(9)) - 1;
            item.x = static_cast<float>(below(span) - span / 2);
            item.y = static_cast<float>(below(span) - span / 2);
            item.w = static_cast<float>(size + below(size + 1));
            item.h = static_cast<float>(size + below(size + 1));
        }
        item.score = below(1000) / 8.0;
        items.push_back(item);
    }
    return items;
}

BOOST_DATA_TEST_CASE(all_sizes, bdata::xrange(40), seed) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    const std::vector<vdt_item> items = scattered_items(static_cast<unsigned>(seed), 1 + seed * 5);
    for (const int threshold : {1, 2, 4})
        for (const double eps : {0.0, 0.1, 0.2, 1.5, 1e4}) check_group(items, threshold, eps);
}

// Enough for several threads, with dense clusters and long chains.
BOOST_AUTO_TEST_CASE(many) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    check_group(scattered_items(3, 5000), 1, 0.2);
    check_group(random_items(4, 5000), 3, 0.05);
    std::vector<vdt_item> chain;
    for (int i = 0; i < 4000; ++i) {
        vdt_item item{};
        item.x = static_cast<float>(i * 7919 % 4000 * 4);
        item.w = item.h = 20;
        chain.push_back(item);
    }
    check_group(chain, 1, 0.2);
    check_group(std::vector<vdt_item>(3000, chain[5]), 3, 0.2);
}

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
BOOST_DATA_TEST_CASE(as_opencv, bdata::xrange(20), seed) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    const std::vector<vdt_item> items = random_items(static_cast<unsigned>(seed + 100), 50);
    std::vector<cv::Rect> expected;
    std::vector<int> joined;
    for (const vdt_item& item : items)
        expected.emplace_back(static_cast<int>(item.x), static_cast<int>(item.y), static_cast<int>(item.w),
                              static_cast<int>(item.h));
    cv::groupRectangles(expected, joined, 2, 0.2);
    const std::vector<vdt_item> is = grouped(items, 2, 0.2);
    BOOST_REQUIRE_EQUAL(is.size(), expected.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
        BOOST_CHECK(cv::Rect2f(is[i].x, is[i].y, is[i].w, is[i].h) == cv::Rect2f(expected[i]));
        BOOST_CHECK_EQUAL(is[i].neighbors, joined[i]);
    }
}
#endif

BOOST_AUTO_TEST_CASE(list_too_small) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    const std::vector<vdt_item> items = random_items(7, 30);
    vdt_group_params params{};
    params.struct_size = sizeof params;
    TestList in(items), out(4);
    Operation operation;
    operation.op = VDT_OP_GROUP;
    operation.params = &params;
    operation.lists_in = {in.ptr()};
    operation.lists_out = {out.ptr()};
    BOOST_CHECK_EQUAL(backend().run(operation).code, VDT_INCOMPLETE);
    BOOST_CHECK_EQUAL(out.ptr()->count, 4);
    BOOST_CHECK_EQUAL(out.ptr()->needed, 30);
    BOOST_CHECK(out.guards_intact());
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_GROUP, "group")) return;
    TestList in(random_items(1, 3)), out(3);
    vdt_group_params params{};
    params.struct_size = sizeof params;
    params.threshold = 1;
    params.eps = std::nan("");
    Operation operation;
    operation.op = VDT_OP_GROUP;
    operation.params = &params;
    operation.lists_in = {in.ptr()};
    operation.lists_out = {out.ptr()};
    expect_refusal(operation, VDT_E_ARGUMENT);
    params.eps = -0.1;
    expect_refusal(operation, VDT_E_ARGUMENT);
    params.eps = 0.2;
    params.threshold = -1;
    expect_refusal(operation, VDT_E_ARGUMENT);
    params.threshold = 1;
    // What is no rectangle.
    const auto refuses = [&](float x, float w) {
        vdt_item item{};
        item.x = x;
        item.w = w;
        item.h = 5;
        TestList wrong(std::vector<vdt_item>{item, item, item});
        operation.lists_in = {wrong.ptr()};
        BOOST_CHECK_EQUAL(backend().run(operation).code, VDT_E_ARGUMENT);
    };
    refuses(std::nanf(""), 5);
    refuses(1e30f, 5);
    refuses(0, std::numeric_limits<float>::infinity());
    refuses(0, -5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
