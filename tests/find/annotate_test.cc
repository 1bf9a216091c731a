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
