#define BOOST_TEST_MODULE imageio_png
#include "pixels.h"

#include <imageio/write_png.h>

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace imageio_test;
namespace data = boost::unit_test::data;

namespace {

struct PngFile {
    int color = PNG_COLOR_TYPE_RGB;
    int depth = 8;
    bool interlaced = false;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint16_t> sample;  // row by row, channels as in the file
    std::vector<png_color> palette;
    Bytes palette_alpha;
    const png_color_16* transparent = nullptr;

    std::size_t channels() const {
        return color == PNG_COLOR_TYPE_RGB          ? 3
               : color == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
               : color == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                    : 1;
    }
};

void append(png_structp png, png_bytep bytes, png_size_t count) {
    auto* out = static_cast<Bytes*>(png_get_io_ptr(png));
    out->insert(out->end(), bytes, bytes + count);
}

// The samples of one row packed as PNG wants them.
Bytes packed_row(const PngFile& file, std::uint32_t y) {
    const std::size_t samples = file.width * file.channels();
    Bytes row((samples * static_cast<std::size_t>(file.depth) + 7) / 8);
    for (std::size_t i = 0; i < samples; ++i) {
        const std::uint32_t value = file.sample[y * samples + i];
        if (file.depth == 16) {
            row[2 * i] = static_cast<std::uint8_t>(value >> 8);
            row[2 * i + 1] = static_cast<std::uint8_t>(value);
        } else {
            const std::size_t bit = i * static_cast<std::size_t>(file.depth);
            row[bit / 8] |= static_cast<std::uint8_t>(value << (8 - file.depth - static_cast<int>(bit % 8)));
        }
    }
    return row;
}

Bytes encode(const PngFile& file) {
    Bytes out;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    BOOST_REQUIRE(setjmp(png_jmpbuf(png)) == 0);
    png_set_write_fn(png, &out, append, nullptr);
    png_set_IHDR(png, info, file.width, file.height, file.depth, file.color,
                 file.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    if (!file.palette.empty()) {
        png_set_PLTE(png, info, file.palette.data(), static_cast<int>(file.palette.size()));
    }
    if (!file.palette_alpha.empty()) {
        png_set_tRNS(png, info, file.palette_alpha.data(), static_cast<int>(file.palette_alpha.size()), nullptr);
    }
    if (file.transparent != nullptr) {
        png_set_tRNS(png, info, nullptr, 0, file.transparent);
    }
    png_write_info(png, info);
    std::vector<Bytes> rows;
    std::vector<png_bytep> pointers;
    for (std::uint32_t y = 0; y < file.height; ++y) {
        rows.push_back(packed_row(file, y));
    }
    for (Bytes& row : rows) {
        pointers.push_back(row.data());
    }
    png_write_image(png, pointers.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return out;
}

PngFile random_file(int color, int depth, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
    PngFile file;
    file.color = color;
    file.depth = depth;
    file.width = width;
    file.height = height;
    std::mt19937 random(seed);
    file.sample.resize(std::size_t{width} * height * file.channels());
    for (std::uint16_t& value : file.sample) {
        value = static_cast<std::uint16_t>(random() & ((1u << depth) - 1));
    }
    return file;
}

std::uint8_t to_8_bit(std::uint32_t value, int depth) {
    return static_cast<std::uint8_t>(std::lround(value * 255.0 / ((1u << depth) - 1)));
}

// What the file holds, from its samples. `keep_alpha`: the format has alpha and not all of it is opaque.
Pixels expected_of(const PngFile& file, bool keep_alpha) {
    const bool gray = file.color == PNG_COLOR_TYPE_GRAY || file.color == PNG_COLOR_TYPE_GRAY_ALPHA;
    const vdt_format format = keep_alpha ? VDT_FORMAT_BGRA8 : gray ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
    return make_pixels(format, file.width, file.height, [&](std::uint32_t x, std::uint32_t y) {
        const std::uint16_t* s = &file.sample[(std::size_t{y} * file.width + x) * file.channels()];
        Bytes bgra;
        bool clear = false;
        std::uint8_t alpha = 255;
        if (file.color == PNG_COLOR_TYPE_PALETTE) {
            const png_color entry = file.palette[s[0]];
            bgra = {entry.blue, entry.green, entry.red};
            alpha = s[0] < file.palette_alpha.size() ? file.palette_alpha[s[0]] : std::uint8_t{255};
        } else if (gray) {
            bgra = Bytes(3, to_8_bit(s[0], file.depth));
            clear = file.transparent != nullptr && s[0] == file.transparent->gray;
        } else {
            bgra = {to_8_bit(s[2], file.depth), to_8_bit(s[1], file.depth), to_8_bit(s[0], file.depth)};
            clear = file.transparent != nullptr && s[0] == file.transparent->red && s[1] == file.transparent->green &&
                    s[2] == file.transparent->blue;
        }
        if ((file.color & PNG_COLOR_MASK_ALPHA) != 0) {
            alpha = to_8_bit(s[file.channels() - 1], file.depth);
        }
        bgra.push_back(clear ? std::uint8_t{0} : alpha);
        bgra.resize(channels(format));
        return bgra;
    });
}

struct Size {
    std::uint32_t width, height;
};
constexpr std::array<Size, 6> sizes{{{1, 1}, {1, 9}, {7, 1}, {3, 2}, {13, 11}, {70, 33}}};

// Bytes of a chunk with its length and checksum.
Bytes chunk(const char* type, const Bytes& content) {
    Bytes out;
    const auto number = [&out](std::uint32_t value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.push_back(static_cast<std::uint8_t>(value >> shift));
        }
    };
    number(static_cast<std::uint32_t>(content.size()));
    out.insert(out.end(), type, type + 4);
    out.insert(out.end(), content.begin(), content.end());
    number(static_cast<std::uint32_t>(crc32(0, out.data() + 4, static_cast<uInt>(content.size() + 4))));
    return out;
}

Bytes joined(const std::vector<Bytes>& parts) {
    Bytes out;
    for (const Bytes& part : parts) {
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

const Bytes signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

Bytes header_chunk(std::uint32_t width, std::uint32_t height, std::uint8_t depth, std::uint8_t color) {
    Bytes content;
    for (const std::uint32_t value : {width, height}) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            content.push_back(static_cast<std::uint8_t>(value >> shift));
        }
    }
    content.insert(content.end(), {depth, color, 0, 0, 0});
    return chunk("IHDR", content);
}

Bytes small_file() {
    return encode(random_file(PNG_COLOR_TYPE_RGB, 8, 9, 7, 5));
}

}  // namespace

BOOST_DATA_TEST_CASE(gray_of_every_depth, data::make({1, 2, 4, 8, 16}) * data::make({false, true}), depth, interlaced) {
    for (const Size size : sizes) {
        PngFile file = random_file(PNG_COLOR_TYPE_GRAY, depth, size.width, size.height, 1);
        file.interlaced = interlaced;
        check_equal(decode(encode(file)), expected_of(file, false));
    }
}

BOOST_DATA_TEST_CASE(color, data::make({8, 16}) * data::make({false, true}), depth, interlaced) {
    for (const Size size : sizes) {
        PngFile file = random_file(PNG_COLOR_TYPE_RGB, depth, size.width, size.height, 2);
        file.interlaced = interlaced;
        check_equal(decode(encode(file)), expected_of(file, false));
    }
}

BOOST_AUTO_TEST_CASE(every_16_bit_value_goes_to_the_nearest_8_bit_one) {
    PngFile file = random_file(PNG_COLOR_TYPE_GRAY, 16, 256, 256, 0);
    for (std::size_t i = 0; i < file.sample.size(); ++i) {
        file.sample[i] = static_cast<std::uint16_t>(i);
    }
    const Pixels found = decode(encode(file));
    for (std::size_t i = 0; i < file.sample.size(); ++i) {
        BOOST_REQUIRE_EQUAL(int{found.value[i]}, static_cast<int>((i + 128) / 257));
    }
}

BOOST_DATA_TEST_CASE(alpha,
                     data::make({PNG_COLOR_TYPE_RGB_ALPHA, PNG_COLOR_TYPE_GRAY_ALPHA}) * data::make({8, 16}) *
                         data::make({false, true}),
                     color, depth, interlaced) {
    for (const Size size : sizes) {
        PngFile file = random_file(color, depth, size.width, size.height, 3);
        file.interlaced = interlaced;
        file.sample.back() = 1;  // transparent in the last pixel at least
        check_equal(decode(encode(file)), expected_of(file, true));

        for (std::size_t i = file.channels() - 1; i < file.sample.size(); i += file.channels()) {
            file.sample[i] = static_cast<std::uint16_t>((1u << depth) - 1);
        }
        check_equal(decode(encode(file)), expected_of(file, false));

        file.sample.back() = 0;  // opaque but for the last pixel
        check_equal(decode(encode(file)), expected_of(file, true));
    }
}

BOOST_DATA_TEST_CASE(palette, data::make({1, 2, 4, 8}) * data::make({false, true}), depth, interlaced) {
    for (const Size size : sizes) {
        PngFile file = random_file(PNG_COLOR_TYPE_PALETTE, depth, size.width, size.height, 4);
        file.interlaced = interlaced;
        std::mt19937 random(5);
        for (int i = 0; i < 1 << depth; ++i) {
            file.palette.push_back(
                {static_cast<png_byte>(random()), static_cast<png_byte>(random()), static_cast<png_byte>(random())});
        }
        check_equal(decode(encode(file)), expected_of(file, false));

        file.palette_alpha = Bytes(file.palette.size() - 1, 255);
        check_equal(decode(encode(file)), expected_of(file, false));

        file.palette_alpha[file.palette_alpha.size() / 2] = 77;
        file.sample[0] = static_cast<std::uint16_t>(file.palette_alpha.size() / 2);
        check_equal(decode(encode(file)), expected_of(file, true));
    }
}

BOOST_DATA_TEST_CASE(transparent_color, data::make({1, 2, 4, 8, 16}) * data::make({false, true}), depth, interlaced) {
    png_color_16 transparent{};
    PngFile gray = random_file(PNG_COLOR_TYPE_GRAY, depth, 21, 10, 6);
    gray.interlaced = interlaced;
    transparent.gray = gray.sample[17];
    gray.transparent = &transparent;
    check_equal(decode(encode(gray)), expected_of(gray, true));
    if (depth < 8) {
        return;
    }
    PngFile color = random_file(PNG_COLOR_TYPE_RGB, depth, 21, 10, 7);
    color.interlaced = interlaced;
    transparent.red = color.sample[30];
    transparent.green = color.sample[31];
    transparent.blue = color.sample[32];
    color.transparent = &transparent;
    check_equal(decode(encode(color)), expected_of(color, true));
}

BOOST_AUTO_TEST_CASE(a_16_bit_transparent_color_is_compared_in_16_bits) {
    png_color_16 transparent{};
    transparent.gray = 0x1234;
    PngFile file = random_file(PNG_COLOR_TYPE_GRAY, 16, 2, 1, 0);
    file.sample = {0x1234, 0x1235};  // the same in 8 bits
    file.transparent = &transparent;
    check_equal(decode(encode(file)), Pixels{VDT_FORMAT_BGRA8, 2, 1, {18, 18, 18, 0, 18, 18, 18, 255}});
}

BOOST_AUTO_TEST_CASE(wide_files_are_read) {
    PngFile file = random_file(PNG_COLOR_TYPE_GRAY, 1, 40000, 3, 8);
    check_equal(decode(encode(file)), expected_of(file, false));
    file = random_file(PNG_COLOR_TYPE_GRAY, 1, 65535, 1, 9);
    check_equal(decode(encode(file)), expected_of(file, false));
}

BOOST_AUTO_TEST_CASE(sizes_are_checked_before_anything_is_allocated) {
    const auto claim = [](std::uint32_t width, std::uint32_t height) {
        return joined({signature, header_chunk(width, height, 8, 2), chunk("IDAT", Bytes(30)), chunk("IEND", {})});
    };
    check_refused(claim(65536, 1), VDT_E_SIZE, {"65536 x 1"});
    check_refused(claim(1, 70000), VDT_E_SIZE, {"1 x 70000"});
    check_refused(claim(40000, 40000), VDT_E_SIZE, {"40000 x 40000"});
    check_refused(claim(0xffffffffu, 0xffffffffu), VDT_E_SIZE, {"too large"});
    check_refused(claim(0, 4), VDT_E_FORMAT, {"0 x 4"});
    check_refused(claim(4, 0), VDT_E_FORMAT, {"4 x 0"});
    check_refused(claim(20000, 20000), VDT_E_FORMAT, {"truncated", "20000 x 20000"});
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused) {
    Bytes file = small_file();
    const auto idat = std::search(file.begin(), file.end(), "IDAT", "IDAT" + 4);
    Bytes bad_checksum = file;
    bad_checksum[file.size() - 13] ^= 1;  // the last byte of pixels' checksum, before IEND
    check_refused(bad_checksum, VDT_E_FORMAT, {"damaged PNG", "CRC"});
    Bytes bad_pixels = file;
    bad_pixels[static_cast<std::size_t>(idat - file.begin()) + 20] ^= 1;
    check_refused(bad_pixels, VDT_E_FORMAT, {"damaged PNG", "in row"});
    check_refused(joined({signature, header_chunk(4, 4, 3, 2), chunk("IEND", {})}), VDT_E_FORMAT, {"damaged PNG"});
    check_refused(joined({signature, header_chunk(4, 4, 8, 3), chunk("IDAT", Bytes(9)), chunk("IEND", {})}),
                  VDT_E_FORMAT, {"damaged PNG"});
    check_refused(joined({signature, header_chunk(4, 4, 8, 2), chunk("IEND", {})}), VDT_E_FORMAT, {"PNG"});
}

BOOST_AUTO_TEST_CASE(text_that_unpacks_to_megabytes_is_skipped) {
    const Bytes zeros(64 << 20);
    uLongf packed_size = compressBound(zeros.size());
    Bytes content{'k', 0, 0};
    content.resize(3 + packed_size);
    BOOST_REQUIRE_EQUAL(compress(content.data() + 3, &packed_size, zeros.data(), zeros.size()), Z_OK);
    content.resize(3 + packed_size);
    const Bytes file = small_file();
    const std::size_t after_header = 8 + 25;
    const Bytes with_text = joined({Bytes(file.begin(), file.begin() + after_header), chunk("zTXt", content),
                                    Bytes(file.begin() + after_header, file.end())});
    check_equal(decode(with_text), decode(file));
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    check_every_truncation(small_file());
    check_every_truncation(encode(random_file(PNG_COLOR_TYPE_RGB_ALPHA, 8, 5, 6, 11)));
    PngFile interlaced = random_file(PNG_COLOR_TYPE_GRAY, 2, 20, 9, 12);
    interlaced.interlaced = true;
    check_every_truncation(encode(interlaced));
}

BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
    check_random_damage(small_file(), 1, 1500);
    PngFile file = random_file(PNG_COLOR_TYPE_GRAY_ALPHA, 16, 9, 7, 13);
    file.interlaced = true;
    check_random_damage(encode(file), 2, 1500);
    // Without checksums in the way: what is inside the compressed data is damaged.
    std::mt19937 random(3);
    for (int round = 0; round < 1500; ++round) {
        Bytes raw(static_cast<std::size_t>(random() % 80));
        for (std::uint8_t& byte : raw) {
            byte = static_cast<std::uint8_t>(random());
        }
        uLongf size = compressBound(raw.size());
        Bytes packed(size);
        compress(packed.data(), &size, raw.data(), raw.size());
        packed.resize(size);
        if (round % 2 == 1) {
            packed[random() % packed.size()] ^= static_cast<std::uint8_t>(random());
        }
        const auto color = static_cast<std::uint8_t>(random() % 7);
        const auto depth = static_cast<std::uint8_t>(1u << random() % 5);
        const auto width = static_cast<std::uint32_t>(1 + random() % 9);
        const auto height = static_cast<std::uint32_t>(1 + random() % 9);
        survives(joined({signature, header_chunk(width, height, depth, color), chunk("PLTE", Bytes(3 * (random() % 5))),
                         chunk("tRNS", Bytes(random() % 7)), chunk("IDAT", packed), chunk("IEND", {})}));
    }
}
