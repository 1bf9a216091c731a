// Finding through the public API, on every backend of the build that can.
#define BOOST_TEST_MODULE find_api
#include <vedette/vedette.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "boost_test.h"

namespace {

struct Destroy {
    void operator()(vdt_context* object) const { vdt_context_destroy(object); }
    void operator()(vdt_screen* object) const { vdt_screen_destroy(object); }
    void operator()(vdt_pattern* object) const { vdt_pattern_destroy(object); }
    void operator()(vdt_result* object) const { vdt_result_destroy(object); }
    void operator()(vdt_cancel* object) const { vdt_cancel_destroy(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

vdt_error no_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

// BGR pixels of a caller.
struct Picture {
    std::uint32_t width, height;
    std::vector<std::uint8_t> bytes;

    vdt_pixels pixels() const {
        vdt_pixels view{};
        view.struct_size = sizeof view;
        view.format = VDT_FORMAT_BGR8;
        view.width = width;
        view.height = height;
        view.stride = static_cast<std::int64_t>(width) * 3;
        view.bytes = bytes.size();
        view.data = bytes.data();
        return view;
    }
    std::uint8_t* at(std::uint32_t x, std::uint32_t y) { return bytes.data() + (std::size_t{y} * width + x) * 3; }
    const std::uint8_t* at(std::uint32_t x, std::uint32_t y) const {
        return bytes.data() + (std::size_t{y} * width + x) * 3;
    }
};

// Plain ground with blocks of random colours, four pixels wide.
Picture blocks(std::uint32_t width, std::uint32_t height, unsigned seed) {
    Picture picture{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height, 225)};
    std::mt19937 random(seed);
    for (std::uint32_t y = 0; y + 4 <= height; y += 4)
        for (std::uint32_t x = 0; x + 4 <= width; x += 4) {
            if ((random() & 3U) != 0) continue;
            const std::uint32_t color = static_cast<std::uint32_t>(random());
            for (std::uint32_t v = y; v < y + 4; ++v)
                for (std::uint32_t u = x; u < x + 4; ++u)
                    for (unsigned c = 0; c < 3; ++c)
                        picture.at(u, v)[c] = static_cast<std::uint8_t>(color >> (8 * c) & 255U);
        }
    return picture;
}

Picture crop(const Picture& picture, std::uint32_t x, std::uint32_t y, std::uint32_t w, std::uint32_t h) {
    Picture part{w, h, std::vector<std::uint8_t>(std::size_t{3} * w * h)};
    for (std::uint32_t v = 0; v < h; ++v) std::memcpy(part.at(0, v), picture.at(x, y + v), std::size_t{3} * w);
    return part;
}

struct Fixture {
    Owned<vdt_context> context;
    std::vector<std::string> backends;  // that can search

    Fixture() {
        vdt_error error = no_error();
        vdt_context* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_context_create(nullptr, &made, &error) == VDT_OK, error.text);
        context.reset(made);
        for (std::uint32_t i = 0; i < vdt_backend_count(made); ++i) {
            vdt_backend_info info{};
            info.struct_size = sizeof info;
            BOOST_REQUIRE(vdt_backend_at(made, i, &info, nullptr) == VDT_OK);
            if ((info.operations >> VDT_OP_TEMPLATE_FIND & 1U) != 0) backends.emplace_back(info.backend);
        }
        BOOST_REQUIRE_MESSAGE(!backends.empty(), "no backend of this build can search");
    }

    Owned<vdt_screen> screen(const Picture& picture) const {
        vdt_error error = no_error();
        vdt_screen* made = nullptr;
        const vdt_pixels pixels = picture.pixels();
        BOOST_REQUIRE_MESSAGE(vdt_screen_create(context.get(), &pixels, &made, &error) == VDT_OK, error.text);
        return Owned<vdt_screen>(made);
    }

    Owned<vdt_pattern> pattern(const vdt_pixels& pixels) const {
        vdt_error error = no_error();
        vdt_pattern* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_pattern_create(context.get(), &pixels, &made, &error) == VDT_OK, error.text);
        return Owned<vdt_pattern>(made);
    }
    Owned<vdt_pattern> pattern(const Picture& picture) const { return pattern(picture.pixels()); }

    Owned<vdt_result> find(vdt_screen* screen, vdt_pattern* pattern, const vdt_find_options* options = nullptr) const {
        vdt_error error = no_error();
        vdt_result* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_find(context.get(), screen, &pattern, 1, options, &made, &error) == VDT_OK,
                              error.text);
        return Owned<vdt_result>(made);
    }
};

vdt_match match_of(const vdt_result* result, std::uint32_t index) {
    vdt_match match{};
    match.struct_size = sizeof match;
    BOOST_REQUIRE(vdt_result_match(result, index, &match, nullptr) == VDT_OK);
    return match;
}

