// Properties that hold for any pictures, checked without a reference.
#include "find_search.h"
#include "suite.h"

#include <algorithm>

namespace vedette::ops {

namespace {

// The items of the first pattern at their places.
bool has_item(const std::vector<vdt_item>& items, float x, float y, double score) {
    return std::any_of(items.begin(), items.end(),
                       [&](const vdt_item& item) { return item.x == x && item.y == y && item.score == score; });
}

Search some_search(Random& random, vdt_format format) {
    Search search(screen_image(random, format, 130, 90));
    search.add(screen_image(random, format, 18, 12));
    search.threshold = 0.15;
    return search;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(template_find)

// The scene moved by some pixels moves the matches by as many and changes no score.
BOOST_DATA_TEST_CASE(translation, bdata::xrange(10), seed) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(static_cast<unsigned>(seed));
    Search search = some_search(random, seed % 2 != 0 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8);
    const std::uint32_t dx = 1 + below(random, 40), dy = 1 + below(random, 40);
    Search moved = search;
    moved.scene = random_image(random, search.scene.format(), 130 + dx + 9, 90 + dy + 4);
    moved.scene.paste(search.scene, dx, dy);
    moved.region = {static_cast<std::int32_t>(dx), static_cast<std::int32_t>(dy), 130, 90};
    std::vector<vdt_item> expected = find_on(backend(), search).items;
    BOOST_REQUIRE(!expected.empty());
    for (vdt_item& item : expected) {
        item.x += static_cast<float>(dx);
        item.y += static_cast<float>(dy);
    }
    const std::string wrong = list_difference(find_on(backend(), moved).items, expected);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
}

// Searching in a region is keeping the matches that lie in it; the same with a cropped scene.
BOOST_DATA_TEST_CASE(region_and_crop, bdata::xrange(10), seed) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(static_cast<unsigned>(seed + 50));
    Search search = some_search(random, VDT_FORMAT_GRAY8);
    const vdt_rect region = {static_cast<std::int32_t>(random() % 60), static_cast<std::int32_t>(random() % 40),
                             static_cast<std::int32_t>(20 + random() % 50),
                             static_cast<std::int32_t>(14 + random() % 36)};
    std::vector<vdt_item> expected, cropped_expected;
    for (const vdt_item& item : find_on(backend(), search).items) {
        const bool inside = item.x >= static_cast<float>(region.x) && item.y >= static_cast<float>(region.y) &&
                            item.x + item.w <= static_cast<float>(region.x + region.w) &&
                            item.y + item.h <= static_cast<float>(region.y + region.h);
        if (!inside) continue;
        expected.push_back(item);
        vdt_item local = item;
        local.x -= static_cast<float>(region.x);
        local.y -= static_cast<float>(region.y);
        cropped_expected.push_back(local);
    }
    Search limited = search;
    limited.region = region;
    std::string wrong = list_difference(find_on(backend(), limited).items, expected);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    Search cropped = search;
    cropped.scene = search.scene.crop(static_cast<std::uint32_t>(region.x), static_cast<std::uint32_t>(region.y),
                                      static_cast<std::uint32_t>(region.w), static_cast<std::uint32_t>(region.h));
    wrong = list_difference(find_on(backend(), cropped).items, cropped_expected);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
}

BOOST_DATA_TEST_CASE(excluded_areas, bdata::xrange(10), seed) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(static_cast<unsigned>(seed + 90));
    Search search = some_search(random, VDT_FORMAT_BGR8);
    const std::vector<vdt_item> all = find_on(backend(), search).items;
    Search limited = search;
    for (int i = 0; i < 3; ++i)
        limited.exclude.push_back(
            {static_cast<std::int32_t>(random() % 150) - 10, static_cast<std::int32_t>(random() % 100) - 5,
             static_cast<std::int32_t>(random() % 30), static_cast<std::int32_t>(1 + random() % 20)});
    limited.exclude.push_back({-2147483647 - 1, -2147483647 - 1, 2147483647, 2147483647});  // far away, meets nothing
    limited.exclude.push_back({2147483647, 2147483647, 2147483647, 2147483647});
    std::vector<vdt_item> expected;
    for (const vdt_item& item : all) {
        bool meets = false;
        for (const vdt_rect& area : limited.exclude)
            meets = meets || (area.w > 0 && area.h > 0 &&
                              double{item.x}<1.0 * area.x + area.w&& double{item.x} + item.w> area.x &&
                              double{item.y}<1.0 * area.y + area.h&& double{item.y} + item.h> area.y);
        if (!meets) expected.push_back(item);
    }
    const std::string wrong = list_difference(find_on(backend(), limited).items, expected);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
    // Local maxima are judged after the exclusion, which brute force knows too.
    limited.flags = VDT_FIND_LOCAL_MAXIMA;
    const std::string maxima = list_difference(find_on(backend(), limited).items, expected_of(limited));
    BOOST_CHECK_MESSAGE(maxima.empty(), maxima);
}

