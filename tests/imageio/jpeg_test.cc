#define BOOST_TEST_MODULE imageio_jpeg
#include "pixels.h"

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <cmath>
#include <cstdlib>

using namespace imageio_test;
namespace data = boost::unit_test::data;

namespace {

struct JpegFile {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    J_COLOR_SPACE space = JCS_RGB;       // of `sample`
    J_COLOR_SPACE stored = JCS_UNKNOWN;  // JCS_UNKNOWN: as the library likes
    bool adobe_marker = true;            // for CMYK and YCCK
    bool progressive = false;
    bool arithmetic = false;
    bool halved_colors = false;
    int restart_rows = 0;
    Bytes sample;  // row by row, channels as `space`
};

Bytes encode(JpegFile file) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* out = nullptr;
    unsigned long bytes = 0;
    jpeg_mem_dest(&jpeg, &out, &bytes);
    jpeg.image_width = file.width;
    jpeg.image_height = file.height;
    jpeg.input_components = file.space == JCS_GRAYSCALE ? 1 : file.space == JCS_CMYK ? 4 : 3;
    jpeg.in_color_space = file.space;
    jpeg_set_defaults(&jpeg);
    if (file.stored != JCS_UNKNOWN) {
        jpeg_set_colorspace(&jpeg, file.stored);
    }
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (!file.halved_colors) {
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    }
    if (!file.adobe_marker) {
        jpeg.write_Adobe_marker = FALSE;
    }
    jpeg.arith_code = file.arithmetic ? TRUE : FALSE;
    jpeg.restart_in_rows = file.restart_rows;
    if (file.progressive) {
        jpeg_simple_progression(&jpeg);
    }
    jpeg_start_compress(&jpeg, TRUE);
    const std::size_t row_bytes = std::size_t{file.width} * static_cast<std::size_t>(jpeg.input_components);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = file.sample.data() + jpeg.next_scanline * row_bytes;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    const Bytes result(out, out + bytes);
    std::free(out);
    return result;
}

// A smooth picture, which JPEG at quality 100 keeps within five levels.
JpegFile smooth(std::uint32_t width, std::uint32_t height, J_COLOR_SPACE space) {
    JpegFile file;
    file.width = width;
    file.height = height;
    file.space = space;
    const int count = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            for (int channel = 0; channel < count; ++channel) {
                file.sample.push_back(static_cast<std::uint8_t>(
                    std::lround(127.5 + 100 * std::sin(0.05 * x + channel) * std::cos(0.04 * y + 2 * channel))));
            }
        }
    }
    return file;
}

Pixels expected_of(const JpegFile& file) {
    if (file.space == JCS_GRAYSCALE) {
        return Pixels{VDT_FORMAT_GRAY8, file.width, file.height, file.sample};
    }
    return make_pixels(VDT_FORMAT_BGR8, file.width, file.height, [&](std::uint32_t x, std::uint32_t y) {
        if (file.space == JCS_RGB) {
            const std::uint8_t* s = &file.sample[3 * (std::size_t{y} * file.width + x)];
            return Bytes{s[2], s[1], s[0]};
        }
        // Light that ink leaves: with Adobe's marker samples are 255 - ink.
        const std::uint8_t* s = &file.sample[4 * (std::size_t{y} * file.width + x)];
        const auto light = [&](int ink) {
            const double passes = file.adobe_marker ? s[ink] / 255.0 : 1 - s[ink] / 255.0;
            const double black = file.adobe_marker ? s[3] / 255.0 : 1 - s[3] / 255.0;
            return static_cast<std::uint8_t>(std::lround(255 * passes * black));
        };
        return Bytes{light(2), light(1), light(0)};
    });
}

std::size_t find_marker(const Bytes& file, std::uint8_t marker) {
    for (std::size_t i = 0; i + 1 < file.size(); ++i) {
        if (file[i] == 0xff && file[i + 1] == marker) {
            return i;
        }
    }
    BOOST_FAIL("no such marker");
    return 0;
}

}  // namespace

BOOST_DATA_TEST_CASE(gray_and_color,
                     data::make({JCS_GRAYSCALE, JCS_RGB}) * data::make({false, true}) * data::make({false, true}),
                     space, progressive, arithmetic) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {7u, 5u}, {64u, 64u}, {131u, 77u}}) {
        JpegFile file = smooth(width, height, space);
        file.progressive = progressive;
        file.arithmetic = arithmetic;
        check_equal(decode(encode(file)), expected_of(file), 5);
    }
}

BOOST_AUTO_TEST_CASE(colors_kept_as_rgb_or_halved_or_with_restarts) {
    JpegFile file = smooth(90, 61, JCS_RGB);
    file.stored = JCS_RGB;
    check_equal(decode(encode(file)), expected_of(file), 5);
    file.stored = JCS_UNKNOWN;
    file.restart_rows = 1;
    check_equal(decode(encode(file)), expected_of(file), 5);
    file.halved_colors = true;
    check_equal(decode(encode(file)), expected_of(file), 6);
}

