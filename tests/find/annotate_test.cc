#include "find/annotate.h"

#include "core/failure.h"
#include "find/font.h"
#include "imageio/read_image.h"
#include "picture.h"

#include "boost_test.h"

#include <filesystem>
#include <set>
#include <string>

using namespace vedette;
using test::Image;

namespace {

vdt_match match_at(double x, double y, double w, double h, double score) {
    vdt_match match{};
    match.struct_size = sizeof match;
    match.x = x;
    match.y = y;
    match.w = w;
    match.h = h;
    match.score = score;
    return match;
}

struct TemporaryFile {
    std::string path;
    explicit TemporaryFile(const char* name) : path((std::filesystem::temp_directory_path() / name).string()) {}
    ~TemporaryFile() { std::filesystem::remove(path); }
};

bool pixel_is(const Image& image, std::uint32_t x, std::uint32_t y, int blue, int green, int red) {
    const std::uint8_t* pixel = image.row(y) + std::size_t{3} * x;
    return pixel[0] == blue && pixel[1] == green && pixel[2] == red;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(annotation)

BOOST_AUTO_TEST_CASE(matches_are_green_and_refusals_red_and_the_rest_is_untouched) {
    const Image picture = test::desktop(400, 300, 1);
    const host::Screen screen(test::copy(picture));
    host::PatternOutcome found;
    found.matches.push_back(match_at(50, 60, 40, 20, 0.98));
    host::PatternOutcome refused;
    refused.has_best = true;
    refused.best = match_at(200, 150, 60, 40, 0.91);
    refused.best.reason = VDT_REASON_DIFFERS_LOCALLY;
    refused.best.worst = {220, 160, 5, 5};
    const TemporaryFile file("vedette-annotate-test.png");
    host::annotate(screen, {found, refused}, file.path);
    const Image drawn = host::read_image(file.path);
    BOOST_REQUIRE(drawn.width() == 400U);
    BOOST_REQUIRE(drawn.height() == 300U);
    // The line lies just outside; what was found stays visible.
    BOOST_TEST(pixel_is(drawn, 70, 59, 40, 170, 0));
    BOOST_TEST(pixel_is(drawn, 49, 70, 40, 170, 0));
    BOOST_TEST(pixel_is(drawn, 230, 149, 20, 20, 230));
    BOOST_TEST(pixel_is(drawn, 222, 159, 0, 140, 255));
    for (std::uint32_t y = 60; y < 80; ++y)
        BOOST_TEST(std::equal(drawn.row(y) + 150, drawn.row(y) + 270, picture.row(y) + 150));
    BOOST_TEST(std::equal(drawn.row(299), drawn.row(299) + 1200, picture.row(299)));
    // A label stands above each frame, on a white outline.
    int ink = 0;
    int outline = 0;
    for (std::uint32_t y = 45; y < 57; ++y)
        for (std::uint32_t x = 48; x < 110; ++x) {
            ink += pixel_is(drawn, x, y, 40, 170, 0) ? 1 : 0;
            outline += pixel_is(drawn, x, y, 255, 255, 255) ? 1 : 0;
        }
    BOOST_TEST(ink > 60);
    BOOST_TEST(outline > ink / 2);
}

BOOST_AUTO_TEST_CASE(labels_of_neighbours_do_not_cover_each_other) {
    // Two rows of close neighbours: above the upper row there is room for half of the labels.
    const host::Screen screen(test::blank(400, 120, {200, 200, 200}));
    host::PatternOutcome outcome;
    for (int i = 0; i < 8; ++i) outcome.matches.push_back(match_at(60 + 36 * (i % 4), 40 + 30 * (i / 4), 30, 20, 0.95));
    const TemporaryFile file("vedette-annotate-labels-test.png");
    host::annotate(screen, {outcome}, file.path);
    const Image drawn = host::read_image(file.path);
    // Plates are white with text in green; one that is covered would show less than its share of either. Their left
    // edges are green columns as high as a plate, beside white.
    const auto plate_begins = [&](std::uint32_t x, std::uint32_t y) {
        for (std::uint32_t v = 0; v < 11; ++v)
            if (!pixel_is(drawn, x, y + v, 40, 170, 0)) return false;
        for (std::uint32_t v = 1; v < 10; ++v)
            if (!pixel_is(drawn, x + 1, y + v, 255, 255, 255)) return false;
        // Nothing cuts it: its bottom edge is whole.
        for (std::uint32_t u = 0; u < 30; ++u)
            if (!pixel_is(drawn, x + u, y + 10, 40, 170, 0)) return false;
        return true;
    };
    int plates = 0;
    for (std::uint32_t y = 0; y + 11 < drawn.height(); ++y)
        for (std::uint32_t x = 0; x + 31 < drawn.width(); ++x) plates += plate_begins(x, y) ? 1 : 0;
    BOOST_TEST(plates >= 6);
    BOOST_TEST(plates <= 8);
    // Whole elements stay visible.
    for (const vdt_match& match : outcome.matches)
        BOOST_TEST(pixel_is(drawn, static_cast<std::uint32_t>(match.x) + 15, static_cast<std::uint32_t>(match.y) + 10,
                            200, 200, 200));
}

BOOST_AUTO_TEST_CASE(a_quad_is_drawn_by_its_corners) {
    const host::Screen screen(test::blank(200, 160, {200, 200, 200}));
    host::PatternOutcome outcome;
    vdt_match match = match_at(40, 40, 100, 80, 0.9);
    match.stage = VDT_STAGE_FEATURES;
    const double corners[8] = {90, 40, 140, 80, 90, 120, 40, 80};
    std::copy_n(corners, 8, match.quad);
    outcome.matches.push_back(match);
    const TemporaryFile file("vedette-annotate-quad-test.png");
    host::annotate(screen, {outcome}, file.path);
    Image drawn = host::read_image(file.path);
    BOOST_TEST(pixel_is(drawn, 115, 60, 40, 170, 0));     // the middle of the upper right side
    BOOST_TEST(pixel_is(drawn, 65, 100, 40, 170, 0));     // and of the lower left one
    BOOST_TEST(pixel_is(drawn, 42, 112, 200, 200, 200));  // not the box around it
    BOOST_TEST(pixel_is(drawn, 90, 80, 200, 200, 200));
    // Corners far outside cost no time and draw what can be seen.
    const double far[8] = {-1e9, 80, 1e9, 80, 1e9, 1e9, -1e9, 1e9};
    std::copy_n(far, 8, outcome.matches[0].quad);
    host::annotate(screen, {outcome}, file.path);
    drawn = host::read_image(file.path);
    BOOST_TEST(pixel_is(drawn, 100, 80, 40, 170, 0));
}

BOOST_AUTO_TEST_CASE(frames_at_the_edge_and_over_everything_are_cut) {
    const host::Screen screen(test::desktop(60, 40, 1));
    host::PatternOutcome outcome;
    outcome.matches.push_back(match_at(0, 0, 60, 40, 1));
    outcome.matches.push_back(match_at(55, 35, 5, 5, -0.123));
    const TemporaryFile file("vedette-annotate-edge-test.png");
    host::annotate(screen, {outcome}, file.path);
    BOOST_TEST(host::read_image(file.path).width() == 60U);
}

BOOST_AUTO_TEST_CASE(an_unwritable_place_is_an_error) {
    const host::Screen screen(test::desktop(60, 40, 1));
    BOOST_CHECK_EXCEPTION(host::annotate(screen, {}, "/nonexistent-folder/x.png"), host::Failure,
                          [](const host::Failure& failure) { return failure.code() == VDT_E_FILE; });
}

BOOST_AUTO_TEST_CASE(glyphs_are_distinct) {
    std::set<host::Glyph> seen;
    const std::string characters = "0123456789abcdefghijklmnopqrstuvwxyz.,-:#";
    for (const char character : characters) {
        const host::Glyph glyph = host::glyph(character);
        BOOST_TEST((glyph != host::Glyph{}));
        BOOST_TEST(seen.insert(glyph).second, character);
    }
    BOOST_TEST((host::glyph('A') == host::glyph('a')));
    BOOST_TEST((host::glyph(' ') == host::Glyph{}));
}

BOOST_AUTO_TEST_SUITE_END()
