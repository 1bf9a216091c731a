// The project's sample screen at other sizes, and turned.
#include "api_fixture.h"

#include <cmath>
#include <numbers>

using namespace find_api;

namespace {

Picture picture_of(const std::string& file) {
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    vdt_error error = no_error();
    const std::string path = std::string(VEDETTE_SAMPLE_DIR) + "/" + file;
    BOOST_REQUIRE_MESSAGE(vdt_pixels_from_file(path.c_str(), &pixels, &error) == VDT_OK, error.text);
    BOOST_REQUIRE(pixels.format == VDT_FORMAT_BGR8);
    Picture picture{pixels.width, pixels.height,
                    std::vector<std::uint8_t>(std::size_t{3} * pixels.width * pixels.height)};
    for (std::uint32_t y = 0; y < pixels.height; ++y)
        std::memcpy(picture.at(0, y), static_cast<const std::uint8_t*>(pixels.data) + pixels.stride * y,
                    std::size_t{3} * pixels.width);
    vdt_pixels_free(&pixels);
    return picture;
}

// Shrunk by area average, enlarged bilinearly: how a system scales a program that does not do it itself.
Picture resized(vdt_context* context, const Picture& from, double factor) {
    Picture to{static_cast<std::uint32_t>(std::lround(from.width * factor)),
               static_cast<std::uint32_t>(std::lround(from.height * factor)),
               {}};
    to.bytes.resize(std::size_t{3} * to.width * to.height);
    const auto image = [](const Picture& picture) {
        vdt_image view{};
        view.struct_size = sizeof view;
        view.format = VDT_FORMAT_BGR8;
        view.width = picture.width;
        view.height = picture.height;
        view.plane_count = 1;
        view.plane[0].base = const_cast<std::uint8_t*>(picture.bytes.data());
        view.plane[0].row_stride = std::int64_t{3} * picture.width;
        view.plane[0].bytes = picture.bytes.size();
        return view;
    };
    const vdt_image in = image(from);
    const vdt_image out = image(to);
    const vdt_image* inputs[] = {&in};
    const vdt_image* outputs[] = {&out};
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = VDT_RESIZE_AREA;
    vdt_error error = no_error();
    BOOST_REQUIRE_MESSAGE(vdt_run_operation(context, VDT_OP_RESIZE, &params, inputs, 1, outputs, 1, nullptr, 0, nullptr,
                                            0, nullptr, nullptr, &error) == VDT_OK,
                          error.text);
    return to;
}

// Turned clockwise about its middle, on gray.
Picture turned(const Picture& from, double degrees) {
    Picture to = from;
    std::fill(to.bytes.begin(), to.bytes.end(), std::uint8_t{128});
    const double c = std::cos(degrees * std::numbers::pi / 180);
    const double s = std::sin(degrees * std::numbers::pi / 180);
    for (std::uint32_t y = 0; y < to.height; ++y)
        for (std::uint32_t x = 0; x < to.width; ++x) {
            const double u = x - to.width / 2.0;
            const double v = y - to.height / 2.0;
            const double left = c * u + s * v + from.width / 2.0;
            const double top = -s * u + c * v + from.height / 2.0;
            if (!(left >= 0 && top >= 0 && left < from.width - 1 && top < from.height - 1)) continue;
            const auto column = static_cast<std::uint32_t>(left);
            const auto row = static_cast<std::uint32_t>(top);
            const double right = left - column;
            const double down = top - row;
            for (unsigned i = 0; i < 3; ++i)
                to.at(x, y)[i] = static_cast<std::uint8_t>(
                    (1 - down) * ((1 - right) * from.at(column, row)[i] + right * from.at(column + 1, row)[i]) +
                    down * ((1 - right) * from.at(column, row + 1)[i] + right * from.at(column + 1, row + 1)[i]) + 0.5);
        }
    return to;
}

struct Element {
    const char* file;
    double x, y, w, h;  // on the sample screen
};

constexpr Element kMagnifier{"magnifier.png", 970, 123, 24, 24};

struct Sample : Fixture {
    Owned<vdt_pattern> element(const char* file) const {
        vdt_pattern* made = nullptr;
        vdt_error error = no_error();
        const std::string path = std::string(VEDETTE_SAMPLE_DIR) + "/" + file;
        BOOST_REQUIRE_MESSAGE(vdt_pattern_from_file(context.get(), path.c_str(), &made, &error) == VDT_OK, error.text);
        return Owned<vdt_pattern>(made);
    }
};

bool near(const vdt_match& match, const Element& element, double factor) {
    return std::abs(match.x - element.x * factor) <= 2 && std::abs(match.y - element.y * factor) <= 2 &&
           std::abs(match.w - element.w * factor) <= 2.5 && std::abs(match.h - element.h * factor) <= 2.5;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(api_fallback, Sample)

BOOST_DATA_TEST_CASE(elements_are_found_on_a_screen_of_another_scale,
                     boost::unit_test::data::make({0.5, 0.75, 1.25, 1.5, 2.0}), factor) {
    const Picture sample = picture_of("screen.png");
    const auto key = element("key7.png");
    const auto folder = element("folder.png");
    // Where they are on the sample itself.
    const auto original = screen(sample);
    vdt_find_options options = defaults();
    options.all = 1;
    std::vector<vdt_match> places;
    for (vdt_pattern* pattern : {key.get(), folder.get()}) {
        const auto result = find(original.get(), pattern, &options);
        BOOST_REQUIRE(vdt_result_match_count(result.get()) >= 1U);
        places.push_back(match_of(result.get(), 0));
    }
    const auto scaled = screen(resized(context.get(), sample, factor));
    std::size_t index = 0;
    for (vdt_pattern* pattern : {key.get(), folder.get()}) {
        const vdt_match& place = places[index++];
        // The folder's plain areas fit one of 1.25 times its size as it is.
        if (pattern == folder.get() && factor == 1.25) continue;
        const auto result = find(scaled.get(), pattern, &options);
        BOOST_REQUIRE(vdt_result_match_count(result.get()) >= 1U);
        bool found = false;
        for (std::uint32_t i = 0; i < vdt_result_match_count(result.get()); ++i) {
            const vdt_match match = match_of(result.get(), i);
            BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_SCALE));
            BOOST_TEST(std::abs(match.scale / factor - 1) < 0.04);
            found = found || near(match, {"", place.x, place.y, place.w, place.h}, factor);
        }
        BOOST_TEST(found);
        // As it is, it is nowhere.
        vdt_find_options plain = options;
        plain.fallbacks = 0;
        BOOST_TEST(vdt_result_match_count(find(scaled.get(), pattern, &plain).get()) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a_state_is_not_found_at_another_scale) {
    // The button is disabled on the screen.
    const Picture sample = picture_of("screen.png");
    const auto undo = element("undo-enabled.png");
    for (const double factor : {1.0, 0.75, 1.5}) {
        const auto shown = screen(factor == 1 ? sample : resized(context.get(), sample, factor));
        const auto result = find(shown.get(), undo.get());
        BOOST_TEST(vdt_result_match_count(result.get()) == 0U);
        BOOST_TEST(outcome_of(result.get()).reason != static_cast<unsigned>(VDT_REASON_NONE));
    }
}

BOOST_AUTO_TEST_CASE(what_is_painted_over_is_not_found_at_another_scale) {
    Picture sample = picture_of("screen.png");
    for (std::uint32_t y = 123; y < 147; ++y)
        for (std::uint32_t x = 970; x < 994; ++x) std::memcpy(sample.at(x, y), sample.at(970, 123), 3);
    const auto magnifier = element(kMagnifier.file);
    for (const double factor : {0.75, 1.0, 1.5}) {
        const auto shown = screen(factor == 1 ? sample : resized(context.get(), sample, factor));
        BOOST_TEST(vdt_result_match_count(find(shown.get(), magnifier.get()).get()) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a_turned_window_is_found_by_its_features) {
    const Picture sample = picture_of("screen.png");
    const Picture window = crop(sample, 60, 70, 340, 376);  // the calculator
    Picture ground{480, 480, std::vector<std::uint8_t>(std::size_t{3} * 480 * 480, 128)};
    for (std::uint32_t y = 0; y < window.height; ++y)
        std::memcpy(ground.at(70, 52 + y), window.at(0, y), std::size_t{3} * window.width);
    const auto shown = screen(turned(ground, 20));
    const auto wanted = pattern(window);
    for (const std::string& backend : feature_backends) {
        vdt_find_options options = defaults();
        options.backend = backend.c_str();
        const auto result = find(shown.get(), wanted.get(), &options);
        BOOST_REQUIRE_MESSAGE(vdt_result_match_count(result.get()) == 1U, backend);
        const vdt_match match = match_of(result.get(), 0);
        BOOST_TEST(match.stage == static_cast<unsigned>(VDT_STAGE_FEATURES));
        BOOST_TEST(std::abs(match.scale - 1) < 0.02);
        BOOST_TEST(match.score > 0.9);
        // Its upper left corner, turned about the middle.
        const double c = std::cos(20 * std::numbers::pi / 180);
        const double s = std::sin(20 * std::numbers::pi / 180);
        BOOST_TEST(std::abs(match.quad[0] - (240 + c * (70 - 240) - s * (52 - 240))) < 2);
        BOOST_TEST(std::abs(match.quad[1] - (240 + s * (70 - 240) + c * (52 - 240))) < 2);
        options.fallbacks = VDT_FALLBACK_SCALES;
        BOOST_TEST(vdt_result_match_count(find(shown.get(), wanted.get(), &options).get()) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(the_time_limit_holds_inside_the_fallbacks) {
    const auto shown = screen(resized(context.get(), picture_of("screen.png"), 2));
    const auto wanted = pattern(blocks(60, 40, 99));
    vdt_find_options options = defaults();
    options.time_limit = 0.02;
    vdt_pattern* patterns[] = {wanted.get()};
    vdt_result* result = nullptr;
    BOOST_TEST(vdt_find(context.get(), shown.get(), patterns, 1, &options, &result, nullptr) == VDT_E_TIMEOUT);
    BOOST_TEST(result == nullptr);
    options.time_limit = 100;
    BOOST_TEST(vdt_find(context.get(), shown.get(), patterns, 1, &options, &result, nullptr) == VDT_OK);
    vdt_result_destroy(result);
}

BOOST_AUTO_TEST_SUITE_END()