BOOST_DATA_TEST_CASE(four_inks, data::make({JCS_CMYK, JCS_YCCK}) * data::make({false, true}), stored, adobe_marker) {
    if (stored == JCS_YCCK && !adobe_marker) {
        return;  // the marker is what tells it from CMYK
    }
    JpegFile file = smooth(53, 40, JCS_CMYK);
    file.stored = stored;
    file.adobe_marker = adobe_marker;
    check_equal(decode(encode(file)), expected_of(file), 5);
}

BOOST_AUTO_TEST_CASE(constant_colors_are_exact_in_gray) {
    for (int value = 0; value < 256; ++value) {
        JpegFile file;
        file.width = file.height = 8;
        file.space = JCS_GRAYSCALE;
        file.sample = Bytes(64, static_cast<std::uint8_t>(value));
        check_equal(decode(encode(file)), expected_of(file));
    }
}

BOOST_AUTO_TEST_CASE(wide) {
    JpegFile file = smooth(40000, 9, JCS_GRAYSCALE);
    check_equal(decode(encode(file)), expected_of(file), 5);
}

BOOST_AUTO_TEST_CASE(bad_files_are_refused) {
    const Bytes good = encode(smooth(24, 24, JCS_RGB));
    const std::size_t frame = find_marker(good, 0xc0);
    const auto with_size = [&](std::uint32_t width, std::uint32_t height) {
        Bytes file = good;
        file[frame + 5] = static_cast<std::uint8_t>(height >> 8);
        file[frame + 6] = static_cast<std::uint8_t>(height);
        file[frame + 7] = static_cast<std::uint8_t>(width >> 8);
        file[frame + 8] = static_cast<std::uint8_t>(width);
        return file;
    };
    check_refused(with_size(65000, 65000), VDT_E_SIZE, {"65000 x 65000"});
    check_refused(with_size(65535, 8), VDT_E_FORMAT, {"JPEG"});
    check_refused(with_size(20000, 20000), VDT_E_FORMAT, {"truncated JPEG", "20000 x 20000"});
    check_refused(with_size(0, 8), VDT_E_FORMAT, {"damaged JPEG"});

    Bytes file = good;
    file[frame + 4] = 12;  // bits of a sample
    check_refused(file, VDT_E_FORMAT, {"damaged JPEG", "precision 12"});
    file = good;
    const std::size_t scan = find_marker(good, 0xda);
    file.resize(scan + 40);
    file.insert(file.end(), {0xff, 0xd9});
    check_refused(file, VDT_E_FORMAT, {"damaged JPEG", "premature end", "in row"});
    check_refused({0xff, 0xd8, 0xff, 0xd9}, VDT_E_FORMAT, {"damaged JPEG"});

    // Bytes between the segments and after the end do no harm.
    file = good;
    file.insert(file.end(), 5, 'x');
    check_equal(decode(file), decode(good));
}

BOOST_AUTO_TEST_CASE(endless_scans_are_refused) {
    JpegFile progressive = smooth(16, 16, JCS_GRAYSCALE);
    progressive.progressive = true;
    const Bytes good = encode(progressive);
    // The last scan of the file, again and again.
    std::size_t last = 0;
    for (std::size_t i = 0; i + 1 < good.size(); ++i) {
        last = good[i] == 0xff && good[i + 1] == 0xda ? i : last;
    }
    Bytes file(good.begin(), good.end() - 2);
    for (int i = 0; i < 150; ++i) {
        file.insert(file.end(), good.begin() + static_cast<std::ptrdiff_t>(last), good.end() - 2);
    }
    file.insert(file.end(), {0xff, 0xd9});
    try {
        decode(file);
        BOOST_ERROR("it was read");
    } catch (const Failure& failure) {
        BOOST_CHECK_EQUAL(failure.code(), VDT_E_FORMAT);
    }
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
    check_every_truncation(encode(smooth(20, 12, JCS_RGB)));
    JpegFile progressive = smooth(20, 12, JCS_GRAYSCALE);
    progressive.progressive = true;
    check_every_truncation(encode(progressive));
    check_every_truncation(encode(smooth(9, 9, JCS_CMYK)));
}

BOOST_AUTO_TEST_CASE(random_damage_is_survived) {
    check_random_damage(encode(smooth(20, 12, JCS_RGB)), 1, 2000);
    JpegFile file = smooth(20, 12, JCS_RGB);
    file.progressive = true;
    check_random_damage(encode(file), 2, 2000);
    file.arithmetic = true;
    check_random_damage(encode(file), 3, 1000);
    file = smooth(20, 12, JCS_CMYK);
    file.restart_rows = 1;
    check_random_damage(encode(file), 4, 1000);
}
