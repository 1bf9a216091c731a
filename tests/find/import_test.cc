#include "find/import_pixels.h"

#include "core/failure.h"
#include "find/pattern.h"
#include "picture.h"
#include "reference/reference.h"

#include "boost_test.h"

#include <vector>

using namespace vedette;
using test::Image;

namespace {

const std::vector<vdt_format> accepted{VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8,   VDT_FORMAT_BGRA8, VDT_FORMAT_RGB8,
                                       VDT_FORMAT_RGBA8, VDT_FORMAT_GRAY16, VDT_FORMAT_BGR16, VDT_FORMAT_BGRA16,
                                       VDT_FORMAT_RGB16, VDT_FORMAT_RGBA16};

// Three rows of five pixels at an odd address, rows running upwards when `upwards`.
struct Pixels {
    std::vector<std::uint8_t> bytes;
    vdt_image view{};

    Pixels(vdt_format format, bool upwards, unsigned seed) {
        const std::size_t row = 5 * host::bytes_per_pixel(format) + 3;
        std::mt19937 random(seed);
        bytes.resize(1 + 3 * row);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() & 255U);
        view.struct_size = sizeof view;
        view.format = format;
        view.width = 5;
        view.height = 3;
        view.plane_count = 1;
        view.plane[0].base = bytes.data() + 1;
        view.plane[0].bytes = 3 * row;
        view.plane[0].offset = upwards ? 2 * row : 0;
        view.plane[0].row_stride = upwards ? -static_cast<std::int64_t>(row) : static_cast<std::int64_t>(row);
    }
};