vdt_outcome outcome_of(const vdt_result* result, std::uint32_t pattern = 0) {
    vdt_outcome outcome{};
    outcome.struct_size = sizeof outcome;
    BOOST_REQUIRE(vdt_result_outcome(result, pattern, &outcome, nullptr) == VDT_OK);
    return outcome;
}

vdt_find_options defaults() {
    vdt_find_options options;
    vdt_find_options_init(&options);
    return options;
}

std::size_t resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    in >> total >> resident;
    return resident * 4096;
}

}  // namespace

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

BOOST_AUTO_TEST_CASE(wrong_calls_say_what_is_wrong) {
    const Picture picture = blocks(64, 64, 5);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 10, 10, 20, 20));
    vdt_pattern* patterns[2] = {wanted.get(), nullptr};
    vdt_result* result = nullptr;
    vdt_error error = no_error();
    const auto refused = [&](vdt_code code, const char* names) {
        BOOST_TEST(code == VDT_E_ARGUMENT);
        BOOST_TEST(std::string(error.text).find(names) != std::string::npos, error.text);
        BOOST_TEST(result == nullptr);
        error = no_error();
    };
    refused(vdt_find(nullptr, screen_object.get(), patterns, 1, nullptr, &result, &error), "context");
    refused(vdt_find(context.get(), nullptr, patterns, 1, nullptr, &result, &error), "screen");
    refused(vdt_find(context.get(), screen_object.get(), nullptr, 1, nullptr, &result, &error), "patterns");
    refused(vdt_find(context.get(), screen_object.get(), patterns, 0, nullptr, &result, &error), "pattern_count");
    refused(vdt_find(context.get(), screen_object.get(), patterns, 2, nullptr, &result, &error), "patterns[1]");
    refused(vdt_find(context.get(), screen_object.get(), patterns, 4000000, nullptr, &result, &error), "pattern_count");
    refused(vdt_find(context.get(), screen_object.get(), patterns, 1, nullptr, nullptr, &error), "result");
    vdt_find_options options = defaults();
    options.threshold = std::nan("");
    refused(vdt_find(context.get(), screen_object.get(), patterns, 1, &options, &result, &error), "threshold");
    options = defaults();
    options.region = {60, 0, 10, 10};
    refused(vdt_find(context.get(), screen_object.get(), patterns, 1, &options, &result, &error), "64 x 64");
    options = defaults();
    options.cancel = reinterpret_cast<vdt_cancel*>(screen_object.get());
    refused(vdt_find(context.get(), screen_object.get(), patterns, 1, &options, &result, &error), "cancel");
    // Without a record to fill as well.
    BOOST_TEST(vdt_find(context.get(), nullptr, patterns, 1, nullptr, &result, nullptr) == VDT_E_ARGUMENT);
    options = defaults();
    options.backend = "no-such-backend";
    BOOST_TEST(vdt_find(context.get(), screen_object.get(), patterns, 1, &options, &result, &error) < 0);
    BOOST_TEST(std::string(error.text).find("no-such-backend") != std::string::npos);

    vdt_screen* made = nullptr;
    BOOST_TEST(vdt_screen_from_file(context.get(), nullptr, &made, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_screen_from_file(context.get(), "/nonexistent/x.png", &made, &error) == VDT_E_FILE);
    BOOST_TEST(std::string(error.text).find("/nonexistent/x.png") != std::string::npos);
    BOOST_TEST(vdt_screen_from_memory(context.get(), "no image", 8, &made, &error) == VDT_E_FORMAT);
    BOOST_TEST(vdt_screen_create(context.get(), nullptr, &made, &error) == VDT_E_ARGUMENT);
    vdt_pixels pixels = picture.pixels();
    pixels.bytes -= 1;
    BOOST_TEST(vdt_screen_create(context.get(), &pixels, &made, &error) == VDT_E_SIZE);
    BOOST_TEST(made == nullptr);

    const auto found = find(screen_object.get(), wanted.get());
    vdt_match match{};
    BOOST_TEST(vdt_result_match(found.get(), 0, &match, &error) == VDT_E_ARGUMENT);  // no struct_size
    match.struct_size = sizeof match;
    BOOST_TEST(vdt_result_match(found.get(), 1, &match, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_result_match(nullptr, 0, &match, &error) == VDT_E_ARGUMENT);
    vdt_outcome outcome{};
    outcome.struct_size = sizeof outcome;
    BOOST_TEST(vdt_result_outcome(found.get(), 1, &outcome, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_result_match_count(nullptr) == 0U);
    BOOST_TEST(vdt_result_annotate(found.get(), screen_object.get(), nullptr, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_cancel_create(nullptr, &error) == VDT_E_ARGUMENT);
    vdt_screen_destroy(nullptr);
    vdt_pattern_destroy(nullptr);
    vdt_result_destroy(nullptr);
    vdt_cancel_destroy(nullptr);
    vdt_cancel_set(nullptr);
    vdt_cancel_reset(nullptr);
    for (std::uint32_t reason = 0; reason <= VDT_REASON_COLOR_ABSENT + 1U; ++reason)
        BOOST_TEST(std::string(vdt_reason_text(reason)).size() > 3U);
}

BOOST_AUTO_TEST_CASE(a_caller_with_an_older_struct_gets_what_it_knows) {
    const Picture picture = blocks(64, 64, 5);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 10, 10, 20, 20));
    const auto result = find(screen_object.get(), wanted.get());
    vdt_match match;
    std::memset(&match, 0x5A, sizeof match);
    match.struct_size = offsetof(vdt_match, score);
    BOOST_TEST(vdt_result_match(result.get(), 0, &match, nullptr) == VDT_OK);
    BOOST_TEST(match.x == 10);
    BOOST_TEST(match.struct_size == offsetof(vdt_match, score));
    std::uint64_t untouched = 0;
    std::memcpy(&untouched, &match.score, sizeof untouched);
    BOOST_TEST(untouched == 0x5A5A5A5A5A5A5A5AU);
}

BOOST_AUTO_TEST_CASE(a_cancelled_find_and_one_out_of_time_end) {
    const Picture picture = blocks(400, 300, 5);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 10, 10, 60, 60));
    vdt_cancel* cancel = nullptr;
    BOOST_REQUIRE(vdt_cancel_create(&cancel, nullptr) == VDT_OK);
    const Owned<vdt_cancel> owned(cancel);
    vdt_find_options options = defaults();
    options.cancel = cancel;
    vdt_pattern* list[1] = {wanted.get()};
    vdt_result* result = nullptr;
    vdt_error error = no_error();
    vdt_cancel_set(cancel);
    BOOST_TEST(vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, &error) == VDT_E_CANCELLED);
    BOOST_TEST(result == nullptr);
    BOOST_TEST(std::string(error.text).size() > 5U);
    vdt_cancel_reset(cancel);
    BOOST_TEST(vdt_result_match_count(find(screen_object.get(), wanted.get(), &options).get()) == 1U);

    options = defaults();
    options.time_limit = 1e-9;
    BOOST_TEST(vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, &error) == VDT_E_TIMEOUT);

    // From another thread, in the middle of a long search.
    const Picture large = blocks(1600, 900, 6);
    const auto large_screen = screen(large);
    std::vector<Owned<vdt_pattern>> many;
    std::vector<vdt_pattern*> pointers;
    for (unsigned i = 0; i < 60; ++i) {
        many.push_back(pattern(blocks(48, 48, 1000 + i)));
        pointers.push_back(many.back().get());
    }
    options = defaults();
    options.floor = -1;
    options.cancel = cancel;
    std::atomic<bool> begun{false};
    vdt_code code = VDT_OK;
    std::thread search([&] {
        begun = true;
        code = vdt_find(context.get(), large_screen.get(), pointers.data(), 60, &options, &result, nullptr);
    });
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    vdt_cancel_set(cancel);
    search.join();
    BOOST_TEST(code == VDT_E_CANCELLED);
}

