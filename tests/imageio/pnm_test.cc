#define BOOST_TEST_MODULE imageio_pnm
#include "pixels.h"

#include <cmath>

using namespace imageio_test;
namespace data = boost::unit_test::data;

namespace {

Bytes bytes(const std::string& text) {
    return Bytes(text.begin(), text.end());
}

Bytes bytes(const std::string& header, const Bytes& raster) {
    Bytes file = bytes(header);
    file.insert(file.end(), raster.begin(), raster.end());
    return file;
}

Pixels gray(std::uint32_t width, std::uint32_t height, const Bytes& value) {
    return Pixels{VDT_FORMAT_GRAY8, width, height, value};
}

}  // namespace

BOOST_AUTO_TEST_CASE(plain_bitmap) {
    const Pixels expected = gray(3, 2, {255, 0, 255, 0, 255, 0});
    check_equal(decode(bytes("P1\n3 2\n0 1 0\n1 0 1\n")), expected);
    check_equal(decode(bytes("P1 3 2 010101")), expected);
    check_equal(decode(bytes("P1# a comment\n#another\r3# in the middle\n2\n01#comment 111\n0101")), expected);
}

BOOST_AUTO_TEST_CASE(plain_graymap) {
    check_equal(decode(bytes("P2 2 2 255\n0 255\n7 128")), gray(2, 2, {0, 255, 7, 128}));
    check_equal(decode(bytes("P2\t2\r\n1\v15\f0 15\n")), gray(2, 1, {0, 255}));
    check_equal(decode(bytes("P2 1 3 65535 65535 257 128")), gray(1, 3, {255, 1, 0}));
}

BOOST_AUTO_TEST_CASE(plain_pixmap) {
    check_equal(decode(bytes("P3 2 1 255 1 2 3 # c\n 4 5 6")), Pixels{VDT_FORMAT_BGR8, 2, 1, {3, 2, 1, 6, 5, 4}});
}

BOOST_AUTO_TEST_CASE(raw_bitmap_rows_begin_at_bytes) {
    check_equal(decode(bytes("P4 10 2\n", {0b10101010, 0b11111111, 0b00000001, 0b10000000})),
                gray(10, 2, {0,   255, 0,   255, 0,   255, 0,   255, 0, 0,  //
                             255, 255, 255, 255, 255, 255, 255, 0,   0, 255}));
}

BOOST_AUTO_TEST_CASE(raw_graymap_and_pixmap) {
    const Pixels gray_pixels = random_pixels(VDT_FORMAT_GRAY8, 37, 11, 1);
    check_equal(decode(bytes("P5 37 11 255\n", gray_pixels.value)), gray_pixels);

    const Pixels color_pixels = random_pixels(VDT_FORMAT_BGR8, 37, 11, 2);
    Bytes rgb = color_pixels.value;
    for (std::size_t i = 0; i < rgb.size(); i += 3) {
        std::swap(rgb[i], rgb[i + 2]);
    }
    check_equal(decode(bytes("P6\n# made by hand\n37 11\n255\n", rgb)), color_pixels);
    // What follows the raster, a further image say, is not looked at.
    rgb.push_back('P');
    check_equal(decode(bytes("P6 37 11 255 ", rgb)), color_pixels);
}

BOOST_AUTO_TEST_CASE(a_raster_that_begins_like_white_space_or_a_comment) {
    check_equal(decode(bytes("P5 3 1 255\n", {' ', '\n', '#'})), gray(3, 1, {' ', '\n', '#'}));
}

BOOST_DATA_TEST_CASE(largest_values, data::make({1, 2, 3, 7, 100, 254, 255, 256, 1000, 4095, 65534, 65535}), maximum) {
    Bytes raster;
    Pixels expected = gray(static_cast<std::uint32_t>(std::min(maximum, 5000)) + 1, 1, {});
    for (std::uint32_t i = 0; i < expected.width; ++i) {
        const long value = std::lround(double(i) * maximum / (expected.width - 1));
        if (maximum > 255) {
            raster.push_back(static_cast<std::uint8_t>(value >> 8));
        }
        raster.push_back(static_cast<std::uint8_t>(value));
        expected.value.push_back(static_cast<std::uint8_t>(std::lround(double(value) * 255 / maximum)));
    }
    const std::string header = std::to_string(expected.width) + " 1 " + std::to_string(maximum) + "\n";
    check_equal(decode(bytes("P5 " + header, raster)), expected);
}

