// features: against closed forms, for what turned and masked pictures keep, and what it refuses. Against OpenCV:
// features_agreement_test.cc.
#include <algorithm>
#include <cmath>

#include "feature_checks.h"

namespace vedette::ops {

BOOST_AUTO_TEST_SUITE(features)

// The scale at which differences of Gaussians of ratio k = 2^(1/3) answer most to a spot of width s, in pixels of the
// image enlarged twice (which is taken to have a blur of 1 already): sigma^2 = (4 s^2 - 1) / k. OpenCV's halved places
// lie a quarter of a pixel right and below (docs of SIFT's precise upscaling).
BOOST_DATA_TEST_CASE(spots_of_known_place_and_size, bdata::make({2.0, 3.0, 4.5, 6.0, 9.0}) * bdata::make({1, -1}),
                     sigma, sign) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    for (const Point center : {Point{60, 50}, Point{61.3, 49.6}}) {
        TestImage image = blob(128, 112, center.x, center.y, sigma, 180);
        if (sign < 0) image.fill([&](auto x, auto y, auto) { return 255 - image.at(x, y); });
        const Keypoints found = features_of(backend(), image);
        BOOST_REQUIRE_EQUAL(found.code, VDT_OK);
        BOOST_REQUIRE(!found.points.empty());
        const vdt_keypoint& best = found.points[0];
        BOOST_CHECK_SMALL(static_cast<double>(best.x) - center.x - 0.25, 0.1);
        BOOST_CHECK_SMALL(static_cast<double>(best.y) - center.y - 0.25, 0.1);
        const double size = std::sqrt((4 * sigma * sigma - 1) / std::cbrt(2.0));
        BOOST_CHECK_CLOSE(static_cast<double>(best.size), size, 8);
        check_well_formed(found, image);
    }
}

// A picture turned clockwise by a right angle has the same keypoints, turned: exact but for the quarter of a pixel that
// places lie off, and for rounding. That holds for the first octave; the others take every second pixel, which are
// others in the turned picture.
BOOST_AUTO_TEST_CASE(turned_by_right_angles) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    const TestImage screen = sample_screen();
    TestImage picture = screen.crop(screen.width() / 2 - 150, screen.height() / 2 - 120, 300, 240);
    Keypoints before = features_of(backend(), picture);
    BOOST_REQUIRE_GT(before.points.size(), 50);
    for (int quarter = 1; quarter <= 3; ++quarter) {
        TestImage next(VDT_FORMAT_GRAY8, picture.height(), picture.width());
        next.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) { return picture.at(y, next.width() - 1 - x); });
        const Keypoints after = features_of(backend(), next);
        std::size_t same = 0, all = 0;
        for (const vdt_keypoint& point : before.points) {
            if ((point.octave & 255) != 255) continue;  // -1
            ++all;
            const Point to{next.width() - 1 - static_cast<double>(point.y) + 0.5, static_cast<double>(point.x)};
            for (const vdt_keypoint& other : after.points)
                if (distance(other, to) < 0.1 && std::fabs(other.size - point.size) < 0.01F * point.size &&
                    turn(static_cast<double>(other.angle), static_cast<double>(point.angle) + 90) < 1) {
                    ++same;
                    break;
                }
        }
        BOOST_TEST_MESSAGE(same << " of " << all << " keypoints turned");
        BOOST_CHECK_GE(all, 40);
        BOOST_CHECK_GE(static_cast<double>(same), 0.95 * static_cast<double>(all));
        picture = next;
        before = after;
    }
}

BOOST_AUTO_TEST_CASE(flat_and_tiny_pictures) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    for (const Size size : {Size{1, 1}, Size{1, 2}, Size{2, 1}, Size{3, 3}, Size{5, 5}, Size{6, 300}, Size{300, 6},
                            Size{1, 200}, Size{17, 13}, Size{200, 150}})
        for (const double value : {0.0, 255.0}) {
            const Keypoints found =
                features_of(backend(), flat_image(VDT_FORMAT_GRAY8, size.width, size.height, value));
            BOOST_CHECK_MESSAGE(found.code == VDT_OK && found.points.empty() && found.needed == 0,
                                size << ": " << found.code << " " << found.text);
        }
    Random random(4);
    for (const Size size : {Size{1, 1}, Size{2, 7}, Size{6, 6}, Size{11, 9}, Size{23, 12}, Size{12, 40}}) {
        const TestImage image = random_image(random, VDT_FORMAT_GRAY8, size.width, size.height);
        const Keypoints found = features_of(backend(), image);
        BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, size << ": " << found.text);
        check_well_formed(found, image);
    }
}

BOOST_DATA_TEST_CASE(every_layout, bdata::make(all_layouts), layout) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    Random random(17);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 150, 117);
    const Keypoints tight = features_of(backend(), image),
                    other =
                        features_of(backend(), image.as(layout), TestImage::none(), usual_features(), 20000, layout);
    BOOST_REQUIRE_EQUAL(other.code, VDT_OK);
    BOOST_CHECK(!tight.points.empty());
    BOOST_REQUIRE_EQUAL(other.points.size(), tight.points.size());
    for (std::size_t i = 0; i < tight.points.size(); ++i) {
        BOOST_CHECK_EQUAL(other.points[i].x, tight.points[i].x);
        BOOST_CHECK_EQUAL(other.points[i].angle, tight.points[i].angle);
        BOOST_CHECK(other.descriptors[i] == tight.descriptors[i]);
    }
}