BOOST_AUTO_TEST_CASE(several_threads_share_a_screen_and_patterns) {
    const Picture picture = blocks(240, 160, 8);
    const auto screen_object = screen(picture);
    std::vector<Owned<vdt_pattern>> patterns;
    for (std::uint32_t i = 0; i < 4; ++i) patterns.push_back(pattern(crop(picture, 20 + 40 * i, 30 + 10 * i, 32, 20)));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint32_t round = 0; round < 6; ++round) {
                const std::uint32_t i = (t + round) % 4;
                vdt_find_options options = defaults();
                const double factors[3] = {1, 0.5, 2};
                options.scales = factors;
                options.scale_count = 1 + round % 3;
                options.color = round % 3;
                vdt_pattern* list[1] = {patterns[i].get()};
                vdt_result* result = nullptr;
                if (vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, nullptr) != VDT_OK) {
                    ++wrong;
                    continue;
                }
                vdt_match match{};
                match.struct_size = sizeof match;
                if (vdt_result_match(result, 0, &match, nullptr) != VDT_OK || match.x != 20 + 40 * i ||
                    match.score != 1)
                    ++wrong;
                vdt_result_destroy(result);
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a_thousand_finds_take_no_more_memory) {
    const Picture picture = blocks(160, 100, 8);
    const Picture part = crop(picture, 60, 40, 24, 16);
    const auto round = [&] {
        const auto screen_object = screen(picture);
        const auto wanted = pattern(part);
        BOOST_REQUIRE(vdt_result_match_count(find(screen_object.get(), wanted.get()).get()) == 1U);
    };
    for (int i = 0; i < 100; ++i) round();
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 1000; ++i) round();
    const std::size_t after = resident_bytes();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // Sanitizers keep freed memory back on purpose; AddressSanitizer finds what is really lost at the end.
    BOOST_TEST_MESSAGE("resident memory is not judged under a sanitizer: " << after - before << " bytes more");
#else
    BOOST_TEST(after < before + (std::size_t{2} << 20U));
#endif
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
