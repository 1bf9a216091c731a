// What the tests of the image files share: pictures with known values, and looking at what was decoded.
#pragma once

#include "../boost_test.h"

#include <core/failure.h>
#include <imageio/read_image.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace imageio_test {

using Bytes = std::vector<std::uint8_t>;
using vedette::host::Failure;
using vedette::host::Image;

// A decoded picture: rows without padding, channels as in `format`.
struct Pixels {
    vdt_format format = VDT_FORMAT_NONE;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    Bytes value;
};

inline std::size_t channels(vdt_format format) {
    return format == VDT_FORMAT_GRAY8 ? 1 : format == VDT_FORMAT_BGR8 ? 3 : 4;
}

// Made pixel by pixel: `pixel(x, y)` returns as many bytes as the format has channels.
inline Pixels make_pixels(vdt_format format, std::uint32_t width, std::uint32_t height,
                          const std::function<Bytes(std::uint32_t, std::uint32_t)>& pixel) {
    Pixels pixels{format, width, height, {}};
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const Bytes one = pixel(x, y);
            BOOST_REQUIRE_EQUAL(one.size(), channels(format));
            pixels.value.insert(pixels.value.end(), one.begin(), one.end());
        }
    }
    return pixels;
}

inline Pixels random_pixels(vdt_format format, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
    Pixels pixels{format, width, height, Bytes(std::size_t{width} * height * channels(format))};
    std::mt19937 random(seed);
    for (std::uint8_t& value : pixels.value) {
        value = static_cast<std::uint8_t>(random());
    }
    return pixels;
}

inline Pixels pixels_of(const Image& image) {
    Pixels pixels{image.format(), image.width(), image.height(), {}};
    const std::size_t row_bytes = image.width() * channels(image.format());
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        pixels.value.insert(pixels.value.end(), image.row(y), image.row(y) + row_bytes);
    }
    return pixels;
}

inline Pixels decode(const Bytes& file) {
    return pixels_of(vedette::host::decode_image(file.data(), file.size(), "file"));
}

// Every channel of every pixel within `tolerance`.
inline void check_equal(const Pixels& found, const Pixels& expected, int tolerance = 0) {
    BOOST_REQUIRE_EQUAL(found.format, expected.format);
    BOOST_REQUIRE_EQUAL(found.width, expected.width);
    BOOST_REQUIRE_EQUAL(found.height, expected.height);
    BOOST_REQUIRE_EQUAL(found.value.size(), expected.value.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.value.size(); ++i) {
        if (std::abs(int{found.value[i]} - int{expected.value[i]}) > tolerance && wrong++ < 5) {
            const std::size_t step = channels(found.format);
            BOOST_ERROR("pixel (" << i / step % found.width << ", " << i / step / found.width << ") channel "
                                  << i % step << " is " << int{found.value[i]} << ", not " << int{expected.value[i]});
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0u);
}

// The file is refused with `code` and a text that holds every one of `words`.
inline void check_refused(const Bytes& file, vdt_code code, const std::vector<std::string>& words) {
    try {
        vedette::host::decode_image(file.data(), file.size(), "the-file");
        BOOST_ERROR("it was read");
    } catch (const Failure& failure) {
        BOOST_CHECK_EQUAL(failure.code(), code);
        BOOST_CHECK_MESSAGE(failure.text().find("the-file") != std::string::npos, failure.text());
        for (const std::string& word : words) {
            BOOST_CHECK_MESSAGE(failure.text().find(word) != std::string::npos,
                                "no '" << word << "' in: " << failure.text());
        }
    }
}

// Decodes damaged bytes: a Failure with a code of decode_image's contract or an image of a sane size. Anything else
// ends the test program or is caught by a sanitizer.
inline bool survives(const Bytes& file) {
    try {
        const Image image = vedette::host::decode_image(file.data(), file.size(), "file");
        BOOST_CHECK(image.width() >= 1 && image.height() >= 1);
        // Touches the first and the last pixel, so that a sanitizer sees a wrong size.
        const volatile std::uint8_t first = *image.row(0);
        const volatile std::uint8_t last = image.row(image.height() - 1)[image.width() * channels(image.format()) - 1];
        static_cast<void>(first);
        static_cast<void>(last);
        return true;
    } catch (const Failure& failure) {
        BOOST_CHECK_MESSAGE(
            failure.code() == VDT_E_FORMAT || failure.code() == VDT_E_SIZE || failure.code() == VDT_E_OUT_OF_MEMORY,
            "code " << failure.code() << ": " << failure.text());
        return false;
    }
}

// Every proper beginning of a file is refused as truncated or damaged; `tolerated`: bytes at the end without meaning.
inline void check_every_truncation(const Bytes& file, std::size_t tolerated = 0) {
    BOOST_REQUIRE(survives(file));
    std::size_t said_truncated = 0;
    for (std::size_t length = 1; length < file.size() - tolerated; ++length) {
        const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
        try {
            vedette::host::decode_image(cut.data(), cut.size(), "file");
            BOOST_ERROR("the first " << length << " of " << file.size() << " bytes were read as a whole file");
        } catch (const Failure& failure) {
            BOOST_CHECK_MESSAGE(failure.code() == VDT_E_FORMAT, length << " bytes: " << failure.text());
            said_truncated += failure.text().find("truncated") != std::string::npos ? 1 : 0;
        }
    }
    // The word may only be missing where too little is left to tell the format.
    BOOST_CHECK_GE(said_truncated + 3, file.size() - tolerated - 1);
}

// Random bytes overwritten, bits flipped, pieces removed and doubled; always the same ones.
inline void check_random_damage(const Bytes& file, std::uint32_t seed, int rounds) {
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    int read = 0;
    for (int round = 0; round < rounds; ++round) {
        Bytes hurt = file;
        for (std::size_t wounds = 1 + below(4); wounds > 0; --wounds) {
            const std::size_t at = below(hurt.size());
            const auto place = hurt.begin() + static_cast<std::ptrdiff_t>(at);
            switch (below(4)) {
                case 0:
                    *place = static_cast<std::uint8_t>(random());
                    break;
                case 1:
                    *place ^= static_cast<std::uint8_t>(1u << below(8));
                    break;
                case 2:
                    if (hurt.size() > 8) {
                        hurt.erase(place);
                    }
                    break;
                default:
                    hurt.insert(place, *place);
                    break;
            }
        }
        read += survives(hurt) ? 1 : 0;
    }
    BOOST_TEST_MESSAGE(read << " of " << rounds << " damaged files were read");
}

}  // namespace imageio_test
