// The reference against values worked out by hand.
#define BOOST_TEST_MODULE reference
#include "reference/reference.h"
#include "boost_test.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace vedette::reference;

namespace {

// An image whose view can be made awkward: row padding, rows from the bottom up.
template <class T>
struct Pixels {
    std::vector<T> data;
    vdt_image view{};

    Pixels(vdt_format format, std::uint32_t width, std::uint32_t height, std::vector<T> values)
        : data(std::move(values)) {
        view.struct_size = sizeof view;
        view.format = format;
        view.width = width;
        view.height = height;
        view.plane_count = 1;
        view.plane[0].base = data.data();
        view.plane[0].bytes = data.size() * sizeof(T);
        view.plane[0].row_stride = static_cast<std::int64_t>(data.size() * sizeof(T) / height);
    }
};

using Bytes = Pixels<std::uint8_t>;

Bytes gray(std::uint32_t width, std::uint32_t height, std::vector<std::uint8_t> values) {
    return {VDT_FORMAT_GRAY8, width, height, std::move(values)};
}

void check_values(const Plane& plane, const std::vector<double>& expected, double tolerance = 0) {
    BOOST_REQUIRE_EQUAL(plane.value.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        BOOST_TEST(std::abs(plane.value[i] - expected[i]) <= tolerance,
                   "value " << i << " is " << plane.value[i] << ", not " << expected[i]);
}

vdt_convert_params conversion(double scale = 1, double offset = 0) {
    return {sizeof(vdt_convert_params), 0, scale, offset};
}

vdt_template_find_params search(double threshold, std::uint32_t flags = 0) {
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.flags = flags;
    params.threshold = threshold;
    params.pattern_count = 1;
    params.max_results = 100;
    return params;
}

const vdt_image no_mask{sizeof(vdt_image), VDT_FORMAT_NONE, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, {}};

}  // namespace

BOOST_AUTO_TEST_SUITE(pixels)

BOOST_AUTO_TEST_CASE(padding_and_negative_strides_are_followed) {
    Bytes image(VDT_FORMAT_BGR8, 1, 2, {1, 2, 3, 99, 4, 5, 6, 99});
    BOOST_TEST(pixel(image.view, 0, 1, 2) == 6);
    image.view.plane[0].offset = 4;
    image.view.plane[0].row_stride = -4;
    BOOST_TEST(pixel(image.view, 0, 0, 0) == 4);
    BOOST_TEST(pixel(image.view, 0, 1, 0) == 1);
}

BOOST_AUTO_TEST_CASE(sizes_of_every_format) {
    const std::uint32_t bytes[] = {0, 1, 3, 4, 3, 4, 2, 6, 8, 6, 8, 4, 12, 4, 4, 4, 8, 8, 8};
    const std::uint32_t count[] = {0, 1, 3, 4, 3, 4, 1, 3, 4, 3, 4, 1, 3, 3, 3, 1, 1, 1, 2};
    for (vdt_format f = 0; f < VDT_FORMAT_COUNT; ++f) {
        BOOST_TEST(bytes_per_pixel(f) == bytes[f], "format " << f);
        BOOST_TEST(channels(f) == count[f], "format " << f);
    }
}

BOOST_AUTO_TEST_CASE(sixteen_bit_and_float) {
    Pixels<std::uint16_t> deep(VDT_FORMAT_BGRA16, 1, 1, {1, 2, 3, 65535});
    BOOST_TEST(pixel(deep.view, 0, 0, 3) == 65535);
    Pixels<float> wide(VDT_FORMAT_BGRF32, 1, 1, {0.5f, -1.0f, 2.0f});
    BOOST_TEST(pixel(wide.view, 0, 0, 1) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(image_work)

BOOST_AUTO_TEST_CASE(gray_is_fixed_point) {
    // 3735 * 255 = 952425 -> 29.07; green 149.69 -> 150; red 76.25 -> 76; all three 32768 / 32768 = 255.
    const Bytes in(VDT_FORMAT_BGR8, 4, 1, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255});
    check_values(convert(in.view, VDT_FORMAT_GRAY8, conversion()), {29, 150, 76, 255});
    const Bytes rgb(VDT_FORMAT_RGB8, 1, 1, {255, 0, 0});
    check_values(convert(rgb.view, VDT_FORMAT_GRAY8, conversion()), {76});
}

BOOST_AUTO_TEST_CASE(channels_are_reordered_dropped_and_added) {
    const Bytes in(VDT_FORMAT_RGBA8, 1, 1, {1, 2, 3, 4});
    check_values(convert(in.view, VDT_FORMAT_BGRA8, conversion()), {3, 2, 1, 4});
    check_values(convert(in.view, VDT_FORMAT_BGR8, conversion()), {3, 2, 1});
    const Bytes one = gray(1, 1, {7});
    check_values(convert(one.view, VDT_FORMAT_RGBA8, conversion()), {7, 7, 7, 255});
    check_values(convert(one.view, VDT_FORMAT_BGRA16, conversion()), {1799, 1799, 1799, 65535});
}

BOOST_AUTO_TEST_CASE(depths) {
    Pixels<std::uint16_t> deep(VDT_FORMAT_GRAY16, 4, 1, {0, 128, 129, 65535});
    check_values(convert(deep.view, VDT_FORMAT_GRAY8, conversion()), {0, 0, 1, 255});
    const Bytes in = gray(2, 1, {2, 255});
    check_values(convert(in.view, VDT_FORMAT_GRAYF32, conversion(0.5, 1)), {2, 128.5});
    Pixels<float> wide(VDT_FORMAT_GRAYF32, 5, 1, {0.5f, 1.5f, -3.0f, 300.0f, std::nanf("")});
    check_values(convert(wide.view, VDT_FORMAT_GRAY8, conversion()), {0, 2, 0, 255, 0});
    check_values(convert(wide.view, VDT_FORMAT_BGRA8, conversion()),
                 {0, 0, 0, 255, 2, 2, 2, 255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255});
    Pixels<float> color(VDT_FORMAT_BGRF32, 1, 1, {1.0f, 10.0f, 100.0f});
    check_values(convert(color.view, VDT_FORMAT_GRAYF32, conversion()), {0.114 + 5.87 + 29.9}, 1e-12);
}

BOOST_AUTO_TEST_CASE(integrals) {
    const Bytes in = gray(3, 2, {1, 2, 3, 4, 5, 6});
    check_values(integral(in.view, VDT_INTEGRAL_SUM), {0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21});
    check_values(integral(in.view, VDT_INTEGRAL_SQUARED), {0, 0, 0, 0, 0, 1, 5, 14, 0, 17, 46, 91});
    // Row 1: the pixel up left of the point and to its right: |i - x + 1| <= 0. Row 2 adds the row above, one wider.
    check_values(integral(in.view, VDT_INTEGRAL_TILTED),
                 {0, 0, 0, 0, 0, 1, 2, 3, 1, 1 + 2 + 4, 1 + 2 + 3 + 5, 2 + 3 + 6});
}

BOOST_AUTO_TEST_CASE(resizing) {
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = VDT_RESIZE_HALF_PIXEL;
    const Bytes two = gray(2, 1, {0, 100});
    check_values(resize(two.view, VDT_FORMAT_GRAY8, 4, 1, params), {0, 25, 75, 100});
    params.method = VDT_RESIZE_ALIGNED_CORNERS;
    check_values(resize(two.view, VDT_FORMAT_GRAY8, 3, 1, params), {0, 50, 100});
    params.method = VDT_RESIZE_AREA;
    const Bytes three = gray(3, 1, {0, 30, 90});
    check_values(resize(three.view, VDT_FORMAT_GRAY8, 2, 1, params), {10, 70});
    params.scale = 0.5;
    params.offset = 1;
    check_values(resize(three.view, VDT_FORMAT_GRAYF32, 1, 1, params), {21});
    params.method = VDT_RESIZE_HALF_PIXEL;
    params.flags = VDT_RESIZE_LETTERBOX;
    params.fill = 7;
    check_values(resize(two.view, VDT_FORMAT_GRAY8, 2, 3, params), {7, 7, 0, 100, 7, 7});
}

BOOST_AUTO_TEST_CASE(filters_and_borders) {
    vdt_filter_params params{};
    params.struct_size = sizeof params;
    params.kind = VDT_FILTER_SEPARABLE;
    params.kernel_w = 3;
    params.kernel_h = 1;
    params.anchor_x = params.anchor_y = -1;
    const float across[] = {1, 10, 100}, down[] = {1};
    params.kernel_x = across;
    params.kernel_y = down;
    Pixels<float> in(VDT_FORMAT_GRAYF32, 3, 1, {1, 2, 3});
    params.border_value = 5;
    const double expected[][3] = {{215, 321, 532}, {211, 321, 332}, {211, 321, 332}, {213, 321, 132}, {212, 321, 232}};
    for (std::uint32_t border = VDT_BORDER_CONSTANT; border <= VDT_BORDER_REFLECT_101; ++border) {
        params.border = border;
        check_values(filter(in.view, VDT_FORMAT_GRAYF32, params),
                     {expected[border][0], expected[border][1], expected[border][2]});
    }
    params.kind = VDT_FILTER_BOX;
    params.kernel_w = 2;
    params.border = VDT_BORDER_REPLICATE;
    const Bytes bytes = gray(3, 1, {1, 2, 5});  // means 1, 1.5, 3.5: half to even
    check_values(filter(bytes.view, VDT_FORMAT_GRAY8, params), {1, 2, 4});
}

BOOST_AUTO_TEST_CASE(pyramids) {
    const Bytes in = gray(3, 2, {1, 2, 9, 3, 4, 9});
    check_values(pyramid_level(in.view, VDT_PYRAMID_AREA2), {3, 9});  // 10 / 4 = 2.5, rounded up
    const Bytes flat = gray(5, 5, std::vector<std::uint8_t>(25, 77));
    check_values(pyramid_level(flat.view, VDT_PYRAMID_GAUSS5), std::vector<double>(9, 77));
    const Bytes row = gray(3, 1, {0, 16, 32});  // (6 * 0 + 8 * 16 + 2 * 32) / 16; (2 * 0 + 8 * 16 + 6 * 32) / 16
    check_values(pyramid_level(row.view, VDT_PYRAMID_GAUSS5), {12, 20});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(matching)

BOOST_AUTO_TEST_CASE(the_six_methods) {
    const Bytes scene = gray(3, 1, {1, 3, 3});
    const Bytes pattern = gray(2, 1, {1, 2});
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_SQDIFF), {1, 5});
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_SQDIFF_NORMED),
                 {1 / std::sqrt(50), 5 / std::sqrt(90)}, 1e-15);
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_CCORR), {7, 9});
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_CCORR_NORMED),
                 {7 / std::sqrt(50), 9 / std::sqrt(90)}, 1e-15);
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_CCOEFF), {1, 0});
    check_values(template_map(scene.view, pattern.view, nullptr, VDT_MATCH_CCOEFF_NORMED), {1, 0});
}

