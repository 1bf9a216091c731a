// feature_match: pairs against brute force in double, homographies against those that the points were made with.
#include <algorithm>
#include <cmath>
#include <limits>

#include "feature_run.h"

namespace vedette::ops {

namespace {

Keypoints made(std::uint32_t count) {
    Keypoints set;
    set.points.resize(count);
    set.descriptors.resize(count);
    set.needed = count;
    return set;
}

// Bytes like SIFT's, or any floats.
Keypoints random_set(Random& random, std::uint32_t count, bool bytes) {
    Keypoints set = made(count);
    std::normal_distribution<float> normal(0, 3);
    for (std::uint32_t i = 0; i < count; ++i) {
        set.points[i].x = static_cast<float>(below(random, 1000));
        set.points[i].y = static_cast<float>(below(random, 1000));
        set.points[i].size = 3;
        for (float& value : set.descriptors[i]) value = bytes ? static_cast<float>(below(random, 256)) : normal(random);
    }
    return set;
}

// Each query descriptor is one of train with a little noise, or with much.
Keypoints noisy_copies(Random& random, const Keypoints& of, std::uint32_t count, bool bytes) {
    Keypoints set = random_set(random, count, bytes);
    for (std::uint32_t i = 0; i < count; ++i) {
        set.descriptors[i] = of.descriptors[below(random, static_cast<std::uint32_t>(of.points.size()))];
        const std::uint32_t noise = below(random, 100);
        for (float& value : set.descriptors[i]) {
            if (below(random, 100) >= noise) continue;
            value = bytes ? static_cast<float>(below(random, 256)) : value + static_cast<float>(below(random, 9)) - 4;
        }
    }
    return set;
}

std::vector<vdt_descriptor_match> brute_force(const Keypoints& query, const Keypoints& train, double ratio) {
    std::vector<vdt_descriptor_match> pairs;
    if (train.points.size() < 2) return pairs;
    for (std::uint32_t q = 0; q < query.points.size(); ++q) {
        double first = INFINITY, second = INFINITY;
        std::uint32_t index = 0;
        for (std::uint32_t t = 0; t < train.points.size(); ++t) {
            double sum = 0;
            for (std::size_t k = 0; k < descriptor_length; ++k) {
                const double d =
                    static_cast<double>(query.descriptors[q][k]) - static_cast<double>(train.descriptors[t][k]);
                sum += d * d;
            }
            if (sum < first) {
                second = first;
                first = sum;
                index = t;
            } else if (sum < second) {
                second = sum;
            }
        }
        if (std::sqrt(first) < ratio * std::sqrt(second))
            pairs.push_back({q, index, static_cast<float>(std::sqrt(first)), 0});
    }
    return pairs;
}

// `exact`: distances equal; else within float's rounding of a sum (a pair at the very ratio may then go either way; the
// random sets here have none).
void check_pairs(const Matches& is, const std::vector<vdt_descriptor_match>& should) {
    BOOST_REQUIRE_MESSAGE(is.code == VDT_OK, is.text);
    BOOST_REQUIRE_EQUAL(is.pairs.size(), should.size());
    BOOST_CHECK_EQUAL(is.needed, should.size());
    for (std::size_t i = 0; i < should.size(); ++i) {
        BOOST_REQUIRE_EQUAL(is.pairs[i].query, should[i].query);
        BOOST_REQUIRE_EQUAL(is.pairs[i].train, should[i].train);
        BOOST_REQUIRE_LE(std::fabs(is.pairs[i].distance - should[i].distance), 2e-6F * should[i].distance);
        BOOST_REQUIRE_LE(is.pairs[i].inlier, 1);
    }
}

// A set of places with descriptors of their own, and the places where `h` maps them to with the same descriptors; of
// these `wrong` (a share) lie anywhere, the others off by up to `noise` pixels.
struct Scene {
    Keypoints query, train;
};
Scene mapped_scene(Random& random, const std::array<double, 9>& h, std::uint32_t count, double wrong, double noise) {
    Scene scene;
    scene.query = random_set(random, count, true);
    scene.train = scene.query;
    std::uniform_real_distribution<double> error(-noise, noise);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Point to =
            mapped(h, {static_cast<double>(scene.query.points[i].x), static_cast<double>(scene.query.points[i].y)});
        scene.train.points[i].x = static_cast<float>(to.x + error(random));
        scene.train.points[i].y = static_cast<float>(to.y + error(random));
        if (below(random, 1000) >= wrong * 1000) continue;
        scene.train.points[i].x = static_cast<float>(below(random, 1200));
        scene.train.points[i].y = static_cast<float>(below(random, 1200));
    }
    return scene;
}

bool all_zero(const std::array<double, 9>& h) {
    return std::all_of(h.begin(), h.end(), [](double value) { return value == 0; });
}

const std::array<double, 9> homographies[] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.8, -0.3, 120, 0.25, 0.9, -40, 0, 0, 1},
    {1.1, 0.1, -20, -0.05, 1.3, 60, 2e-4, -1e-4, 1},
    {-0.5, 0.02, 900, 0.03, 0.5, 100, 1e-4, 3e-4, 1},  // mirrored
};

}  // namespace