// Half the contrast and more light change no score: of pixels that are all even, v / 2 + 90 is exact.
BOOST_DATA_TEST_CASE(contrast, bdata::xrange(6), seed) {
    if (!backend_has(VDT_OP_TEMPLATE_FIND, "template_find")) return;
    Random random(static_cast<unsigned>(seed + 200));
    Search search = some_search(random, VDT_FORMAT_GRAY8);
    const auto change = [](TestImage& image, double factor, double offset) {
        const TestImage old = image;
        image.fill(
            [&](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return old.at(x, y, c) * factor + offset; });
    };
    const auto even = [](TestImage& image) {
        const TestImage old = image;
        image.fill(
            [&](std::uint32_t x, std::uint32_t y, std::uint32_t c) { return 2 * std::floor(old.at(x, y, c) / 2); });
    };
    even(search.scene);
    even(search.patterns[0]);
    const std::vector<vdt_item> all = find_on(backend(), search).items;
    Search dull = search, negative = search;
    change(dull.scene, 0.5, 90);
    change(negative.scene, -1, 255);
    const std::vector<vdt_item> same = find_on(backend(), dull).items;
    BOOST_REQUIRE_EQUAL(same.size(), all.size());
    for (const vdt_item& item : all) {
        const auto near = std::find_if(same.begin(), same.end(),
                                       [&](const vdt_item& other) { return other.x == item.x && other.y == item.y; });
        BOOST_REQUIRE(near != same.end());
        BOOST_CHECK_SMALL(near->score - item.score, 1e-12);
    }
    // The negative of the scene has the negative of every score, exactly.
    negative.threshold = -1;
    const std::vector<vdt_item> opposite = find_on(backend(), negative).items;
    for (const vdt_item& item : all) BOOST_CHECK(has_item(opposite, item.x, item.y, -item.score));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(template_map)

// A map of the scene's right lower part is that part of the map, bit for bit when the backend is exact, else within its
// promise on both sides.
BOOST_DATA_TEST_CASE(crop_of_the_scene, bdata::xrange(6u), method) {
    if (!backend_has(VDT_OP_TEMPLATE_MAP, "template_map")) return;
    Random random(method);
    const TestImage scene = screen_image(random, VDT_FORMAT_BGR8, 140, 80), pattern = scene.crop(60, 30, 21, 13),
                    none = TestImage::none();
    const TestImage part = scene.crop(37, 11, 103, 69);
    vdt_template_map_params params{};
    params.struct_size = sizeof params;
    params.method = method;
    TestImage whole_map(VDT_FORMAT_GRAYF32, 120, 68), part_map(VDT_FORMAT_GRAYF32, 83, 57);
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_MAP;
    operation.params = &params;
    operation.inputs = {scene.ptr(), pattern.ptr(), none.ptr()};
    operation.outputs = {whole_map.ptr()};
    const Outcome whole = backend().run(operation);
    BOOST_REQUIRE_EQUAL(whole.code, VDT_OK);
    operation.inputs[0] = part.ptr();
    operation.outputs = {part_map.ptr()};
    BOOST_REQUIRE_EQUAL(backend().run(operation).code, VDT_OK);
    double worst = 0;
    for (std::uint32_t y = 0; y < 57; ++y)
        for (std::uint32_t x = 0; x < 83; ++x)
            worst = std::max(worst, std::abs(part_map.at(x, y) - whole_map.at(x + 37, y + 11)));
    BOOST_CHECK_LE(worst, 2 * whole.support.tolerance);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