BOOST_AUTO_TEST_CASE(color_of_16_bits) {
    check_equal(decode(bytes("P6 1 1 65535 ", {0xff, 0xff, 0x80, 0x80, 0x00, 0x80})),
                Pixels{VDT_FORMAT_BGR8, 1, 1, {0, 128, 255}});
}

BOOST_AUTO_TEST_CASE(wide) {
    const Pixels pixels = random_pixels(VDT_FORMAT_GRAY8, 40000, 2, 3);
    check_equal(decode(bytes("P5 40000 2 255\n", pixels.value)), pixels);
}

BOOST_AUTO_TEST_CASE(bad_files_are_refused) {
    check_refused(bytes("P5 65536 1 255 x"), VDT_E_SIZE, {"65536 x 1"});
    check_refused(bytes("P5 60000 60000 255 x"), VDT_E_SIZE, {"60000 x 60000"});
    check_refused(bytes("P5 60000 6000 255 x"), VDT_E_FORMAT, {"truncated PNM", "360000000"});
    check_refused(bytes("P2 60000 6000 255 1"), VDT_E_FORMAT, {"truncated PNM"});
    check_refused(bytes("P5 0 4 255 "), VDT_E_FORMAT, {"0 x 4"});
    check_refused(bytes("P5 99999999999999999999 4 255 "), VDT_E_FORMAT, {"the width is out of range"});
    check_refused(bytes("P5 -4 4 255 "), VDT_E_FORMAT, {"where the width should be"});
    check_refused(bytes("P5 4x4 255 "), VDT_E_FORMAT, {"the width"});
    check_refused(bytes("P5 1 1 0 x"), VDT_E_FORMAT, {"largest sample value"});
    check_refused(bytes("P5 1 1 65536 xx"), VDT_E_FORMAT, {"largest sample value"});
    check_refused(bytes("P5 1 1 100 x"), VDT_E_FORMAT, {"sample of 120 above"});
    check_refused(bytes("P2 1 1 100 101"), VDT_E_FORMAT, {"sample of 101 above"});
    check_refused(bytes("P2 2 1 255 1 x"), VDT_E_FORMAT, {"a sample of row 0"});
    check_refused(bytes("P1 2 1 12"), VDT_E_FORMAT, {"a sample of row 0"});
    check_refused(bytes("P7 1 1 255 1"), VDT_E_FORMAT, {"no image of a known format"});
    check_refused(bytes("PNG"), VDT_E_FORMAT, {"no image of a known format"});
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    check_every_truncation(bytes("P1 # c\n 3 2\n010101"));
    check_every_truncation(bytes("P2 2 2 255 1 2 3 4"));
    check_every_truncation(bytes("P3 1 2 255 1 2 3 4 5 6"));
    check_every_truncation(bytes("P4 10 2 1234"));
    check_every_truncation(bytes("P5 2 2 255 1234"));
    check_every_truncation(bytes("P6 1 2 65535 123456789abc"));
}

BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
    check_random_damage(bytes("P1 # c\n 3 2\n010101"), 1, 3000);
    check_random_damage(bytes("P2 2 2 255 10 20 30 40"), 2, 3000);
    check_random_damage(bytes("P3 1 2 255 1 2 3 # d \n 4 5 6"), 3, 3000);
    check_random_damage(bytes("P4 10 2 1234"), 4, 3000);
    check_random_damage(bytes("P5 2 2 255 1234"), 5, 3000);
    check_random_damage(bytes("P6 1 2 65535 123456789abc"), 6, 3000);
}