// The mask takes keypoints away and changes no other.
BOOST_AUTO_TEST_CASE(masks) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    Random random(6);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 220, 160);
    TestImage mask(VDT_FORMAT_GRAY8, 220, 160, Layout::padded);
    mask.fill([](std::uint32_t x, std::uint32_t y, std::uint32_t) { return x + y > 170 ? 1 + x % 255 : 0; });
    const Keypoints whole = features_of(backend(), image), masked = features_of(backend(), image, mask);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < whole.points.size(); ++i) {
        const vdt_keypoint& point = whole.points[i];
        if (mask.at(static_cast<std::uint32_t>(point.x + 0.5F), static_cast<std::uint32_t>(point.y + 0.5F)) != 0)
            kept.push_back(i);
    }
    BOOST_CHECK(!kept.empty() && kept.size() < whole.points.size());
    BOOST_REQUIRE_EQUAL(masked.points.size(), kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        BOOST_CHECK_EQUAL(masked.points[i].x, whole.points[kept[i]].x);
        BOOST_CHECK_EQUAL(masked.points[i].angle, whole.points[kept[i]].angle);
        BOOST_CHECK(masked.descriptors[i] == whole.descriptors[kept[i]]);
    }
    const Keypoints none = features_of(backend(), image, flat_image(VDT_FORMAT_GRAY8, 220, 160, 0));
    BOOST_CHECK(none.code == VDT_OK && none.points.empty() && none.needed == 0);
    // The strongest of those that the mask takes.
    vdt_features_params params = usual_features();
    params.max_features = 5;
    const Keypoints five = features_of(backend(), image, mask, params);
    BOOST_REQUIRE_EQUAL(five.points.size(), 5);
    for (std::size_t i = 0; i < 5; ++i) BOOST_CHECK(five.descriptors[i] == masked.descriptors[i]);
}

BOOST_AUTO_TEST_CASE(strongest_and_lists_too_small) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    Random random(31);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 300, 260);
    const Keypoints whole = features_of(backend(), image);
    BOOST_REQUIRE_GT(whole.points.size(), 200);
    const auto same_start = [&](const Keypoints& part) {
        for (std::size_t i = 0; i < part.points.size(); ++i)
            BOOST_REQUIRE(part.points[i].x == whole.points[i].x && part.points[i].angle == whole.points[i].angle &&
                          part.descriptors[i] == whole.descriptors[i]);
    };
    for (const std::uint32_t most : {1U, 2U, 37U, 150U}) {
        vdt_features_params params = usual_features();
        params.max_features = most;
        const Keypoints part = features_of(backend(), image, TestImage::none(), params);
        BOOST_CHECK_EQUAL(part.code, VDT_OK);
        BOOST_CHECK_EQUAL(part.points.size(), most);
        BOOST_CHECK_EQUAL(part.needed, most);
        same_start(part);
        // No room for all.
        const Keypoints cut = features_of(backend(), image, TestImage::none(), usual_features(), most);
        BOOST_CHECK_EQUAL(cut.code, VDT_INCOMPLETE);
        BOOST_CHECK_EQUAL(cut.points.size(), most);
        BOOST_CHECK_EQUAL(cut.needed, whole.points.size());
        same_start(cut);
    }
    vdt_features_params params = usual_features();
    params.max_features = 100000;
    BOOST_CHECK_EQUAL(features_of(backend(), image, TestImage::none(), params).points.size(), whole.points.size());
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    const TestImage image = flat_image(VDT_FORMAT_GRAY8, 40, 30, 9);
    const auto refused = [&](const auto& change) {
        vdt_features_params params = usual_features();
        change(params);
        const Keypoints found = features_of(backend(), image, TestImage::none(), params);
        BOOST_CHECK_EQUAL(found.code, VDT_E_ARGUMENT);
        BOOST_CHECK(!found.text.empty());
    };
    refused([](auto& p) { p.octave_layers = 0; });
    refused([](auto& p) { p.octave_layers = 1000; });
    refused([](auto& p) { p.contrast_threshold = -1; });
    refused([](auto& p) { p.contrast_threshold = std::nan(""); });
    refused([](auto& p) { p.edge_threshold = 0; });
    refused([](auto& p) { p.sigma = 0; });
    refused([](auto& p) { p.sigma = 1e9; });
    refused([](auto& p) { p.flags = 1; });
    BOOST_CHECK_EQUAL(features_of(backend(), image, flat_image(VDT_FORMAT_GRAY8, 41, 30, 9)).code, VDT_E_SIZE);
    TestImage narrow(VDT_FORMAT_GRAYF32, 64, 10), none = TestImage::none();
    ItemList<vdt_keypoint> list(10);
    const vdt_features_params params = usual_features();
    Operation operation;
    operation.op = VDT_OP_FEATURES;
    operation.params = &params;
    operation.inputs = {image.ptr(), none.ptr()};
    operation.outputs = {narrow.ptr()};
    operation.lists_out = {list.ptr()};
    expect_refusal(operation, VDT_E_SIZE);
}

BOOST_AUTO_TEST_CASE(ends_when_told) {
    if (!backend_has(VDT_OP_FEATURES, "features")) return;
    Random random(3);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 400, 300);
    TestImage descriptors(VDT_FORMAT_GRAYF32, descriptor_length, 100), none = TestImage::none();
    ItemList<vdt_keypoint> list(100);
    const vdt_features_params params = usual_features();
    Limit limit;
    limit.code = VDT_E_TIMEOUT;
    Operation operation;
    operation.op = VDT_OP_FEATURES;
    operation.params = &params;
    operation.inputs = {image.ptr(), none.ptr()};
    operation.outputs = {descriptors.ptr()};
    operation.lists_out = {list.ptr()};
    operation.limit = &limit;
    BOOST_CHECK_EQUAL(backend().run(operation).code, VDT_E_TIMEOUT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
