// What plugins expect of pixels: samples of searches and cascades.
#define BOOST_TEST_MODULE expected
#include "boost_test.h"

#include <cascade/estimate.h>
#include <search/sample.h>

#include <vedette/plugin/cpp/expectation.hpp>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using vedette::cascade::Estimate;
using vedette::cascade::estimate_of;
using vedette::search::sampled_hits;
using vedette::search::sampled_survivors;

const vdt_image no_mask{};

struct Picture {
    std::uint32_t width, height;
    vdt_format format;
    std::vector<std::uint8_t> pixels;

    Picture(std::uint32_t w, std::uint32_t h, vdt_format f, std::uint8_t value)
        : width(w), height(h), format(f), pixels(std::size_t{w} * h * channels(), value) {}
    std::uint32_t channels() const { return format == VDT_FORMAT_GRAY8 ? 1 : 3; }

    vdt_image view() {
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = format;
        image.width = width;
        image.height = height;
        image.memory = VDT_MEMORY_HOST;
        image.plane_count = 1;
        image.plane[0].base = pixels.data();
        image.plane[0].row_stride = static_cast<std::int64_t>(width) * channels();
        image.plane[0].bytes = pixels.size();
        return image;
    }
};

Picture noise(std::uint32_t width, std::uint32_t height, vdt_format format, unsigned seed) {
    Picture picture(width, height, format, 0);
    std::mt19937 random(seed);
    for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(random() % 256);
    return picture;
}

vdt_rect whole(const Picture& picture) {
    return {0, 0, static_cast<std::int32_t>(picture.width), static_cast<std::int32_t>(picture.height)};
}

const std::string classifier = "<?xml version=\"1.0\"?><cascade><width>24</width><height>24</height></cascade>";

Estimate estimate(const vdt_image& image, double bundle = 2) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = classifier.data();
    params.cascade_bytes = classifier.size();
    params.scale_factor = 1.2;
    return estimate_of(params, image, bundle);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(find)

BOOST_AUTO_TEST_CASE(what_the_scene_holds_decides) {
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8}) {
        Picture pattern = noise(16, 16, format, 1), flat(640, 400, format, 90), busy = noise(640, 400, format, 2);
        const double nothing = sampled_survivors(flat.view(), whole(flat), pattern.view(), no_mask, 0.9, 0.01).value();
        BOOST_TEST(nothing < 0.01);
        // Blocks of 2 x 2 pixels hold a quarter of the energy of noise, so that the bound ends at about three quarters.
        const double few = sampled_survivors(busy.view(), whole(busy), pattern.view(), no_mask, 0.95, 0.01).value();
        const double most = sampled_survivors(busy.view(), whole(busy), pattern.view(), no_mask, 0.3, 0.01).value();
        BOOST_TEST(few < 0.1);
        BOOST_TEST(most > 0.9);
        double last = 1;
        for (double threshold = 0.3; threshold < 1; threshold += 0.05) {
            const double share =
                sampled_survivors(busy.view(), whole(busy), pattern.view(), no_mask, threshold, 0.01).value();
            BOOST_TEST(share <= last);
            last = share;
        }
    }
}

BOOST_AUTO_TEST_CASE(the_pattern_itself_survives) {
    Picture pattern = noise(40, 24, VDT_FORMAT_GRAY8, 3), scene(40, 24, VDT_FORMAT_GRAY8, 0);
    scene.pixels = pattern.pixels;
    // One place, sampled again and again.
    BOOST_TEST(sampled_survivors(scene.view(), whole(scene), pattern.view(), no_mask, 1, 0.01).value() > 0.98);
}

BOOST_AUTO_TEST_CASE(masks_weaken_the_bound) {
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8}) {
        Picture pattern = noise(28, 28, format, 1), busy = noise(640, 400, format, 2), flat(640, 400, format, 90);
        Picture mask(28, 28, VDT_FORMAT_GRAY8, 255);
        const auto share = [&](Picture& scene, double threshold) {
            return sampled_survivors(scene.view(), whole(scene), pattern.view(), mask.view(), threshold, 0.01).value();
        };
        // A mask that takes all is none.
        for (const double threshold : {0.3, 0.7, 0.95})
            BOOST_TEST(
                share(busy, threshold) ==
                    sampled_survivors(busy.view(), whole(busy), pattern.view(), no_mask, threshold, 0.01).value(),
                boost::test_tools::tolerance(0.3));
        BOOST_TEST(share(flat, 0.9) < 0.01);
        const double whole_mask = share(busy, 0.95);
        // The middle alone is left, in which lie a few blocks.
        for (std::uint32_t y = 0; y < 28; ++y)
            for (std::uint32_t x = 0; x < 28; ++x)
                if (x < 8 || x >= 20 || y < 8 || y >= 20) mask.pixels[y * 28 + x] = 0;
        BOOST_TEST(share(busy, 0.95) >= whole_mask);
        // Nothing but stripes too narrow for a block: nothing is pruned.
        for (std::uint32_t i = 0; i < 28 * 28; ++i) mask.pixels[i] = i % 28 % 4 == 0 ? 255 : 0;
        BOOST_TEST(share(busy, 0.95) == 1.0);
    }
}