BOOST_AUTO_TEST_CASE(denominators_of_zero) {
    const Bytes zero = gray(2, 1, {0, 0});
    const Bytes one = gray(2, 1, {0, 1});
    const auto value = [](const Bytes& scene, const Bytes& pattern, std::uint32_t method) {
        return template_map(scene.view, pattern.view, nullptr, method).at(0, 0);
    };
    BOOST_TEST(value(zero, zero, VDT_MATCH_SQDIFF_NORMED) == 0);
    BOOST_TEST(value(zero, one, VDT_MATCH_SQDIFF_NORMED) == 1);
    BOOST_TEST(value(zero, one, VDT_MATCH_CCORR_NORMED) == 0);
    BOOST_TEST(value(one, zero, VDT_MATCH_CCOEFF_NORMED) == 0);
    BOOST_CHECK_THROW(template_map(one.view, gray(3, 1, {0, 1, 2}).view, nullptr, VDT_MATCH_SQDIFF),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(masked_pixels_do_not_count) {
    const Bytes scene = gray(3, 1, {1, 200, 3});
    const Bytes pattern = gray(3, 1, {2, 9, 4});
    const Bytes mask = gray(3, 1, {255, 0, 1});
    BOOST_TEST(score_at(scene.view, pattern.view, &mask.view, 0, 0) == 1);
    BOOST_TEST(score_at(scene.view, pattern.view, nullptr, 0, 0) < 1);
    check_values(template_map(scene.view, pattern.view, &mask.view, VDT_MATCH_SQDIFF), {2});
}

BOOST_AUTO_TEST_CASE(score_over_all_channels_together) {
    // Two pixels. n sum I T - sum I sum T = half the differences' products: B 10 * 2, G 0 * 4, R -2 * 6 -> num 8;
    // v_I = 100 + 0 + 4, v_T = 4 + 16 + 36.
    const Bytes scene(VDT_FORMAT_BGR8, 2, 1, {0, 5, 9, 10, 5, 7});
    const Bytes pattern(VDT_FORMAT_BGR8, 2, 1, {1, 1, 1, 3, 5, 7});
    BOOST_TEST(score_at(scene.view, pattern.view, nullptr, 0, 0) == 8 / std::sqrt(104.0 * 56.0));
}

BOOST_AUTO_TEST_CASE(order_maxima_regions_and_exclusions) {
    const Bytes scene = gray(8, 1, {0, 9, 0, 9, 0, 0, 0, 9});
    const Bytes pattern = gray(2, 1, {0, 9});
    const vdt_image* inputs[] = {&scene.view, &pattern.view, &no_mask};
    vdt_template_find_params params = search(0.5);
    std::vector<vdt_item> items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 3u);
    BOOST_TEST((items[0].x == 0 && items[1].x == 2 && items[2].x == 6));
    BOOST_TEST((items[0].score == 1 && items[0].w == 2 && items[0].h == 1));

    // From -1 on: every position (flat windows score 0), equal scores from left to right.
    params.threshold = -1;
    items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 7u);
    const float order[] = {0, 2, 6, 4, 5, 1, 3};
    for (std::size_t i = 0; i < items.size(); ++i) BOOST_TEST(items[i].x == order[i]);

    // Scores 1 -1 1 -1 0 0 1: positions 0, 2, 4 (5 is equal and later) and 6 beats 5; 4 is beaten by none.
    params.flags = VDT_FIND_LOCAL_MAXIMA;
    items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 4u);
    BOOST_TEST(items[3].x == 4);

    params.flags = VDT_FIND_BEST_ONLY;
    BOOST_TEST(template_find(inputs, params).size() == 1u);

    params.flags = 0;
    params.threshold = 0.5;
    params.region = {1, 0, 6, 1};
    items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 1u);
    BOOST_TEST(items[0].x == 2);

    params.region = {};
    const vdt_rect away{3, 0, 1, 1};
    params.exclude = &away;
    params.exclude_count = 1;
    items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 2u);
    BOOST_TEST(items[1].x == 6);
}

