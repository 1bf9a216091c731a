// Finding through the public API, on every backend of the build that can.
#define BOOST_TEST_MODULE find_api
#include "api_fixture.h"

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace find_api;

BOOST_FIXTURE_TEST_SUITE(api, Fixture)

BOOST_AUTO_TEST_CASE(every_backend_gives_the_same_matches) {
    const Picture picture = blocks(320, 200, 3);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 121, 60, 37, 22));
    const auto partly = pattern(crop(picture, 300, 190, 20, 10));
    vdt_pattern* both[2] = {wanted.get(), partly.get()};
    std::vector<vdt_match> first;
    for (const std::string& backend : backends) {
        vdt_find_options options = defaults();
        options.all = 1;
        options.threshold = 0.4;
        options.verify = 0;
        options.backend = backend.c_str();
        vdt_result* made = nullptr;
        vdt_error error = no_error();
        BOOST_REQUIRE_MESSAGE(vdt_find(context.get(), screen_object.get(), both, 2, &options, &made, &error) == VDT_OK,
                              error.text);
        const Owned<vdt_result> result(made);
        vdt_run_info run{};
        run.struct_size = sizeof run;
        BOOST_REQUIRE(vdt_result_run(made, &run, nullptr) == VDT_OK);
        BOOST_TEST(run.backend == backend);
        BOOST_TEST(std::string(run.choice).size() > 5U);
        BOOST_TEST(run.measured_ms > 0);
        std::vector<vdt_match> matches;
        for (std::uint32_t i = 0; i < vdt_result_match_count(made); ++i) matches.push_back(match_of(made, i));
        BOOST_REQUIRE(!matches.empty());
        BOOST_TEST(matches[0].x == 121);
        BOOST_TEST(matches[0].score == 1);
        if (first.empty()) first = matches;
        BOOST_REQUIRE(matches.size() == first.size());
        for (std::size_t i = 0; i < matches.size(); ++i)
            BOOST_TEST(std::memcmp(&matches[i], &first[i], sizeof(vdt_match)) == 0);
    }
}

BOOST_AUTO_TEST_CASE(formats_and_strides_of_the_caller) {
    const Picture picture = blocks(200, 120, 5);
    const auto screen_object = screen(picture);
    const std::uint32_t w = 30, h = 18;
    const Picture part = crop(picture, 90, 41, w, h);
    for (const vdt_format format :
         {VDT_FORMAT_RGB8, VDT_FORMAT_BGRA8, VDT_FORMAT_RGBA8, VDT_FORMAT_BGR16, VDT_FORMAT_RGBA16})
        for (const bool upwards : {false, true}) {
            const bool deep = format == VDT_FORMAT_BGR16 || format == VDT_FORMAT_RGBA16;
            const bool red_first =
                format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_RGBA8 || format == VDT_FORMAT_RGBA16;
            const std::size_t channels = format == VDT_FORMAT_RGB8 || format == VDT_FORMAT_BGR16 ? 3 : 4;
            const std::size_t row = w * channels * (deep ? 2 : 1) + 6;
            std::vector<std::uint8_t> bytes(row * h, 255);
            for (std::uint32_t y = 0; y < h; ++y)
                for (std::uint32_t x = 0; x < w; ++x)
                    for (std::size_t c = 0; c < 3; ++c) {
                        const std::uint8_t value = part.at(x, y)[red_first ? 2 - c : c];
                        std::uint8_t* to =
                            bytes.data() + row * (upwards ? h - 1 - y : y) + (x * channels + c) * (deep ? 2 : 1);
                        to[0] = value;
                        if (deep) to[1] = value;  // value * 257
                    }
            vdt_pixels pixels{};
            pixels.struct_size = sizeof pixels;
            pixels.format = format;
            pixels.width = w;
            pixels.height = h;
            pixels.stride = upwards ? -static_cast<std::int64_t>(row) : static_cast<std::int64_t>(row);
            pixels.bytes = bytes.size();
            pixels.data = upwards ? bytes.data() + row * (h - 1) : bytes.data();
            const auto result = find(screen_object.get(), pattern(pixels).get());
            BOOST_REQUIRE(vdt_result_match_count(result.get()) == 1U);
            BOOST_TEST(match_of(result.get(), 0).x == 90);
            BOOST_TEST(match_of(result.get(), 0).score == 1);
        }
}