BOOST_AUTO_TEST_SUITE(feature_match)

BOOST_DATA_TEST_CASE(pairs_as_brute_force,
                     bdata::make({1, 2, 3, 17, 64, 203}) * bdata::make({2, 3, 16, 33, 130, 411}) *
                         bdata::make({true, false}),
                     queries, train_count, bytes) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(static_cast<unsigned>(queries * 1000 + train_count));
    const Keypoints train = random_set(random, static_cast<std::uint32_t>(train_count), bytes);
    const Keypoints query = noisy_copies(random, train, static_cast<std::uint32_t>(queries), bytes);
    for (const double ratio : {0.75, 1.0}) {
        vdt_feature_match_params params = usual_match();
        params.ratio = ratio;
        check_pairs(matches_of(backend(), query, train, params), brute_force(query, train, ratio));
    }
}

// Values at the ends of a byte, where sums are largest; equal distances, where the first neighbour in order counts.
BOOST_AUTO_TEST_CASE(extreme_bytes_and_ties) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(5);
    Keypoints train = random_set(random, 300, true), query = random_set(random, 50, true);
    for (Descriptor& descriptor : train.descriptors)
        for (float& value : descriptor) value = value < 200 ? 255.0F : 0.0F;
    for (Descriptor& descriptor : query.descriptors)
        for (float& value : descriptor) value = value < 230 ? 255.0F : 1.0F;
    vdt_feature_match_params params = usual_match();
    params.ratio = 1;
    check_pairs(matches_of(backend(), query, train, params), brute_force(query, train, 1));
    // Three copies of one row: the two nearest are equally far, so no ratio is passed.
    train.descriptors[7] = train.descriptors[100] = train.descriptors[101] = query.descriptors[3];
    train.descriptors[7][0] = train.descriptors[100][0] = train.descriptors[101][0] = 128;
    const std::vector<vdt_descriptor_match> should = brute_force(query, train, 1);
    BOOST_CHECK(std::none_of(should.begin(), should.end(), [](const auto& pair) { return pair.query == 3; }));
    check_pairs(matches_of(backend(), query, train, params), should);
}

BOOST_DATA_TEST_CASE(every_layout, bdata::make(all_layouts), layout) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(11);
    const Keypoints train = random_set(random, 90, true), query = noisy_copies(random, train, 40, true);
    check_pairs(matches_of(backend(), query, train, usual_match(), layout), brute_force(query, train, 0.75));
}

BOOST_AUTO_TEST_CASE(too_few_descriptors) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(1);
    for (const std::uint32_t queries : {0U, 5U})
        for (const std::uint32_t train : {0U, 1U}) {
            const Matches found =
                matches_of(backend(), random_set(random, queries, true), random_set(random, train, true));
            BOOST_CHECK_EQUAL(found.code, VDT_OK);
            BOOST_CHECK(found.pairs.empty());
            BOOST_CHECK(all_zero(found.homography));
        }
}

