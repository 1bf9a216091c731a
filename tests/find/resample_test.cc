#include "find/resample.h"

#include "picture.h"
#include "reference/reference.h"

#include "boost_test.h"

using namespace vedette;
using test::Image;

BOOST_AUTO_TEST_SUITE(resample)

BOOST_DATA_TEST_CASE(agrees_with_the_exact_area_average,
                     boost::unit_test::data::make({1U, 7U, 16U, 31U, 40U, 47U}) *
                         boost::unit_test::data::make({1U, 9U, 15U, 29U}) * boost::unit_test::data::make({false, true}),
                     width, height, gray) {
    const vdt_format format = gray ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
    const Image image = test::noise(47, 29, 5, format);
    host::ThreadPool pool(2);
    const Image small = host::shrink(image, width, height, host::Workers(&pool));
    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = VDT_RESIZE_AREA;
    const reference::Plane want = reference::resize(image.view(), format, width, height, params);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            for (std::uint32_t c = 0; c < want.channels; ++c)
                BOOST_TEST(static_cast<double>(small.row(y)[x * want.channels + c]) == want.at(x, y, c));
}

BOOST_AUTO_TEST_CASE(a_mean_of_one_half_goes_up) {
    Image image(VDT_FORMAT_GRAY8, 6, 1);
    for (std::uint32_t x = 0; x < 6; ++x) image.row(0)[x] = x < 3 ? 10 : 11;
    BOOST_TEST(static_cast<int>(host::shrink(image, 1, 1, host::Workers()).row(0)[0]) == 11);
}

BOOST_AUTO_TEST_CASE(sides_round_half_up_and_stay_positive) {
    BOOST_TEST(host::scaled_side(100, 0.5) == 50U);
    BOOST_TEST(host::scaled_side(5, 0.5) == 3U);
    BOOST_TEST(host::scaled_side(5, 0.49) == 2U);
    BOOST_TEST(host::scaled_side(3, 0.05) == 1U);
}

BOOST_AUTO_TEST_CASE(a_pixel_counts_only_when_all_it_covers_counts) {
    Image mask(VDT_FORMAT_GRAY8, 6, 4);
    for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t x = 0; x < 6; ++x) mask.row(y)[x] = 255;
    mask.row(1)[2] = 0;
    std::uint64_t counted = 0;
    const Image half = host::shrink_mask(mask, 3, 2, counted);
    BOOST_TEST(counted == 5U);
    BOOST_TEST(static_cast<int>(half.row(0)[1]) == 0);
    // 6 to 4: pixel 1 covers 1.5 .. 3, so it touches the hole; pixel 0 covers 0 .. 1.5 and does not.
    const Image uneven = host::shrink_mask(mask, 4, 4, counted);
    BOOST_TEST(counted == 15U);
    BOOST_TEST(static_cast<int>(uneven.row(1)[1]) == 0);
    BOOST_TEST(static_cast<int>(uneven.row(1)[0]) == 255);
}

BOOST_AUTO_TEST_SUITE_END()