BOOST_AUTO_TEST_CASE(files_and_the_annotated_picture) {
    const Picture picture = blocks(240, 160, 8);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 100, 70, 40, 24));
    const auto result = find(screen_object.get(), wanted.get());
    const std::string path = (std::filesystem::temp_directory_path() / "vedette-api-test-\xc3\xa4.png").string();
    vdt_error error = no_error();
    BOOST_REQUIRE_MESSAGE(vdt_result_annotate(result.get(), screen_object.get(), path.c_str(), &error) == VDT_OK,
                          error.text);
    vdt_screen* loaded = nullptr;
    BOOST_REQUIRE_MESSAGE(vdt_screen_from_file(context.get(), path.c_str(), &loaded, &error) == VDT_OK, error.text);
    const Owned<vdt_screen> owned(loaded);
    std::uint32_t w = 0, h = 0;
    BOOST_TEST(vdt_screen_size(loaded, &w, &h, &error) == VDT_OK);
    BOOST_TEST(w == 240U);
    BOOST_TEST(h == 160U);
    // What was found lies inside the frame, untouched.
    BOOST_TEST(vdt_result_match_count(find(loaded, wanted.get()).get()) == 1U);
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    vdt_pattern* from_memory = nullptr;
    BOOST_TEST(vdt_pattern_from_memory(context.get(), bytes.data(), bytes.size(), &from_memory, &error) == VDT_OK);
    vdt_pattern_destroy(from_memory);
    // The picture of another screen is refused.
    const auto other = screen(blocks(64, 64, 1));
    BOOST_TEST(vdt_result_annotate(result.get(), other.get(), path.c_str(), &error) == VDT_E_ARGUMENT);
    std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(excluded_parts_of_a_pattern) {
    Picture picture = blocks(200, 120, 5);
    const Picture part = crop(picture, 80, 40, 40, 24);
    for (std::uint32_t y = 48; y < 56; ++y) std::memset(picture.at(88, y), 0, 30);  // something in front
    const auto screen_object = screen(picture);
    const auto wanted = pattern(part);
    BOOST_TEST(vdt_result_match_count(find(screen_object.get(), wanted.get()).get()) == 0U);
    const vdt_rect hidden{8, 8, 10, 8};
    BOOST_REQUIRE(vdt_pattern_exclude(wanted.get(), &hidden, 1, nullptr) == VDT_OK);
    const auto result = find(screen_object.get(), wanted.get());
    BOOST_REQUIRE(vdt_result_match_count(result.get()) == 1U);
    BOOST_TEST(match_of(result.get(), 0).score == 1);
    vdt_error error = no_error();
    const vdt_rect all{0, 0, 40, 24};
    BOOST_TEST(vdt_pattern_exclude(wanted.get(), &all, 1, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(std::string(error.text).find("excluded") != std::string::npos);
    const vdt_rect empty{0, 0, 0, 5};
    BOOST_TEST(vdt_pattern_exclude(wanted.get(), &empty, 1, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_pattern_exclude(wanted.get(), nullptr, 1, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_pattern_exclude(wanted.get(), nullptr, 0, &error) == VDT_OK);
}

BOOST_AUTO_TEST_CASE(what_no_backend_is_needed_for_runs_on_none) {
    const Picture picture = blocks(64, 64, 5);
    const auto screen_object = screen(picture);
    const auto large = pattern(blocks(80, 20, 1));
    const auto result = find(screen_object.get(), large.get());
    BOOST_TEST(outcome_of(result.get()).reason == static_cast<unsigned>(VDT_REASON_TOO_LARGE));
    BOOST_TEST(outcome_of(result.get()).has_best == 0U);
    vdt_run_info run{};
    run.struct_size = sizeof run;
    BOOST_REQUIRE(vdt_result_run(result.get(), &run, nullptr) == VDT_OK);
    BOOST_TEST(std::string(run.backend).empty());
    BOOST_TEST(run.predicted_ms == -1);
}

BOOST_AUTO_TEST_SUITE_END()