BOOST_AUTO_TEST_CASE(hits_are_fewer_than_survivors) {
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8}) {
        Picture pattern = noise(16, 16, format, 1), busy = noise(640, 400, format, 2);
        // The bound keeps most of noise, which is not like other noise all the same.
        BOOST_TEST(sampled_survivors(busy.view(), whole(busy), pattern.view(), no_mask, 0.5, 0.001).value() > 0.5);
        BOOST_TEST(sampled_hits(busy.view(), whole(busy), pattern.view(), 0.5, 0.001).value() < 0.001);
        // The pattern itself at every place that is sampled.
        Picture same(16, 16, format, 0);
        same.pixels = pattern.pixels;
        BOOST_TEST(sampled_hits(same.view(), whole(same), pattern.view(), 1, 0.001).value() > 0.98);
        for (std::uint8_t& value : same.pixels) value = static_cast<std::uint8_t>(255 - value);
        BOOST_TEST(sampled_hits(same.view(), whole(same), pattern.view(), 0.5, 0.001).value() < 0.001);
    }
}

BOOST_AUTO_TEST_CASE(regions_are_kept_to) {
    Picture pattern = noise(16, 16, VDT_FORMAT_GRAY8, 1), scene(300, 200, VDT_FORMAT_GRAY8, 7);
    const Picture busy = noise(300, 100, VDT_FORMAT_GRAY8, 5);
    std::copy(busy.pixels.begin(), busy.pixels.end(), scene.pixels.begin());
    BOOST_TEST(sampled_survivors(scene.view(), {0, 0, 300, 100}, pattern.view(), no_mask, 0.3, 0.01).value() > 0.9);
    BOOST_TEST(sampled_survivors(scene.view(), {0, 100, 300, 100}, pattern.view(), no_mask, 0.3, 0.01).value() < 0.1);
}

BOOST_AUTO_TEST_CASE(pixels_that_are_not_at_hand) {
    Picture pattern = noise(16, 16, VDT_FORMAT_GRAY8, 1), scene = noise(300, 200, VDT_FORMAT_GRAY8, 2);
    vdt_image image = scene.view();
    image.plane[0].base = nullptr;
    BOOST_TEST(!sampled_survivors(image, whole(scene), pattern.view(), no_mask, 0.9, 0.01));
    image = scene.view();
    image.memory = VDT_MEMORY_DEVICE;
    BOOST_TEST(!sampled_survivors(image, whole(scene), pattern.view(), no_mask, 0.9, 0.01));
    // Rows that would lie beside the buffer.
    image = scene.view();
    image.plane[0].bytes -= 1;
    BOOST_TEST(!sampled_survivors(image, whole(scene), pattern.view(), no_mask, 0.9, 0.01));
    image = scene.view();
    image.plane[0].row_stride = -image.plane[0].row_stride;
    BOOST_TEST(!sampled_survivors(image, whole(scene), pattern.view(), no_mask, 0.9, 0.01));
    image.plane[0].offset = 199 * 300;
    BOOST_TEST(sampled_survivors(image, whole(scene), pattern.view(), no_mask, 0.9, 0.01).has_value());
    BOOST_TEST(
        !sampled_survivors(pattern.view(), whole(pattern), scene.view(), no_mask, 0.9, 0.01));  // larger than the scene
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cascade)

BOOST_AUTO_TEST_CASE(flat_windows_meet_no_classifier) {
    Picture flat(320, 240, VDT_FORMAT_GRAY8, 128), busy = noise(320, 240, VDT_FORMAT_GRAY8, 4);
    Picture half = flat;
    std::copy_n(busy.pixels.begin(), busy.pixels.size() / 2, half.pixels.begin());
    const double none = estimate(flat.view()).classifiers, all = estimate(busy.view()).classifiers;
    const double some = estimate(half.view()).classifiers;
    // A textured window meets 9 + 16 p + 27 p^2 + ... classifiers, 24.9 at p = 0.41.
    BOOST_TEST(all == 24.9, boost::test_tools::tolerance(0.05));
    BOOST_TEST(none < 1);
    BOOST_TEST(some > all / 3);
    BOOST_TEST(some < all * 0.75);
    vdt_image unseen = busy.view();
    unseen.plane[0].base = nullptr;
    BOOST_TEST(estimate(unseen).classifiers == 0.65 * 24.94, boost::test_tools::tolerance(0.01));
    BOOST_TEST(estimate(unseen).windows == estimate(busy.view()).windows);
}

BOOST_AUTO_TEST_CASE(wider_bundles_idle_more) {
    Picture busy = noise(320, 240, VDT_FORMAT_GRAY8, 4);
    double last = 1;
    for (const double bundle : {1.0, 2.0, 8.0, 32.0}) {
        const double divergence = estimate(busy.view(), bundle).divergence;
        BOOST_TEST(divergence >= last);
        last = divergence;
    }
    BOOST_TEST(last > 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(places_spread_evenly) {
    // Of 64 places at least one in each of 16 parts, none outside.
    std::set<unsigned> parts;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const vedette::plugin::SamplePlace place = vedette::plugin::sample_place(i, 400, 100);
        BOOST_REQUIRE(place.x < 400 && place.y < 100);
        parts.insert(place.x / 100 * 4 + place.y / 25);
    }
    BOOST_TEST(parts.size() == 16u);
    const vedette::plugin::SamplePlace only = vedette::plugin::sample_place(7, 1, 1);
    BOOST_TEST((only.x == 0 && only.y == 0));
}
