#define BOOST_TEST_MODULE wrapper
#include "boost_test.h"

#include <vedette/vedette.hpp>

#include <cstring>
#include <type_traits>
#include <vector>

#include "temporary_directory.h"

namespace {

// Noise, so that every piece of it is found in one place only.
std::vector<std::uint8_t> noise(std::size_t bytes) {
    std::vector<std::uint8_t> values(bytes);
    std::uint32_t state = 7;
    for (std::uint8_t& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::uint8_t>(state >> 24);
    }
    return values;
}

constexpr std::uint32_t width = 160, height = 90;

vdt_pixels part(const std::vector<std::uint8_t>& pixels, std::uint32_t x, std::uint32_t y, std::uint32_t w,
                std::uint32_t h) {
    vdt_pixels view{};
    view.struct_size = sizeof view;
    view.format = VDT_FORMAT_BGR8;
    view.width = w;
    view.height = h;
    view.stride = width * 3;
    view.data = pixels.data() + (y * width + x) * 3;
    view.bytes = (h - 1) * width * 3 + w * 3;
    return view;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(wrapper)

BOOST_AUTO_TEST_CASE(finds_through_owners) {
    const auto pixels = noise(width * height * 3);
    vedette::Context context;
    vedette::Screen screen = context.screen(part(pixels, 0, 0, width, height));
    vedette::Pattern first = context.pattern(part(pixels, 40, 30, 12, 10));
    vedette::Pattern second = context.pattern(part(pixels, 100, 5, 9, 14));
    BOOST_TEST(screen.size().first == width);
    BOOST_TEST(second.size().second == 14u);

    const vedette::Result result = context.find(screen, {&first, &second});
    const std::vector<vedette::Match> matches = result.matches();
    BOOST_REQUIRE(matches.size() == 2u);
    BOOST_TEST(matches[0].x == 40);
    BOOST_TEST(matches[0].y == 30);
    BOOST_TEST(matches[1].pattern == 1u);
    BOOST_TEST(matches[1].x == 100);
    BOOST_TEST(result.outcome(1).has_best == 1u);
    BOOST_TEST(result.outcome(1).best.score == 1);
    BOOST_TEST(std::string(result.run().backend) != "");

    vedette::FindOptions options;
    options.region = {0, 0, 30, 30};
    BOOST_TEST(context.find(screen, first, options).matches().empty());
}

BOOST_AUTO_TEST_CASE(errors_are_exceptions) {
    const vedette::Context context;
    const auto is_file_error = [](const vedette::Error& error) {
        return error.code() == VDT_E_FILE && std::string(error.what()).find("nowhere.png") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(context.screen("/nowhere.png"), vedette::Error, is_file_error);
    vdt_context_options options{};
    options.struct_size = sizeof options;
    options.config_text = "{\"threads\": -1}";
    const auto is_config_error = [](const vedette::Error& error) { return error.code() == VDT_E_CONFIG; };
    BOOST_CHECK_EXCEPTION(vedette::Context{options}, vedette::Error, is_config_error);
}

BOOST_AUTO_TEST_CASE(cancelling) {
    const auto pixels = noise(width * height * 3);
    vedette::Context context;
    vedette::Screen screen = context.screen(part(pixels, 0, 0, width, height));
    vedette::Pattern pattern = context.pattern(part(pixels, 40, 30, 12, 10));
    vedette::Cancel cancel;
    vedette::FindOptions options;
    options.cancel = cancel.get();
    cancel.set();
    const auto is_cancelled = [](const vedette::Error& error) { return error.code() == VDT_E_CANCELLED; };
    BOOST_CHECK_EXCEPTION(context.find(screen, pattern, options), vedette::Error, is_cancelled);
    cancel.reset();
    BOOST_TEST(context.find(screen, pattern, options).matches().size() == 1u);
}

BOOST_AUTO_TEST_CASE(listings_and_preferences) {
    vedette::Context context;
    bool cpu = false;
    for (const vdt_backend_info& info : context.backends()) cpu = cpu || std::string(info.backend) == "cpu";
    BOOST_TEST(cpu);
    for (const vdt_skipped_info& info : context.skipped()) BOOST_TEST(std::string(info.reason) != "");
    context.set_preferable_backend("cpu");
    context.set_preferable_target(0);
    BOOST_CHECK_THROW(context.set_preferable_target(99), vedette::Error);
    BOOST_CHECK_THROW(context.set_preferable_backend("nobody"), vedette::Error);
}

BOOST_AUTO_TEST_CASE(features) {
    const auto pixels = noise(width * height * 3);
    vedette::Context context;
    vedette::Screen screen = context.screen(part(pixels, 0, 0, width, height));
    vedette::Pattern pattern = context.pattern(part(pixels, 40, 30, 12, 10));
    const vdt_feature_place place = context.find_by_features(screen, pattern);
    BOOST_TEST(place.found == 0u);  // too small for a dozen keypoints
    BOOST_TEST(std::string(place.reason) != "");
    vdt_feature_options options = {};
    options.struct_size = sizeof options;
    vdt_feature_options_init(&options);
    options.reprojection = -1;
    BOOST_CHECK_THROW(context.find_by_features(screen, pattern, &options), vedette::Error);
}

BOOST_AUTO_TEST_CASE(restoration) {
    const auto pixels = noise(width * height * 3);
    const vdt_pixels view = part(pixels, 0, 0, width, height);
    vedette::Context context;
    vedette::RestoreOptions options;
    BOOST_TEST(options.iterations == 30u);
    options.spread_size = 0.8;
    options.iterations = 3;
    vedette::Restored restored = context.restore(view, options);
    const vdt_pixels& made = restored.pixels.get();
    BOOST_TEST((made.width == width && made.height == height && made.format == view.format));
    BOOST_TEST(restored.restoration.tiles > 0u);
    BOOST_TEST(std::string(restored.run.backend) != "");

    // The same as the C API's.
    auto expected = vedette::detail::sized<vdt_pixels>();
    BOOST_REQUIRE(vdt_restore(context.get(), &view, &options, &expected, nullptr, nullptr, nullptr) == VDT_OK);
    BOOST_REQUIRE(expected.bytes == made.bytes);
    BOOST_TEST(std::memcmp(expected.data, made.data, made.bytes) == 0);
    vdt_pixels_free(&expected);

    const vedette::test::TemporaryDirectory folder;
    const std::string path = (folder.path() / "restored.png").string();
    restored.pixels.save(path);
    vedette::Pixels read(path);
    BOOST_TEST(std::memcmp(read.get().data, made.data, made.bytes) == 0);

    vedette::Pixels moved = std::move(read);
    BOOST_TEST(read.get().data == nullptr);  // NOLINT(bugprone-use-after-move)
    BOOST_TEST(context.screen(moved.get()).size().first == width);
    moved = std::move(restored.pixels);
    BOOST_TEST(moved.get().width == width);
    BOOST_CHECK_THROW(moved.save("/nowhere/restored.png"), vedette::Error);
    BOOST_CHECK_THROW(vedette::Pixels("/nowhere.png"), vedette::Error);
    options.iterations = 0;
    const auto is_argument = [](const vedette::Error& error) { return error.code() == VDT_E_ARGUMENT; };
    BOOST_CHECK_EXCEPTION(context.restore(view, options), vedette::Error, is_argument);
}

BOOST_AUTO_TEST_CASE(explanations) {
    vedette::Context context;
    BOOST_CHECK_THROW(context.explain_stop(), vedette::Error);
    context.explain_start();
    BOOST_CHECK_THROW(context.explain_start(true), vedette::Error);
    BOOST_TEST(context.explain_stop() == R"({"measured":false,"calls":[],"left_out":0})");
}

BOOST_AUTO_TEST_CASE(owners_move) {
    static_assert(!std::is_copy_constructible_v<vedette::Context>);
    static_assert(std::is_nothrow_move_constructible_v<vedette::Screen>);
    vedette::Cancel first;
    vdt_cancel* const handle = first.get();
    const vedette::Cancel second = std::move(first);
    BOOST_TEST(second.get() == handle);
    BOOST_TEST(first.get() == nullptr);  // NOLINT(bugprone-use-after-move)
}

BOOST_AUTO_TEST_SUITE_END()
