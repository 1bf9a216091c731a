// What plugins expect of pixels: samples of searches and cascades.
#define BOOST_TEST_MODULE expected
#include "boost_test.h"

#include <cascade/estimate.h>
#include <cascade/known.h>
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

// A window of 24 x 24 and two stages: 3 stumps that let pass what is brighter on the left, and one that lets nothing
// pass.
std::string classifier() {
    const auto stage = [](int stumps, double threshold) {
        std::string weak;
        for (int i = 0; i < stumps; ++i)
            weak += "<_><internalNodes>0 -1 0 0.</internalNodes><leafValues>1. -1.</leafValues></_>";
        return "<_><maxWeakCount>" + std::to_string(stumps) + "</maxWeakCount><stageThreshold>" +
               std::to_string(threshold) + "</stageThreshold><weakClassifiers>" + weak + "</weakClassifiers></_>";
    };
    return "<?xml version=\"1.0\"?><opencv_storage><cascade type_id=\"opencv-cascade-classifier\">"
           "<stageType>BOOST</stageType><featureType>HAAR</featureType><height>24</height><width>24</width>"
           "<featureParams><maxCatCount>0</maxCatCount></featureParams><stageNum>2</stageNum><stages>" +
           stage(3, 2.5) + stage(1, 1.5) +
           "</stages><features><_><rects><_>0 0 24 24 -1.</_><_>12 0 12 24 2.</_></rects><tilted>0</tilted></_>"
           "</features></cascade></opencv_storage>";
}

Estimate estimate(const vdt_image& image, std::uint32_t lanes = 8, const std::string& text = classifier()) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = text.data();
    params.cascade_bytes = text.size();
    params.scale_factor = 1.2;
    return estimate_of(params, image, lanes);
}

// Columns of 60 pixels that grow darker to the right, or brighter.
Picture ramps(bool darker) {
    Picture picture(300, 240, VDT_FORMAT_GRAY8, 0);
    for (std::uint32_t i = 0; i < 300 * 240; ++i) {
        const std::uint32_t x = i % 300;
        picture.pixels[i] = static_cast<std::uint8_t>(darker ? 255 - x * 255 / 300 : x * 255 / 300);
    }
    return picture;
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
    // Every textured window meets three classifiers, and half of them the fourth.
    BOOST_TEST(all > 3);
    BOOST_TEST(all < 4);
    BOOST_TEST(none < 0.05);
    BOOST_TEST(some > all / 3);
    BOOST_TEST(some < all * 0.75);
}

BOOST_AUTO_TEST_CASE(stages_are_evaluated_on_the_pixels) {
    Picture darker = ramps(true), brighter = ramps(false);
    // At the largest scales alone do ramps of 255 levels over the whole picture vary enough.
    const Estimate pass = estimate(darker.view()), fail = estimate(brighter.view());
    BOOST_TEST(pass.windows == fail.windows);
    BOOST_TEST(pass.stages.size() == 2u);
    BOOST_TEST(pass.stages[0].classifiers == 3.0);
    BOOST_TEST(pass.stages[0].entering == fail.stages[0].entering, boost::test_tools::tolerance(0.01));
    BOOST_TEST(pass.stages[1].entering > 0.9 * pass.stages[0].entering);
    BOOST_TEST(fail.stages[1].entering < 0.1 * fail.stages[0].entering);
    BOOST_TEST(pass.classifiers > fail.classifiers);
    for (const auto& stage : pass.stages) {
        BOOST_TEST(stage.together >= stage.entering);
        BOOST_TEST(stage.together <= 1);
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_looked_at_is_as_usual) {
    Picture busy = noise(320, 240, VDT_FORMAT_GRAY8, 4);
    vdt_image unseen = busy.view();
    unseen.plane[0].base = nullptr;
    // Half of the windows are not flat, and 0.4 of them pass the first stage.
    BOOST_TEST(estimate(unseen).classifiers == 0.5 * (3 + 0.4), boost::test_tools::tolerance(0.001));
    BOOST_TEST(estimate(unseen).windows == estimate(busy.view()).windows);
    // What is no classifier costs what frontalface_default does.
    const Estimate damaged = estimate(busy.view(), 8, "<cascade><width>30</width><height>26</height></cascade>");
    BOOST_TEST(damaged.model.width == 30);
    BOOST_TEST(damaged.model.height == 26);
    BOOST_TEST(damaged.stages.size() == 25u);
    BOOST_TEST(damaged.classifiers > 10);
    BOOST_TEST(damaged.classifiers < 25);
}

BOOST_AUTO_TEST_CASE(a_classifier_is_read_once) {
    const std::string text = classifier();
    const auto first = vedette::cascade::known_model(text);
    BOOST_TEST(first.get() == vedette::cascade::known_model(text).get());
    std::string other = text;
    other.replace(other.find("2.5"), 3, "2.4");
    BOOST_TEST(first.get() != vedette::cascade::known_model(other).get());
    BOOST_TEST(first.get() == vedette::cascade::known_model(text).get());
    BOOST_CHECK_THROW((void)vedette::cascade::known_model("<damaged>"), std::exception);
}

BOOST_AUTO_TEST_CASE(wider_groups_idle_more) {
    Picture busy = noise(320, 240, VDT_FORMAT_GRAY8, 4);
    double last = 1;
    for (const std::uint32_t lanes : {1u, 4u, 16u, 32u}) {
        const double divergence = estimate(busy.view(), lanes).divergence;
        BOOST_TEST(divergence >= last - 0.02);
        last = divergence;
    }
    BOOST_TEST(estimate(busy.view(), 1).divergence == 1.0);
    BOOST_TEST(last > 1.05);
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
