#define BOOST_TEST_MODULE imageio_webp
#include "pixels.h"

#include <webp/encode.h>

#include <cmath>

using namespace imageio_test;
namespace data = boost::unit_test::data;

namespace {

// Encodes BGR8 or BGRA8; lossless keeps the colours under transparent pixels too.
Bytes encode(const Pixels& pixels, bool lossless) {
    WebPConfig config;
    BOOST_REQUIRE(WebPConfigInit(&config));
    config.lossless = lossless ? 1 : 0;
    config.exact = 1;
    config.quality = 100;
    WebPPicture picture;
    BOOST_REQUIRE(WebPPictureInit(&picture));
    picture.use_argb = lossless ? 1 : 0;
    picture.width = static_cast<int>(pixels.width);
    picture.height = static_cast<int>(pixels.height);
    const int stride = static_cast<int>(pixels.width * channels(pixels.format));
    BOOST_REQUIRE(pixels.format == VDT_FORMAT_BGR8 ? WebPPictureImportBGR(&picture, pixels.value.data(), stride)
                                                   : WebPPictureImportBGRA(&picture, pixels.value.data(), stride));
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    BOOST_REQUIRE(WebPEncode(&config, &picture));
    const Bytes file(writer.mem, writer.mem + writer.size);
    WebPMemoryWriterClear(&writer);
    WebPPictureFree(&picture);
    return file;
}

Pixels smooth(vdt_format format, std::uint32_t width, std::uint32_t height) {
    return make_pixels(format, width, height, [&](std::uint32_t x, std::uint32_t y) {
        Bytes pixel;
        for (std::size_t channel = 0; channel < channels(format); ++channel) {
            pixel.push_back(static_cast<std::uint8_t>(
                std::lround(127.5 + 100 * std::sin(0.03 * x + 0.1 * double(channel)) * std::cos(0.02 * y))));
        }
        return pixel;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(lossless) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {7u, 5u}, {131u, 77u}, {16383u, 2u}}) {
        const Pixels color = random_pixels(VDT_FORMAT_BGR8, width, height, 1);
        check_equal(decode(encode(color, true)), color);
        Pixels alpha = random_pixels(VDT_FORMAT_BGRA8, width, height, 2);
        alpha.value.back() = 3;
        check_equal(decode(encode(alpha, true)), alpha);
    }
}

BOOST_AUTO_TEST_CASE(lossy) {
    const Pixels color = smooth(VDT_FORMAT_BGR8, 100, 60);
    check_equal(decode(encode(color, false)), color, 12);
    const Pixels alpha = smooth(VDT_FORMAT_BGRA8, 100, 60);
    const Pixels found = decode(encode(alpha, false));
    check_equal(found, alpha, 16);
    for (std::size_t i = 3; i < alpha.value.size(); i += 4) {
        BOOST_REQUIRE_EQUAL(int{found.value[i]}, int{alpha.value[i]});  // alpha is kept without loss
    }
}

BOOST_AUTO_TEST_CASE(opaque_alpha_is_dropped) {
    // A file that promises alpha and then is opaque: the flag of the lossless header is set by hand.
    const Pixels color = random_pixels(VDT_FORMAT_BGR8, 20, 10, 3);
    Bytes file = encode(color, true);
    BOOST_REQUIRE_EQUAL(file[15], 'L');
    file[24] |= 0x10;
    check_equal(decode(file), color);
}

BOOST_AUTO_TEST_CASE(bad_files_are_refused) {
    Bytes file = encode(random_pixels(VDT_FORMAT_BGR8, 20, 10, 4), true);
    file[20] ^= 0xff;  // the signature of the lossless data
    check_refused(file, VDT_E_FORMAT, {"WebP"});

    // An extended header with the animation flag.
    const Bytes animation{'R', 'I', 'F', 'F', 22, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8',
                          'X', 10,  0,   0,   0,  2, 0, 0, 0,   4,   0,   0,   4,   0,   0};
    check_refused(animation, VDT_E_FORMAT, {"animation"});
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    check_every_truncation(encode(random_pixels(VDT_FORMAT_BGRA8, 9, 8, 5), true));
    check_every_truncation(encode(smooth(VDT_FORMAT_BGR8, 20, 20), false));
    check_every_truncation(encode(smooth(VDT_FORMAT_BGRA8, 20, 20), false));
}

BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
    check_random_damage(encode(random_pixels(VDT_FORMAT_BGRA8, 9, 8, 6), true), 1, 1500);
    check_random_damage(encode(smooth(VDT_FORMAT_BGR8, 20, 20), false), 2, 1500);
    check_random_damage(encode(smooth(VDT_FORMAT_BGRA8, 20, 20), false), 3, 1500);
}
