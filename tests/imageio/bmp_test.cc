#define BOOST_TEST_MODULE imageio_bmp
#include "pixels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

using namespace imageio_test;
namespace data = boost::unit_test::data;

namespace {

void put16(Bytes& out, std::uint32_t value) {
    out.push_back(static_cast<std::uint8_t>(value));
    out.push_back(static_cast<std::uint8_t>(value >> 8));
}

void put32(Bytes& out, std::uint32_t value) {
    put16(out, value);
    put16(out, value >> 16);
}

struct BmpFile {
    std::uint32_t header_bytes = 40;
    std::uint32_t width = 0;
    std::uint32_t height = 0;  // as in the file: 2^32 - rows for the top row first
    std::uint32_t bits = 24;
    std::uint32_t compression = 0;
    std::vector<std::uint32_t> masks;                  // red, green, blue, alpha
    std::vector<std::array<std::uint8_t, 3>> palette;  // blue, green, red
    std::uint32_t palette_count = 0;                   // as in the file
    std::uint32_t gap = 0;                             // unused bytes before the pixels
    Bytes pixels;
};

Bytes encode(const BmpFile& file) {
    Bytes info;
    put32(info, file.header_bytes);
    if (file.header_bytes == 12) {
        put16(info, file.width);
        put16(info, file.height);
        put16(info, 1);
        put16(info, file.bits);
    } else {
        put32(info, file.width);
        put32(info, file.height);
        put16(info, 1);
        put16(info, file.bits);
        put32(info, file.compression);
        put32(info, static_cast<std::uint32_t>(file.pixels.size()));
        put32(info, 2835);
        put32(info, 2835);
        put32(info, file.palette_count);
        put32(info, 0);
        for (const std::uint32_t mask : file.masks) {
            put32(info, mask);
        }
        info.resize(std::max<std::size_t>(info.size(), file.header_bytes));
    }
    for (const auto& entry : file.palette) {
        info.insert(info.end(), entry.begin(), entry.end());
        if (file.header_bytes != 12) {
            info.push_back(0x55);  // reserved, to be ignored
        }
    }
    info.resize(info.size() + file.gap, 0xaa);
    Bytes out{'B', 'M'};
    put32(out, static_cast<std::uint32_t>(14 + info.size() + file.pixels.size()));
    put32(out, 0);
    put32(out, static_cast<std::uint32_t>(14 + info.size()));
    out.insert(out.end(), info.begin(), info.end());
    out.insert(out.end(), file.pixels.begin(), file.pixels.end());
    return out;
}

// Packs values of `bits` bits, row by row from `first_row` in steps of `step`, every row padded to four bytes.
Bytes packed(const std::vector<std::uint32_t>& value, std::uint32_t width, std::uint32_t height, std::uint32_t bits,
             bool top_down) {
    Bytes out;
    for (std::uint32_t i = 0; i < height; ++i) {
        const std::uint32_t y = top_down ? i : height - 1 - i;
        Bytes row((std::size_t{width} * bits + 31) / 32 * 4);
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t pixel = value[std::size_t{y} * width + x];
            if (bits >= 8) {
                for (std::uint32_t byte = 0; byte < bits / 8; ++byte) {
                    row[std::size_t{x} * bits / 8 + byte] = static_cast<std::uint8_t>(pixel >> 8 * byte);
                }
            } else {
                row[std::size_t{x} * bits / 8] |=
                    static_cast<std::uint8_t>(pixel << (8 - bits - std::size_t{x} * bits % 8));
            }
        }
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

std::vector<std::uint32_t> random_values(std::size_t count, std::uint32_t bits, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::uint32_t> value(count);
    for (std::uint32_t& one : value) {
        one = static_cast<std::uint32_t>(random()) & (bits == 32 ? 0xffffffffu : (1u << bits) - 1);
    }
    return value;
}

std::vector<std::array<std::uint8_t, 3>> random_palette(std::size_t count) {
    std::vector<std::array<std::uint8_t, 3>> palette;
    std::mt19937 random(99);
    for (std::size_t i = 0; i < count; ++i) {
        palette.push_back({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                           static_cast<std::uint8_t>(random())});
    }
    return palette;
}

Pixels looked_up(const std::vector<std::uint32_t>& index, std::uint32_t width, std::uint32_t height,
                 const std::vector<std::array<std::uint8_t, 3>>& palette) {
    return make_pixels(VDT_FORMAT_BGR8, width, height, [&](std::uint32_t x, std::uint32_t y) {
        const std::uint32_t i = index[std::size_t{y} * width + x];
        return i < palette.size() ? Bytes(palette[i].begin(), palette[i].end()) : Bytes(3);
    });
}

std::uint8_t scaled(std::uint32_t pixel, std::uint32_t mask) {
    const double most = std::exp2(std::popcount(mask)) - 1;
    return static_cast<std::uint8_t>(std::lround((pixel & mask) / std::exp2(std::countr_zero(mask)) * 255 / most));
}

constexpr std::uint32_t rows_down(std::uint32_t height) {
    return 0u - height;
}

}  // namespace

BOOST_DATA_TEST_CASE(palette, data::make({1u, 4u, 8u}) * data::make({12u, 40u, 64u, 108u, 124u}), bits, header_bytes) {
    for (const std::uint32_t width : {1u, 7u, 8u, 9u, 33u}) {
        BmpFile file;
        file.header_bytes = header_bytes;
        file.width = width;
        file.height = 5;
        file.bits = bits;
        file.palette = random_palette(std::size_t{1} << bits);
        const auto index = random_values(std::size_t{width} * 5, bits, 1);
        file.pixels = packed(index, width, 5, bits, false);
        check_equal(decode(encode(file)), looked_up(index, width, 5, file.palette));
        if (header_bytes != 12) {
            file.height = rows_down(5);
            file.pixels = packed(index, width, 5, bits, true);
            file.gap = 10;
            check_equal(decode(encode(file)), looked_up(index, width, 5, file.palette));
        }
    }
}

BOOST_AUTO_TEST_CASE(indices_beyond_a_short_palette_are_black) {
    BmpFile file;
    file.width = file.height = 8;
    file.bits = 8;
    file.palette = random_palette(100);
    file.palette_count = 100;
    const auto index = random_values(64, 8, 2);
    file.pixels = packed(index, 8, 8, 8, false);
    check_equal(decode(encode(file)), looked_up(index, 8, 8, file.palette));
}

BOOST_DATA_TEST_CASE(true_color, data::make({12u, 40u, 56u, 124u}) * data::make({false, true}), header_bytes,
                     top_down) {
    if (header_bytes == 12 && top_down) {
        return;
    }
    for (const std::uint32_t width : {1u, 2u, 3u, 50u}) {
        BmpFile file;
        file.header_bytes = header_bytes;
        file.width = width;
        file.height = top_down ? rows_down(6) : 6;
        const auto value = random_values(std::size_t{width} * 6, 24, 3);
        file.pixels = packed(value, width, 6, 24, top_down);
        const Pixels expected = make_pixels(VDT_FORMAT_BGR8, width, 6, [&](std::uint32_t x, std::uint32_t y) {
            const std::uint32_t pixel = value[std::size_t{y} * width + x];
            return Bytes{static_cast<std::uint8_t>(pixel), static_cast<std::uint8_t>(pixel >> 8),
                         static_cast<std::uint8_t>(pixel >> 16)};
        });
        check_equal(decode(encode(file)), expected);
        for (std::uint32_t padding = 3 * width; padding % 4 != 0; ++padding) {
            file.pixels.pop_back();  // the last row's padding may be missing
        }
        check_equal(decode(encode(file)), expected);
    }
}

BOOST_AUTO_TEST_CASE(colors_of_16_bits_and_32_bits_without_masks) {
    BmpFile file;
    file.width = 40;
    file.height = 9;
    file.bits = 16;
    auto value = random_values(360, 16, 4);
    file.pixels = packed(value, 40, 9, 16, false);
    check_equal(decode(encode(file)), make_pixels(VDT_FORMAT_BGR8, 40, 9, [&](std::uint32_t x, std::uint32_t y) {
                    const std::uint32_t pixel = value[y * 40 + x];
                    return Bytes{scaled(pixel, 0x1f), scaled(pixel, 0x3e0), scaled(pixel, 0x7c00)};
                }));
    file.bits = 32;
    value = random_values(360, 32, 5);  // with anything in the fourth byte
    file.pixels = packed(value, 40, 9, 32, false);
    check_equal(decode(encode(file)), make_pixels(VDT_FORMAT_BGR8, 40, 9, [&](std::uint32_t x, std::uint32_t y) {
                    const std::uint32_t pixel = value[y * 40 + x];
                    return Bytes{scaled(pixel, 0xff), scaled(pixel, 0xff00), scaled(pixel, 0xff0000)};
                }));
}

BOOST_AUTO_TEST_CASE(masks) {
    struct Case {
        std::uint32_t bits, header_bytes, compression;
        std::vector<std::uint32_t> masks;
    };
    const std::vector<Case> cases{
        {16, 40, 3, {0xf800, 0x07e0, 0x001f}},
        {16, 52, 3, {0x7c00, 0x03e0, 0x001f}},
        {16, 56, 3, {0x0f00, 0x00f0, 0x000f, 0xf000}},
        {32, 40, 3, {0x000000ff, 0x0000ff00, 0x00ff0000}},
        {32, 40, 6, {0x00ff0000, 0x0000ff00, 0x000000ff, 0xff000000}},
        {32, 108, 3, {0xff000000, 0x00ff0000, 0x0000ff00, 0x000000ff}},
        {32, 124, 3, {0x3ff00000, 0x000ffc00, 0x000003ff, 0xc0000000}},
        {32, 124, 3, {0x00000001, 0x00000002, 0xfffffffc, 0}},
    };
    for (const Case& one : cases) {
        BOOST_TEST_CONTEXT(one.bits << " bits, header " << one.header_bytes << ", first mask " << one.masks[0]) {
            BmpFile file;
            file.bits = one.bits;
            file.header_bytes = one.header_bytes;
            file.compression = one.compression;
            file.masks = one.masks;
            file.width = 30;
            file.height = 8;
            auto value = random_values(240, one.bits, 6);
            const std::uint32_t alpha_mask = one.masks.size() > 3 ? one.masks[3] : 0;
            const auto expected = [&](vdt_format format) {
                return make_pixels(format, 30, 8, [&](std::uint32_t x, std::uint32_t y) {
                    const std::uint32_t pixel = value[y * 30 + x];
                    Bytes bgra{scaled(pixel, one.masks[2]), scaled(pixel, one.masks[1]), scaled(pixel, one.masks[0])};
                    if (format == VDT_FORMAT_BGRA8) {
                        bgra.push_back(scaled(pixel, alpha_mask));
                    }
                    return bgra;
                });
            };
            file.pixels = packed(value, 30, 8, one.bits, false);
            check_equal(decode(encode(file)), expected(alpha_mask != 0 ? VDT_FORMAT_BGRA8 : VDT_FORMAT_BGR8));
            for (const bool opaque : {true, false}) {  // alpha full everywhere, and alpha never written
                for (std::uint32_t& pixel : value) {
                    pixel = opaque ? pixel | alpha_mask : pixel & ~alpha_mask;
                }
                file.pixels = packed(value, 30, 8, one.bits, false);
                check_equal(decode(encode(file)), expected(VDT_FORMAT_BGR8));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(runs_of_8_bits) {
    BmpFile file;
    file.width = 6;
    file.height = 4;
    file.bits = 8;
    file.compression = 1;
    file.palette = random_palette(256);
    file.pixels = {3, 7,  0, 3, 1, 2, 3, 0, 0, 0,              // bottom row: a run, a literal with padding
                   0, 4,  9, 8, 7, 6, 2, 5, 0, 0,              // a literal without
                   0, 2,  2, 1,                                // two right, one up
                   1, 11, 0, 1};                               // ended early
    const std::vector<std::uint32_t> index{0, 0, 11, 0, 0, 0,  //
                                           0, 0, 0,  0, 0, 0,  //
                                           9, 8, 7,  6, 5, 5,  //
                                           7, 7, 7,  1, 2, 3};
    check_equal(decode(encode(file)), looked_up(index, 6, 4, file.palette));
}

BOOST_AUTO_TEST_CASE(runs_of_4_bits) {
    BmpFile file;
    file.width = 7;
    file.height = 3;
    file.bits = 4;
    file.compression = 2;
    file.palette = random_palette(16);
    file.pixels = {7, 0x12, 0,    0,                             //
                   0, 5,    0x34, 0x56, 0x7f, 0, 2, 0xab, 0, 0,  // five indices in three bytes and a byte of padding
                   1, 0xc0, 0,    1};
    const std::vector<std::uint32_t> index{0xc, 0, 0, 0, 0, 0,   0,    //
                                           3,   4, 5, 6, 7, 0xa, 0xb,  //
                                           1,   2, 1, 2, 1, 2,   1};
    check_equal(decode(encode(file)), looked_up(index, 7, 3, file.palette));
}

BOOST_AUTO_TEST_CASE(bad_runs_are_refused) {
    BmpFile file;
    file.width = 4;
    file.height = 2;
    file.bits = 8;
    file.compression = 1;
    file.palette = random_palette(256);
    const auto refused = [&](const Bytes& runs, const std::string& word) {
        file.pixels = runs;
        check_refused(encode(file), VDT_E_FORMAT, {word});
    };
    refused({5, 1, 0, 1}, "leaves the picture");
    refused({4, 1, 1, 1, 0, 1}, "leaves the picture");
    refused({0, 5, 1, 2, 3, 4, 5, 0, 0, 1}, "leaves the picture");
    refused({0, 2, 0, 3, 0, 1}, "leaves the picture");
    refused({0, 2, 5, 0, 0, 1}, "leaves the picture");
    refused({0, 0, 0, 0, 1, 1, 0, 1}, "leaves the picture");
    refused({4, 1, 0, 0, 4, 1}, "truncated");
    refused({0, 4, 1, 2}, "truncated");
    file.height = rows_down(2);
    refused({4, 1, 0, 1}, "top row first");
}

BOOST_AUTO_TEST_CASE(bad_headers_are_refused) {
    BmpFile good;
    good.width = good.height = 4;
    good.pixels = Bytes(48);
    const auto refused = [&](const std::function<void(BmpFile&)>& change, vdt_code code, const std::string& word) {
        BmpFile file = good;
        change(file);
        check_refused(encode(file), code, {word});
    };
    refused([](BmpFile& f) { f.width = 65536; }, VDT_E_SIZE, "65536 x 4");
    refused([](BmpFile& f) { f.width = f.height = 50000; }, VDT_E_SIZE, "50000 x 50000");
    refused([](BmpFile& f) { f.height = 0x80000000u; }, VDT_E_SIZE, "too large");
    refused([](BmpFile& f) { f.width = 0xffffffffu; }, VDT_E_SIZE, "too large");
    refused([](BmpFile& f) { f.width = 0; }, VDT_E_FORMAT, "0 x 4");
    refused([](BmpFile& f) { f.height = 0; }, VDT_E_FORMAT, "4 x 0");
    refused([](BmpFile& f) { f.width = f.height = 20000; }, VDT_E_FORMAT, "truncated BMP");
    refused([](BmpFile& f) { f.bits = 5; }, VDT_E_FORMAT, "5 bits");
    refused([](BmpFile& f) { f.compression = 5; }, VDT_E_FORMAT, "compression is 5");
    refused([](BmpFile& f) { f.compression = 1; }, VDT_E_FORMAT, "compression 1 does not go with 24");
    refused([](BmpFile& f) { f.compression = 3; }, VDT_E_FORMAT, "compression 3 does not go with 24");
    refused([](BmpFile& f) { f.bits = 32, f.compression = 3, f.masks = {0x10f, 0, 0}; }, VDT_E_FORMAT, "gaps");
    refused([](BmpFile& f) { f.bits = 32, f.compression = 3, f.masks = {0, 0, 0}; }, VDT_E_FORMAT, "masks are 0");
    refused([](BmpFile& f) { f.pixels.clear(); }, VDT_E_FORMAT, "truncated");
    refused([](BmpFile& f) { f.header_bytes = 39; }, VDT_E_FORMAT, "39 bytes");
    Bytes file = encode(good);
    file[10] = 20;
    check_refused(file, VDT_E_FORMAT, {"inside the header"});
    file[10] = file[13] = 0xff;
    check_refused(file, VDT_E_FORMAT, {"truncated"});
    file = encode(good);
    file[17] = 0x7f;
    check_refused(file, VDT_E_FORMAT, {"its header has"});
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    BmpFile file;
    file.width = 4;  // rows without padding
    file.height = 3;
    file.pixels = Bytes(36, 9);
    check_every_truncation(encode(file));
    file.bits = 32;
    file.header_bytes = 108;
    file.compression = 3;
    file.masks = {0xff0000, 0xff00, 0xff, 0xff000000};
    file.pixels = Bytes(48, 9);
    check_every_truncation(encode(file));
    BmpFile runs;
    runs.width = 4;
    runs.height = 2;
    runs.bits = 4;
    runs.compression = 2;
    runs.palette = random_palette(16);
    runs.pixels = {4, 0x12, 0, 0, 0, 4, 0x33, 0x44, 0, 1};
    check_every_truncation(encode(runs));
}

BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
    BmpFile file;
    file.width = 9;
    file.height = 6;
    file.pixels = Bytes(28 * 6, 77);
    check_random_damage(encode(file), 1, 2000);
    file.bits = 16;
    file.header_bytes = 56;
    file.compression = 3;
    file.masks = {0xf00, 0xf0, 0xf, 0xf000};
    check_random_damage(encode(file), 2, 2000);
    BmpFile runs;
    runs.width = 9;
    runs.height = 6;
    runs.bits = 4;
    runs.compression = 2;
    runs.palette = random_palette(16);
    runs.pixels = {9, 0x12, 0, 0, 0, 5, 0x33, 0x44, 0x50, 0, 4, 0x66, 0, 0, 0, 2, 3, 2, 4, 0x9a, 0, 1};
    check_random_damage(encode(runs), 3, 4000);
    runs.bits = 8;
    runs.compression = 1;
    runs.palette = random_palette(256);
    check_random_damage(encode(runs), 4, 2000);
}
