#define BOOST_TEST_MODULE cli_find
#include "command.h"

#include <set>

using namespace cli_test;

namespace {

const std::set<std::string> match_keys{"pattern",        "x",        "y",     "w",   "h", "score", "scale", "residual",
                                       "residual_limit", "evidence", "stage", "quad"};
const std::set<std::string> result_keys{"status",       "matches",     "best",    "reason",  "margin",
                                        "copies",       "backend",     "device",  "variant", "choice",
                                        "predicted_ms", "measured_ms", "patterns"};

std::set<std::string> keys(const json& object) {
    std::set<std::string> result;
    for (const auto& [key, value] : object.items()) {
        result.insert(key);
    }
    return result;
}

template <class Set>
std::string listed(const Set& set) {
    std::string text;
    for (const auto& one : set) {
        text += one + " ";
    }
    return text;
}

// A screen with a pattern that was cut from it at (100, 60), and one that is not on it.
struct Files : Folder {
    Image image = tiles(320, 200, 1);
    std::string screen = write("screen.png", image);
    std::string pattern = write("pattern.png", part(image, 100, 60, 40, 24));
    std::string other = write("other.png", tiles(40, 24, 2));
};

bool is_framed(const Image& picture, std::uint32_t x, std::uint32_t y, std::size_t color) {
    const std::uint8_t* p = picture.row(y) + 3 * std::size_t{x};
    return p[color] > p[(color + 1) % 3] + 60 && p[color] > p[(color + 2) % 3] + 60;
}

// A coloured line runs down within three pixels of column `x`.
bool has_frame_at(const Image& picture, std::uint32_t x, std::uint32_t top, std::uint32_t bottom, std::size_t color) {
    for (std::uint32_t column = x - 3; column <= x + 3; ++column) {
        bool whole = true;
        for (std::uint32_t y = top; y < bottom && whole; ++y) {
            whole = is_framed(picture, column, y, color);
        }
        if (whole) {
            return true;
        }
    }
    return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(found_as_json) {
    const Files files;
    const Ran ran = command({"find", files.screen, files.pattern, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.err, "");
    BOOST_CHECK_EQUAL(ran.lines().size(), 1u);
    const json object = ran.object();
    BOOST_CHECK_EQUAL(listed(keys(object)), listed(result_keys));
    BOOST_CHECK_EQUAL(object["status"], "found");
    BOOST_REQUIRE_EQUAL(object["matches"].size(), 1u);
    const json match = object["matches"][0];
    BOOST_CHECK_EQUAL(listed(keys(match)), listed(match_keys));
    BOOST_CHECK_EQUAL(match["pattern"], 0);
    BOOST_CHECK_EQUAL(match["x"], 100);
    BOOST_CHECK_EQUAL(match["y"], 60);
    BOOST_CHECK_EQUAL(match["w"], 40);
    BOOST_CHECK_EQUAL(match["h"], 24);
    BOOST_CHECK_EQUAL(match["score"], 1.0);
    BOOST_CHECK_EQUAL(match["scale"], 1.0);
    BOOST_CHECK_LE(match["residual"].get<double>(), match["residual_limit"].get<double>());
    BOOST_CHECK_GT(match["evidence"].get<double>(), 0);
    BOOST_CHECK_EQUAL(match["stage"], "same");
    BOOST_CHECK_EQUAL(object["best"]["x"], 100);
    BOOST_CHECK(object["best"]["reason"].is_null());
    BOOST_CHECK(object["reason"].is_null());
    BOOST_CHECK(object["margin"].is_number());
    BOOST_CHECK_EQUAL(object["copies"], 0);
    BOOST_CHECK(object["backend"].is_string());
    BOOST_CHECK(object["device"].is_string());
    BOOST_CHECK(object["choice"].is_string());
    BOOST_CHECK(object["predicted_ms"].is_null() || object["predicted_ms"].is_number());
    BOOST_CHECK_GT(object["measured_ms"].get<double>(), 0);
    BOOST_REQUIRE_EQUAL(object["patterns"].size(), 1u);
    BOOST_CHECK_EQUAL(object["patterns"][0]["file"], files.pattern);
    BOOST_CHECK_EQUAL(object["patterns"][0]["found"], true);
}

BOOST_AUTO_TEST_CASE(not_found_as_json) {
    const Files files;
    const Ran ran = command({"find", files.screen, files.other, "--json", "--floor", "-1"});
    BOOST_CHECK_EQUAL(ran.status, 1);
    const json object = ran.object();
    BOOST_CHECK_EQUAL(listed(keys(object)), listed(result_keys));
    BOOST_CHECK_EQUAL(object["status"], "not_found");
    BOOST_CHECK(object["matches"].empty());
    BOOST_CHECK(object["reason"].is_string());
    BOOST_CHECK(object["best"]["reason"].is_string());
    BOOST_CHECK_LT(object["best"]["score"].get<double>(), 0.75);
    BOOST_CHECK(object["best"].contains("worst"));
}

BOOST_AUTO_TEST_CASE(several_patterns_are_told_apart) {
    const Files files;
    const Ran ran = command({"find", files.screen, files.pattern, files.other, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 1);
    const json object = ran.object();
    BOOST_CHECK_EQUAL(object["status"], "not_found");
    BOOST_REQUIRE_EQUAL(object["matches"].size(), 1u);
    BOOST_CHECK_EQUAL(object["matches"][0]["pattern"], 0);
    BOOST_REQUIRE_EQUAL(object["patterns"].size(), 2u);
    BOOST_CHECK_EQUAL(object["patterns"][0]["found"], true);
    BOOST_CHECK_EQUAL(object["patterns"][1]["found"], false);
    BOOST_CHECK_EQUAL(object["patterns"][1]["pattern"], 1);
    BOOST_CHECK_EQUAL(object["reason"], object["patterns"][1]["reason"]);  // of the one that is missing
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.pattern, files.pattern}).status, 0);
}

BOOST_AUTO_TEST_CASE(text_for_people) {
    const Files files;
    const Ran ran = command({"find", files.screen, files.pattern, files.other});
    BOOST_CHECK_EQUAL(ran.status, 1);
    BOOST_CHECK_EQUAL(ran.err, "");
    const std::vector<std::string> lines = ran.lines();
    BOOST_REQUIRE_EQUAL(lines.size(), 3u);
    BOOST_CHECK_MESSAGE(lines[0].rfind("found ", 0) == 0, lines[0]);
    for (const char* word : {"pattern.png", "at 100,60", "40 x 24", "score 1.0000", "residual", "same size"}) {
        BOOST_CHECK_MESSAGE(has(lines[0], word), lines[0]);
    }
    BOOST_CHECK_MESSAGE(lines[1].rfind("not found ", 0) == 0 && has(lines[1], "other.png"), lines[1]);
    BOOST_CHECK_EQUAL(lines[0].find(files.pattern), lines[1].find(files.other));  // aligned
    for (const char* word : {"320 x 200 searched in", " ms", " by ", " on ", "; "}) {
        BOOST_CHECK_MESSAGE(has(lines[2], word), lines[2]);
    }
}

BOOST_AUTO_TEST_CASE(a_changed_element_is_refused_with_the_place_that_differs) {
    const Files files;
    Image changed = part(files.image, 0, 0, 320, 200);
    for (std::uint32_t y = 68; y < 76; ++y) {
        std::memset(changed.row(y) + 3 * 112, 255, 3 * 8);
    }
    const std::string screen = files.write("changed.png", changed);
    const Ran ran = command({"find", screen, files.pattern, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 1);
    const json best = ran.object()["best"];
    BOOST_CHECK_EQUAL(best["x"], 100);
    BOOST_CHECK_EQUAL(best["y"], 60);
    BOOST_CHECK_GT(best["residual"].get<double>(), best["residual_limit"].get<double>());
    BOOST_CHECK(best["reason"].is_string());
    const json worst = best["worst"];
    BOOST_CHECK(worst["x"].get<int>() + worst["w"].get<int>() > 112 && worst["x"].get<int>() < 120);
    BOOST_CHECK(worst["y"].get<int>() + worst["h"].get<int>() > 68 && worst["y"].get<int>() < 76);

    const Ran text = command({"find", screen, files.pattern});
    BOOST_CHECK_EQUAL(text.status, 1);
    BOOST_CHECK_MESSAGE(has(text.out, "not found") && has(text.out, "best at 100,60") && has(text.out, ", most at "),
                        text.out);
    const Ran by_score = command({"find", screen, files.pattern, "--no-verify", "--json"});
    BOOST_CHECK_EQUAL(by_score.status, 0);
    const json match = by_score.object()["matches"][0];
    BOOST_CHECK(match["residual"].is_null() && match["residual_limit"].is_null() && match["evidence"].is_null());
    BOOST_CHECK_EQUAL(command({"find", screen, files.pattern, "--no-verify"}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", screen, files.pattern, "--no-verify", "--threshold", "0.999"}).status, 1);
}

BOOST_AUTO_TEST_CASE(all_copies_and_limits) {
    const Files files;
    Image image = part(files.image, 0, 0, 320, 200);
    const Image piece = part(image, 100, 60, 40, 24);
    paste(image, piece, 8, 8);
    paste(image, piece, 200, 150);
    const std::string screen = files.write("copies.png", image);
    const json one = command({"find", screen, files.pattern, "--json"}).object();
    BOOST_CHECK_EQUAL(one["matches"].size(), 1u);
    BOOST_CHECK_EQUAL(one["matches"][0]["y"], 8);  // the topmost of equals
    BOOST_CHECK_EQUAL(one["copies"], 2);
    const json all = command({"find", screen, files.pattern, "--all", "--json"}).object();
    BOOST_REQUIRE_EQUAL(all["matches"].size(), 3u);
    BOOST_CHECK_EQUAL(all["matches"][1]["y"], 60);
    BOOST_CHECK_EQUAL(all["matches"][2]["x"], 200);
    BOOST_CHECK_EQUAL(
        command({"find", screen, files.pattern, "--all", "--max", "2", "--json"}).object()["matches"].size(), 2u);
    const std::vector<std::string> lines = command({"find", screen, files.pattern, "--all"}).lines();
    BOOST_REQUIRE_GE(lines.size(), 4u);
    BOOST_CHECK_EQUAL(lines[0].find("at "), lines[1].find("at "));
    BOOST_CHECK_EQUAL(lines[0].find("score"), lines[2].find("score"));

    const json excluded = command({"find", screen, files.pattern, "--all", "--exclude", "0,0,50,50", "--exclude",
                                   "210,160,5,5", "--json"})
                              .object();
    BOOST_REQUIRE_EQUAL(excluded["matches"].size(), 1u);
    BOOST_CHECK_EQUAL(excluded["matches"][0]["x"], 100);
    const json region =
        command({"find", screen, files.pattern, "--all", "--region", "190,140,60,50", "--json"}).object();
    BOOST_REQUIRE_EQUAL(region["matches"].size(), 1u);
    BOOST_CHECK_EQUAL(region["matches"][0]["x"], 200);
}

BOOST_AUTO_TEST_CASE(scales) {
    const Folder folder;
    Image screen = tiles(320, 200, 1);
    paste(screen, tiles(96, 64, 7, 8), 120, 80);
    const std::string screen_file = folder.write("screen.png", screen);
    const std::string pattern = folder.write("pattern.png", tiles(48, 32, 7, 4));
    BOOST_CHECK_EQUAL(command({"find", screen_file, pattern, "--no-fallback"}).status, 1);
    BOOST_CHECK_EQUAL(command({"find", screen_file, pattern, "--scales", "none"}).status, 1);
    for (const std::vector<std::string>& given : {std::vector<std::string>{}, {"--scales", "auto"}}) {
        std::vector<std::string> words{"find", screen_file, pattern, "--json"};
        words.insert(words.end(), given.begin(), given.end());
        const Ran found = command(words);
        BOOST_CHECK_EQUAL(found.status, 0);
        const json place = found.object()["matches"].at(0);
        BOOST_CHECK_EQUAL(place["stage"], "scale");
        BOOST_CHECK(place["quad"].is_null());
        BOOST_CHECK_SMALL(place["scale"].get<double>() - 2, 0.05);
        BOOST_CHECK_SMALL(place["x"].get<double>() - 120, 2.0);
    }
    const Ran ran = command({"find", screen_file, pattern, "--scales", "0.5:2:0.5", "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const json match = ran.object()["matches"].at(0);
    BOOST_CHECK_EQUAL(match["scale"], 2.0);
    BOOST_CHECK_SMALL(match["x"].get<double>() - 120, 1.0);
    BOOST_CHECK_SMALL(match["y"].get<double>() - 80, 1.0);
    BOOST_CHECK_SMALL(match["w"].get<double>() - 96, 1.0);
    BOOST_CHECK_EQUAL(match["stage"], "scale");
    BOOST_CHECK(has(command({"find", screen_file, pattern, "--scales", "2:2:1"}).out, "scale 2"));
}

BOOST_AUTO_TEST_CASE(files_of_every_kind) {
    const Files files;
    const Image piece = part(files.image, 100, 60, 40, 24);
    const std::string screen16 = files.write("screen16.ppm", pnm(files.image, true));
    const std::string pattern8 = files.write("pattern8.ppm", pnm(piece));
    BOOST_CHECK_EQUAL(command({"find", screen16, files.pattern}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", screen16, pattern8}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", files.screen, pattern8}).status, 0);

    const Image gray = tiles(320, 200, 5, 4, VDT_FORMAT_GRAY8);
    const std::string gray_screen = files.write("gray.png", gray);
    const std::string gray_pattern = files.write("gray16.pgm", pnm(part(gray, 12, 100, 30, 30), true));
    BOOST_CHECK_EQUAL(command({"find", gray_screen, gray_pattern}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", gray_screen, gray_pattern, "--color", "bgr"}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.pattern, "--color", "gray"}).status, 0);

    // Half of the pattern is transparent and shows something else on the screen.
    Image masked(VDT_FORMAT_BGRA8, 40, 24);
    for (std::uint32_t y = 0; y < 24; ++y) {
        for (std::uint32_t x = 0; x < 40; ++x) {
            const bool visible = x < 20;
            std::memcpy(masked.row(y) + 4 * x, piece.row(y) + 3 * x, 3);
            masked.row(y)[4 * x] ^= visible ? 0 : 0xff;
            masked.row(y)[4 * x + 3] = visible ? 255 : 0;
        }
    }
    const json match = command({"find", files.screen, files.write("masked.png", masked), "--json"}).object();
    BOOST_CHECK_EQUAL(match["status"], "found");
    BOOST_CHECK_EQUAL(match["matches"].at(0)["x"], 100);
}

BOOST_AUTO_TEST_CASE(standard_input) {
    const Files files;
    const Ran screen = command({"find", "-", files.pattern, "--json"}, files.screen);
    BOOST_CHECK_EQUAL(screen.status, 0);
    BOOST_CHECK_EQUAL(screen.object()["matches"].at(0)["x"], 100);
    BOOST_CHECK_EQUAL(command({"find", files.screen, "-"}, files.pattern).status, 0);
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.other, "-"}, files.pattern).status, 1);
}

BOOST_AUTO_TEST_CASE(names_beginning_with_a_dash_and_in_utf8) {
    const Files files;
    const std::string name = files / "Schaltfl\u00e4che \u65e5\u672c.png";
    fs::copy_file(files.pattern, name);
    const Ran ran = command({"find", files.screen, name, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.object()["patterns"][0]["file"], name);
    const Ran dash = command({"find", files.screen, "--", "-pattern.png"});
    BOOST_CHECK_EQUAL(dash.status, 2);
    BOOST_CHECK_MESSAGE(has(dash.err, "'-pattern.png'"), dash.err);
}

BOOST_AUTO_TEST_CASE(a_backend_can_be_forced) {
    const Files files;
    const json listed = command({"backends", "--json"}).object();
    std::set<std::string> tried;
    for (const json& backend : listed["backends"]) {
        const std::string name = backend["backend"];
        if (tried.insert(name).second) {
            const json object = command({"find", files.screen, files.pattern, "--backend", name, "--json"}).object();
            BOOST_CHECK_EQUAL(object["status"], "found");
            BOOST_CHECK_EQUAL(object["backend"], name);
            BOOST_CHECK_EQUAL(object["matches"].at(0)["score"], 1.0);
            BOOST_CHECK_EQUAL(
                command({"find", files.screen, files.pattern, "--backend", name + ":0", "--json"}).object()["backend"],
                name);
        }
    }
    BOOST_CHECK(!tried.empty());
}

BOOST_AUTO_TEST_CASE(annotated_picture) {
    const Files files;
    const std::string picture = files / "annotated.png";
    const Ran ran = command({"find", files.screen, files.pattern, "--annotate", picture});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_MESSAGE(has(ran.out, picture), ran.out);
    const Image found = vedette::host::read_image(picture);
    BOOST_REQUIRE_EQUAL(found.format(), VDT_FORMAT_BGR8);
    BOOST_CHECK_EQUAL(found.width(), 320u);
    BOOST_CHECK_EQUAL(found.height(), 200u);
    constexpr std::size_t green = 1;
    constexpr std::size_t red = 2;
    BOOST_CHECK(has_frame_at(found, 100, 64, 80, green));
    BOOST_CHECK(has_frame_at(found, 140, 64, 80, green));
    BOOST_CHECK(std::memcmp(found.row(180), files.image.row(180), 3 * 320) == 0);  // elsewhere the screen itself

    Image changed = part(files.image, 0, 0, 320, 200);
    for (std::uint32_t y = 68; y < 76; ++y) {
        std::memset(changed.row(y) + 3 * 112, 255, 3 * 8);
    }
    const Ran refused =
        command({"find", files.write("changed.png", changed), files.pattern, "--annotate", picture, "--json"});
    BOOST_CHECK_EQUAL(refused.status, 1);
    const Image refused_picture = vedette::host::read_image(picture);
    BOOST_CHECK(has_frame_at(refused_picture, 100, 64, 80, red));
    BOOST_CHECK(!has_frame_at(refused_picture, 100, 64, 80, green));
}

BOOST_AUTO_TEST_CASE(verbose_tells_the_steps_on_standard_error) {
    const Files files;
    const Ran ran = command({"find", files.screen, files.pattern, "--json", "--verbose"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.object()["status"], "found");
    for (const char* word : {"screen.png read in ", "pattern.png read in ", "searched in ", " ms\n"}) {
        BOOST_CHECK_MESSAGE(has(ran.err, word), ran.err);
    }
}

BOOST_AUTO_TEST_CASE(time_limit) {
    const Files files;
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.pattern, "--time-limit", "60"}).status, 0);
    check_error({"find", files.screen, files.pattern, "--time-limit", "0.000000001"}, {}, "VDT_E_TIMEOUT");
}
