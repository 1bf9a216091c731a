#define BOOST_TEST_MODULE cli_match
#include "command.h"

#include "find/feature_judgement.h"

#include <cmath>
#include <set>

using namespace cli_test;

namespace {

const std::set<std::string> result_keys{"status",           "quad",   "inliers", "pairs",  "pattern_keypoints",
                                        "screen_keypoints", "reason", "backend", "device", "measured_ms"};

struct Corner {
    double x, y;
};

// Corners of a pattern that was cut at (x, y).
std::vector<Corner> rectangle(double x, double y, double w, double h) {
    return {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
}

void check_quad(const json& quad, const std::vector<Corner>& should, double tolerance) {
    BOOST_REQUIRE_EQUAL(quad.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        BOOST_CHECK_SMALL(quad[i]["x"].get<double>() - should[i].x, tolerance);
        BOOST_CHECK_SMALL(quad[i]["y"].get<double>() - should[i].y, tolerance);
    }
}

// Turned clockwise by a right angle.
Image turned(const Image& image) {
    Image result(image.format(), image.height(), image.width());
    const std::size_t channels = vedette::host::bytes_per_pixel(image.format());
    for (std::uint32_t y = 0; y < result.height(); ++y) {
        for (std::uint32_t x = 0; x < result.width(); ++x) {
            std::memcpy(result.row(y) + x * channels, image.row(result.width() - 1 - x) + y * channels, channels);
        }
    }
    return result;
}

struct Files : Folder {
    Image image = tiles(400, 300, 1, 6);
    std::string screen = write("screen.png", image);
    std::string pattern = write("pattern.png", part(image, 120, 80, 150, 110));
    std::string other = write("other.png", tiles(150, 110, 2, 6));
};

}  // namespace

BOOST_AUTO_TEST_CASE(found_as_json) {
    const Files files;
    const Ran ran = command({"match", files.screen, files.pattern, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.err, "");
    const json object = ran.object();
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.insert(key);
    }
    BOOST_CHECK(keys == result_keys);
    BOOST_CHECK_EQUAL(object["status"], "found");
    BOOST_CHECK(object["reason"].is_null());
    check_quad(object["quad"], rectangle(120, 80, 150, 110), 0.5);
    BOOST_CHECK_GE(object["inliers"].get<int>(), 12);
    BOOST_CHECK_GE(object["pairs"].get<int>(), object["inliers"].get<int>());
    BOOST_CHECK_GE(object["screen_keypoints"].get<int>(), object["pattern_keypoints"].get<int>());
}

BOOST_AUTO_TEST_CASE(turned_pattern) {
    const Files files;
    const std::string pattern = files.write("turned.png", turned(part(files.image, 120, 80, 150, 110)));
    const json object = command({"match", files.screen, pattern, "--json"}).object();
    BOOST_CHECK_EQUAL(object["status"], "found");
    // Its upper left corner is the lower left one of what was cut.
    check_quad(object["quad"], {{120, 190}, {120, 80}, {270, 80}, {270, 190}}, 1);
}

BOOST_AUTO_TEST_CASE(found_as_text) {
    const Files files;
    const Ran ran = command({"match", files.screen, files.pattern});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const std::vector<std::string> lines = ran.lines();
    BOOST_REQUIRE_EQUAL(lines.size(), 3u);
    BOOST_CHECK_MESSAGE(lines[0].rfind("found ", 0) == 0 && has(lines[0], files.pattern), lines[0]);
    BOOST_CHECK_MESSAGE(has(lines[1], "pairs agree"), lines[1]);
    BOOST_CHECK_MESSAGE(has(lines[2], " ms"), lines[2]);
}

BOOST_AUTO_TEST_CASE(not_found) {
    const Files files;
    const Ran text = command({"match", files.screen, files.other});
    BOOST_CHECK_EQUAL(text.status, 1);
    BOOST_CHECK_EQUAL(text.err, "");
    BOOST_CHECK_MESSAGE(text.out.rfind("not found ", 0) == 0, text.out);
    const Ran ran = command({"match", files.screen, files.other, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 1);
    BOOST_CHECK_EQUAL(ran.object()["status"], "not_found");
    BOOST_CHECK(ran.object()["reason"].is_string());
    // A picture without any keypoint is no error.
    Image flat(VDT_FORMAT_BGR8, 60, 40);
    for (std::uint32_t y = 0; y < 40; ++y) {
        std::memset(flat.row(y), 90, std::size_t{3} * 60);
    }
    const Ran nothing = command({"match", files.screen, files.write("flat.png", flat), "--json"});
    BOOST_CHECK_EQUAL(nothing.status, 1);
    BOOST_CHECK_EQUAL(nothing.object()["pattern_keypoints"], 0);
    BOOST_CHECK(nothing.object()["quad"].is_null());
}

BOOST_AUTO_TEST_CASE(same_seed_same_answer) {
    const Files files;
    const auto answer = [&](const std::string& seed) {
        json object = command({"match", files.screen, files.pattern, "--json", "--seed", seed}).object();
        object.erase("measured_ms");
        return object;
    };
    BOOST_CHECK_EQUAL(answer("42"), answer("42"));
    BOOST_CHECK_EQUAL(answer("18446744073709551615")["status"], "found");
}

// Keypoints on transparent pixels take no part: here all that is not the pattern.
BOOST_AUTO_TEST_CASE(transparent_pixels) {
    const Files files;
    Image pattern(VDT_FORMAT_BGRA8, 150, 110);
    const Image piece = part(files.image, 120, 80, 150, 110), strange = tiles(150, 110, 9, 6);
    for (std::uint32_t y = 0; y < 110; ++y) {
        for (std::uint32_t x = 0; x < 150; ++x) {
            const bool opaque = x < 100;
            std::memcpy(pattern.row(y) + 4 * x, (opaque ? piece : strange).row(y) + 3 * x, 3);
            pattern.row(y)[4 * x + 3] = opaque ? 255 : 0;
        }
    }
    const json masked = command({"match", files.screen, files.write("masked.png", pattern), "--json"}).object();
    BOOST_CHECK_EQUAL(masked["status"], "found");
    check_quad(masked["quad"], rectangle(120, 80, 150, 110), 2);
    const json whole = command({"match", files.screen, files.pattern, "--json"}).object();
    BOOST_CHECK_LT(masked["pattern_keypoints"].get<int>(), 0.8 * whole["pattern_keypoints"].get<int>());
}

BOOST_AUTO_TEST_CASE(annotated) {
    const Files files;
    const std::string picture = files / "out.png";
    BOOST_CHECK_EQUAL(command({"match", files.screen, files.pattern, "--annotate", picture}).status, 0);
    const Image drawn = vedette::host::read_image(picture);
    BOOST_REQUIRE(drawn.width() == 400 && drawn.height() == 300);
    const auto is_green = [&](std::uint32_t x, std::uint32_t y) {
        const std::uint8_t* const p = drawn.row(y) + 3 * std::size_t{x};
        return p[1] == 170 && p[0] == 40 && p[2] == 0;
    };
    for (std::uint32_t x = 125; x < 265; x += 10) {
        BOOST_CHECK(is_green(x, 79) || is_green(x, 80));
        BOOST_CHECK(is_green(x, 189) || is_green(x, 190));
    }
    for (std::uint32_t y = 85; y < 185; y += 10) {
        BOOST_CHECK(is_green(119, y) || is_green(120, y));
        BOOST_CHECK(is_green(269, y) || is_green(270, y));
    }
    // The rest is the screen.
    BOOST_CHECK(std::memcmp(drawn.row(20), files.image.row(20), std::size_t{3} * 400) == 0);
    BOOST_CHECK(std::memcmp(drawn.row(130) + 3 * 140, files.image.row(130) + 3 * 140, std::size_t{3} * 100) == 0);
}

BOOST_AUTO_TEST_CASE(errors) {
    const Files files;
    check_error({"match", files / "none.png", files.pattern}, {"none.png"}, "VDT_E_FILE");
    check_error({"match", files.screen, files.pattern, "--ratio", "1.5"}, {"--ratio", "1"});
    check_error({"match", files.screen, files.pattern, "--reprojection", "0"}, {"--reprojection"});
    check_error({"match", files.screen, files.pattern, "--backend", "nobody"}, {"nobody"});
    check_error({"match", "-", "-"}, {"standard input"});
    check_error({"match", files.screen, files.pattern, "--annotate", files / "no/such/out.png"}, {"out.png"},
                "VDT_E_FILE");
}

// ---- guards ---------------------------------------------------------------------------------------------------------

namespace {

using vedette::host::Extent;
using vedette::host::FeatureJudgement;

struct Matching {
    std::vector<vdt_keypoint> pattern, screen;
    std::vector<vdt_descriptor_match> pairs;
    std::array<double, 9> homography{};
};

constexpr Extent pattern{100, 60}, screen{640, 480};

// `inliers` pairs that agree on a homography among `pairs`, all at places of their own.
Matching matching(const std::array<double, 9>& homography, std::uint32_t inliers = 20, std::uint32_t pairs = 40) {
    Matching result;
    result.homography = homography;
    for (std::uint32_t i = 0; i < pairs; ++i) {
        vdt_keypoint point{};
        point.x = static_cast<float>(i);
        point.y = static_cast<float>(i * i % 37);
        result.pattern.push_back(point);
        result.screen.push_back(point);
        result.pairs.push_back({i, i, 1, i < inliers ? 1U : 0U});
    }
    return result;
}

FeatureJudgement judged(const Matching& asked) {
    return vedette::host::judge(asked.pattern, asked.screen, asked.pairs, asked.homography, pattern, screen);
}

void check_refused(const Matching& asked, const std::string& word) {
    const FeatureJudgement judgement = judged(asked);
    BOOST_CHECK(!judgement.found);
    BOOST_CHECK_MESSAGE(has(judgement.reason, word), "no '" << word << "' in: " << judgement.reason);
}

constexpr std::array<double, 9> moved{1, 0, 200, 0, 1, 100, 0, 0, 1};

}  // namespace

BOOST_AUTO_TEST_CASE(accepted) {
    const FeatureJudgement judgement = judged(matching(moved));
    BOOST_CHECK(judgement.found);
    BOOST_CHECK_EQUAL(judgement.reason, "");
    BOOST_CHECK_EQUAL(judgement.inliers, 20u);
    BOOST_CHECK_SMALL(judgement.quad.corner[0].x - 200, 1e-9);
    BOOST_CHECK_SMALL(judgement.quad.corner[2].x - 300, 1e-9);
    BOOST_CHECK_SMALL(judgement.quad.corner[2].y - 160, 1e-9);
    // The same homography but for a factor.
    std::array<double, 9> scaled = moved;
    for (double& value : scaled) {
        value *= -3;
    }
    BOOST_CHECK(judged(matching(scaled)).found);
    // At the bounds.
    BOOST_CHECK(judged(matching(moved, 12, 48)).found);
}

BOOST_AUTO_TEST_CASE(refused) {
    check_refused(matching({}, 0, 3), "four are needed");
    check_refused(matching({}, 0), "no place");
    check_refused(matching(moved, 11), "only 11 pairs");
    check_refused(matching(moved, 20, 81), "20 of 81");
    Matching crowded = matching(moved);
    for (vdt_keypoint& point : crowded.screen) {
        point.x = point.y = 5;
    }
    check_refused(crowded, "only 1 pairs");
    check_refused(matching({-1, 0, 300, 0, 1, 100, 0, 0, 1}), "mirrored");
    check_refused(matching({0.2, 0, 200, 0, 0.2, 100, 0, 0, 1}), "0.04 times");
    check_refused(matching({4, 0, 10, 0, 4, 10, 0, 0, 1}), "16 times");
    check_refused(matching({1, 0, 600, 0, 1, 100, 0, 0, 1}), "on the screen");
    check_refused(matching({1, 0, 200, 0, 1, 100, -0.02, 0, 1}), "horizon");
    check_refused(matching({0, 0, 1, 0, 0, 1, 0, 0, 1}), "no convex figure");
}
