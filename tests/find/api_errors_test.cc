// Wrong calls, and callers built with another header.
#include "api_fixture.h"

#include <limits>

using namespace find_api;

BOOST_FIXTURE_TEST_SUITE(api_errors, Fixture)

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

BOOST_AUTO_TEST_SUITE_END()