BOOST_DATA_TEST_CASE(homography_with_outliers,
                     bdata::xrange(4) * bdata::make({0.0, 0.2, 0.4, 0.6}) * bdata::make({1, 77}), which, wrong, seed) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    const std::array<double, 9>& h = homographies[which];
    Random random(static_cast<unsigned>(which * 10 + seed));
    const Scene scene = mapped_scene(random, h, 200, wrong, 0.5);
    vdt_feature_match_params params = usual_match();
    params.seed = static_cast<std::uint64_t>(seed);
    const Matches found = matches_of(backend(), scene.query, scene.train, params);
    BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, found.text);
    BOOST_CHECK_EQUAL(found.pairs.size(), 200);
    BOOST_CHECK_CLOSE(found.homography[8], 1, 1e-9);
    for (const Point p : {Point{100, 100}, Point{900, 100}, Point{900, 900}, Point{100, 900}, Point{500, 400}}) {
        const Point is = mapped(found.homography, p), should = mapped(h, p);
        BOOST_CHECK_LE(std::hypot(is.x - should.x, is.y - should.y), 0.5);
    }
    std::size_t inliers = 0;
    for (const vdt_descriptor_match& pair : found.pairs) {
        const vdt_keypoint &from = scene.query.points[pair.query], &to = scene.train.points[pair.train];
        const Point is = mapped(found.homography, {static_cast<double>(from.x), static_cast<double>(from.y)});
        const double off = std::hypot(is.x - static_cast<double>(to.x), is.y - static_cast<double>(to.y));
        if (std::fabs(off - params.reprojection) > 1e-6)
            BOOST_CHECK_EQUAL(pair.inlier, off < params.reprojection ? 1 : 0);
        inliers += pair.inlier;
    }
    BOOST_CHECK_GE(static_cast<double>(inliers), 200 * (1 - wrong) - 25);
}

BOOST_AUTO_TEST_CASE(same_again) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(3);
    const Scene scene = mapped_scene(random, homographies[2], 150, 0.5, 1);
    const Matches first = matches_of(backend(), scene.query, scene.train),
                  second = matches_of(backend(), scene.query, scene.train);
    BOOST_CHECK(first.homography == second.homography);
}

// Sets that fix no homography.
BOOST_AUTO_TEST_CASE(degenerate_sets) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(9);
    const Scene good = mapped_scene(random, homographies[1], 60, 0, 0);
    const auto zeros = [&](const Scene& scene, const char* what) {
        const Matches found = matches_of(backend(), scene.query, scene.train);
        BOOST_REQUIRE_MESSAGE(found.code == VDT_OK, what << ": " << found.text);
        BOOST_CHECK_MESSAGE(all_zero(found.homography), what);
        for (const vdt_descriptor_match& pair : found.pairs) BOOST_CHECK_EQUAL(pair.inlier, 0);
    };
    const auto moved = [&](const auto& place) {
        Scene scene = good;
        for (std::uint32_t i = 0; i < 60; ++i) place(scene.query.points[i], scene.train.points[i], i);
        return scene;
    };
    zeros(moved([](vdt_keypoint& a, vdt_keypoint& b, std::uint32_t i) {
              a.x = static_cast<float>(i) * 7;
              a.y = static_cast<float>(i) * 3;
              b.x = a.x + 20;
              b.y = a.y + 5;
          }),
          "all on a line");
    zeros(moved([](vdt_keypoint& a, vdt_keypoint&, std::uint32_t) { a.x = a.y = 50; }),
          "all query points in one place");
    zeros(moved([](vdt_keypoint&, vdt_keypoint& b, std::uint32_t) { b.x = b.y = 50; }),
          "all train points in one place");
    zeros(moved([](vdt_keypoint&, vdt_keypoint& b, std::uint32_t) { b.y = 300; }), "train points on a line");
    Scene three = good;
    three.query.points.resize(3);
    three.query.descriptors.resize(3);
    zeros(three, "three pairs");
}