bool is_gray(vdt_format format) {
    return format == VDT_FORMAT_GRAY8 || format == VDT_FORMAT_GRAY16;
}
unsigned alpha_channel(vdt_format format) {
    return reference::channels(format) == 4 ? 3 : 99;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(import)

BOOST_AUTO_TEST_CASE(every_format_gives_the_colours_it_holds) {
    for (const vdt_format format : accepted)
        for (const bool upwards : {false, true}) {
            const Pixels pixels(format, upwards, format);
            const Image image = host::color_of(pixels.view);
            vdt_convert_params params{};
            params.struct_size = sizeof params;
            const vdt_format wanted = is_gray(format) ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
            BOOST_TEST(image.format() == wanted);
            const reference::Plane want = reference::convert(pixels.view, wanted, params);
            for (std::uint32_t y = 0; y < 3; ++y)
                for (std::uint32_t x = 0; x < 5; ++x)
                    for (std::uint32_t c = 0; c < want.channels; ++c)
                        BOOST_TEST(static_cast<double>(image.row(y)[x * want.channels + c]) == want.at(x, y, c));
            const Image alpha = host::alpha_of(pixels.view);
            BOOST_TEST(alpha.empty() == (alpha_channel(format) == 99));
            if (alpha.empty()) continue;
            for (std::uint32_t x = 0; x < 5; ++x) {
                const double sample = reference::pixel(pixels.view, x, 1, 3);
                const double want_alpha = sample > 255 ? std::floor((sample + 128) / 257) : sample;
                const bool deep = format >= VDT_FORMAT_GRAY16;
                BOOST_TEST(static_cast<double>(alpha.row(1)[x]) ==
                           (deep ? std::floor((sample + 128) / 257) : want_alpha));
            }
        }
}

BOOST_AUTO_TEST_CASE(other_formats_are_refused) {
    Pixels pixels(VDT_FORMAT_BGRA16, false, 1);
    pixels.view.format = VDT_FORMAT_F64;
    BOOST_CHECK_EXCEPTION(host::color_of(pixels.view), host::Failure,
                          [](const host::Failure& failure) { return failure.code() == VDT_E_UNSUPPORTED_FORMAT; });
}

BOOST_AUTO_TEST_CASE(gray_is_the_fixed_point_one) {
    const Image color = test::noise(64, 64, 4);
    const Image gray = host::gray_from_color(color);
    vdt_convert_params params{};
    params.struct_size = sizeof params;
    const reference::Plane want = reference::convert(color.view(), VDT_FORMAT_GRAY8, params);
    bool same = true;
    for (std::uint32_t y = 0; y < 64; ++y)
        for (std::uint32_t x = 0; x < 64; ++x) same = same && gray.row(y)[x] == want.at(x, y);
    BOOST_TEST(same);
    BOOST_TEST(!host::has_only_gray(color));
    const Image back = host::color_from_gray(gray);
    BOOST_TEST(host::has_only_gray(back));
    const Image again = host::gray_from_color(back);
    for (std::uint32_t y = 0; y < 64; ++y) BOOST_TEST(std::equal(again.row(y), again.row(y) + 64, gray.row(y)));
}

BOOST_AUTO_TEST_CASE(masks_follow_the_rule) {
    std::uint64_t counted = 0;
    Image alpha(VDT_FORMAT_GRAY8, 10, 10);
    BOOST_TEST(host::mask_from_alpha(Image(), 10, 10, {}, counted).empty());
    BOOST_TEST(counted == 100U);
    // 20 opaque, 80 half transparent: a fifth is opaque, so only opaque pixels count.
    for (std::uint32_t y = 0; y < 10; ++y)
        for (std::uint32_t x = 0; x < 10; ++x) alpha.row(y)[x] = y < 2 ? 255 : 200;
    Image mask = host::mask_from_alpha(alpha, 10, 10, {}, counted);
    BOOST_TEST(counted == 20U);
    BOOST_TEST(static_cast<int>(mask.row(5)[5]) == 0);
    // 9 of 100 opaque: under a tenth, so alpha 128 is enough.
    for (std::uint32_t y = 0; y < 10; ++y)
        for (std::uint32_t x = 0; x < 10; ++x) alpha.row(y)[x] = y == 0 && x < 9 ? 255 : y < 5 ? 128 : 127;
    mask = host::mask_from_alpha(alpha, 10, 10, {}, counted);
    BOOST_TEST(counted == 50U);
    // Rectangles, one of them over the border.
    mask = host::mask_from_alpha(Image(), 10, 10, {{-3, -3, 5, 5}, {8, 0, 100, 1}}, counted);
    BOOST_TEST(counted == 100U - 4 - 2);
    BOOST_TEST(static_cast<int>(mask.row(1)[1]) == 0);
    BOOST_TEST(static_cast<int>(mask.row(2)[2]) == 255);
}

BOOST_AUTO_TEST_CASE(a_pattern_needs_something_visible) {
    const Image clear = test::with_alpha(test::noise(6, 6, 1), 0);
    BOOST_CHECK_EXCEPTION(host::Pattern(clear.view()), host::Failure,
                          [](const host::Failure& failure) { return failure.code() == VDT_E_ARGUMENT; });
    const Image picture = test::noise(6, 6, 1);
    host::Pattern pattern(picture.view());
    pattern.exclude({{0, 0, 6, 5}});
    BOOST_CHECK_THROW(pattern.exclude({{0, 5, 6, 1}}), host::Failure);
    const auto form = pattern.form(host::ColorMode::Color, 1, host::Workers());
    BOOST_TEST(form->appearance().counted() == 6U);
}

BOOST_AUTO_TEST_CASE(forms_of_a_pattern_are_made_once) {
    const Image picture = test::noise(20, 12, 1);
    host::Pattern pattern(picture.view());
    const host::Workers workers;
    const auto color = pattern.form(host::ColorMode::Color, 1, workers);
    BOOST_TEST(pattern.form(host::ColorMode::Color, 1, workers) == color);
    const auto gray = pattern.form(host::ColorMode::Gray, 1, workers);
    BOOST_TEST(gray != color);
    BOOST_TEST(gray->appearance().channels() == 1U);
    const auto half = pattern.form(host::ColorMode::Color, 0.5, workers);
    BOOST_TEST(half->width() == 10U);
    BOOST_TEST(half->height() == 6U);
    for (int i = 0; i < 200; ++i) pattern.form(host::ColorMode::Color, 0.05 + i * 0.004, workers);
    BOOST_TEST(pattern.form(host::ColorMode::Color, 1, workers)->width() == 20U);
}

BOOST_AUTO_TEST_SUITE_END()