BOOST_AUTO_TEST_CASE(scales_map_back_to_scene_pixels) {
    const Bytes doubled = gray(8, 2, {0, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0, 0, 9, 9, 0, 0});
    const Bytes pattern = gray(2, 1, {0, 9});
    const vdt_image* inputs[] = {&doubled.view, &pattern.view, &no_mask};
    const double factors[] = {2.0};
    vdt_template_find_params params = search(0.9);
    params.scales = factors;
    params.scale_count = 1;
    std::vector<vdt_item> items = template_find(inputs, params);
    BOOST_REQUIRE_EQUAL(items.size(), 1u);
    BOOST_TEST((items[0].x == 2 && items[0].y == 0 && items[0].w == 4 && items[0].h == 2));

    const Bytes large = gray(4, 2, {0, 0, 9, 9, 0, 0, 9, 9});
    const Bytes small = gray(4, 1, {0, 0, 9, 0});
    const vdt_image* shrunk[] = {&small.view, &large.view, &no_mask};
    const double half[] = {0.5};
    params.scales = half;
    items = template_find(shrunk, params);
    BOOST_REQUIRE_EQUAL(items.size(), 1u);
    BOOST_TEST((items[0].x == 1 && items[0].w == 2 && items[0].h == 1));
}

BOOST_AUTO_TEST_CASE(a_pattern_without_variance_is_refused_and_a_large_one_finds_nothing) {
    const Bytes scene = gray(3, 1, {1, 2, 3});
    const Bytes flat = gray(2, 1, {5, 5});
    const Bytes large = gray(4, 1, {1, 2, 3, 4});
    const vdt_image* with_flat[] = {&scene.view, &flat.view, &no_mask};
    BOOST_CHECK_THROW(template_find(with_flat, search(0)), std::invalid_argument);
    const vdt_image* with_large[] = {&scene.view, &large.view, &no_mask};
    BOOST_TEST(template_find(with_large, search(-1)).empty());
}

BOOST_AUTO_TEST_CASE(grouping) {
    std::vector<vdt_item> items(4);
    const float boxes[][4] = {{10, 10, 20, 20}, {12, 10, 20, 20}, {11, 11, 20, 20}, {200, 10, 20, 20}};
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].x = boxes[i][0];
        items[i].y = boxes[i][1];
        items[i].w = boxes[i][2];
        items[i].h = boxes[i][3];
        items[i].score = static_cast<double>(i);
    }
    const std::vector<vdt_item> groups = group(items, {sizeof(vdt_group_params), 1, 0.2});
    BOOST_REQUIRE_EQUAL(groups.size(), 1u);
    BOOST_TEST((groups[0].x == 11 && groups[0].y == 10 && groups[0].w == 20 && groups[0].neighbors == 3));
    BOOST_TEST(groups[0].score == 2);
    BOOST_TEST(group(items, {sizeof(vdt_group_params), 0, 0.2}).size() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