// Four pairs, not degenerate, are enough.
BOOST_AUTO_TEST_CASE(four_pairs) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(21);
    Scene scene = mapped_scene(random, homographies[2], 30, 0, 0);
    constexpr float places[4][2] = {{10, 20}, {800, 90}, {700, 650}, {60, 500}};
    for (std::size_t i = 0; i < 4; ++i) {
        scene.query.points[i].x = places[i][0];
        scene.query.points[i].y = places[i][1];
        const Point to =
            mapped(homographies[2], {static_cast<double>(places[i][0]), static_cast<double>(places[i][1])});
        scene.train.points[i].x = static_cast<float>(to.x);
        scene.train.points[i].y = static_cast<float>(to.y);
    }
    scene.query.points.resize(4);
    scene.query.descriptors.resize(4);
    const Matches found = matches_of(backend(), scene.query, scene.train);
    BOOST_REQUIRE_EQUAL(found.pairs.size(), 4);
    const Point is = mapped(found.homography, {400, 300}), should = mapped(homographies[2], {400, 300});
    BOOST_CHECK_LE(std::hypot(is.x - should.x, is.y - should.y), 0.1);
}

BOOST_AUTO_TEST_CASE(no_iterations) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(2);
    const Scene scene = mapped_scene(random, homographies[0], 50, 0, 0);
    vdt_feature_match_params params = usual_match();
    params.max_iterations = 0;
    const Matches found = matches_of(backend(), scene.query, scene.train, params);
    BOOST_CHECK_EQUAL(found.pairs.size(), 50);
    BOOST_CHECK(all_zero(found.homography));
}

BOOST_AUTO_TEST_CASE(list_too_small) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(8);
    const Keypoints set = random_set(random, 40, true);
    TestImage descriptors(VDT_FORMAT_GRAYF32, descriptor_length, 40), homography(VDT_FORMAT_F64, 3, 3);
    descriptors.fill(
        [&](std::uint32_t x, std::uint32_t y, std::uint32_t) { return static_cast<double>(set.descriptors[y][x]); });
    ItemList<vdt_keypoint> points(set.points);
    ItemList<vdt_descriptor_match> pairs(7);
    const vdt_feature_match_params params = usual_match();
    Operation operation;
    operation.op = VDT_OP_FEATURE_MATCH;
    operation.params = &params;
    operation.inputs = {descriptors.ptr(), descriptors.ptr()};
    operation.outputs = {homography.ptr()};
    operation.lists_in = {points.ptr(), points.ptr()};
    operation.lists_out = {pairs.ptr()};
    BOOST_CHECK_EQUAL(backend().run(operation).code, VDT_INCOMPLETE);
    BOOST_CHECK_EQUAL(pairs.ptr()->count, 7);
    BOOST_CHECK_EQUAL(pairs.ptr()->needed, 40);
    BOOST_CHECK(pairs.guards_intact());
    // The homography is that of all pairs.
    BOOST_CHECK_CLOSE(homography.at(0, 0), 1, 1e-4);
}

BOOST_AUTO_TEST_CASE(refusals) {
    if (!backend_has(VDT_OP_FEATURE_MATCH, "feature_match")) return;
    Random random(8);
    const Keypoints set = random_set(random, 10, true);
    const auto refused = [&](const auto& change) {
        vdt_feature_match_params params = usual_match();
        change(params);
        const Matches found = matches_of(backend(), set, set, params);
        BOOST_CHECK_EQUAL(found.code, VDT_E_ARGUMENT);
        BOOST_CHECK(!found.text.empty());
    };
    refused([](auto& p) { p.ratio = -0.1; });
    refused([](auto& p) { p.ratio = 1.1; });
    refused([](auto& p) { p.ratio = std::numeric_limits<double>::quiet_NaN(); });
    refused([](auto& p) { p.reprojection = 0; });
    refused([](auto& p) { p.reprojection = INFINITY; });
    refused([](auto& p) { p.max_iterations = 0xffffffff; });
    Keypoints broken = set;
    broken.descriptors[4][9] = std::numeric_limits<float>::quiet_NaN();
    BOOST_CHECK_EQUAL(matches_of(backend(), broken, set).code, VDT_E_ARGUMENT);
    broken = set;
    broken.points[4].x = std::numeric_limits<float>::infinity();
    BOOST_CHECK_EQUAL(matches_of(backend(), broken, set).code, VDT_E_ARGUMENT);
    BOOST_CHECK_EQUAL(matches_of(backend(), set, broken).code, VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
