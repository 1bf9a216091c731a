#include "encoded_image.h"

#include <string>

namespace vedette::host {

namespace {

bool is_space(std::uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(std::uint8_t c) {
    return c >= '0' && c <= '9';
}

// Reads the parts of a portable bitmap, graymap or pixmap one after the other; every failure names what was expected.
class Parser {
public:
    explicit Parser(const EncodedImage& file) : file_(file) {}

    // The character at the present place, a comment counted as the line end that closes it. Truncated at the end.
    std::uint8_t take(const std::string& expected) {
        std::uint8_t c = next(expected);
        if (c == '#') {
            while (c != '\n' && c != '\r') {
                c = next(expected);
            }
        }
        return c;
    }

    // A decimal number after any space and comments; the one character after it is used up, as the formats say. In a
    // plain raster the file may end right after the last number.
    std::uint32_t number(const std::string& expected, bool may_end) {
        std::uint8_t c = take(expected);
        while (is_space(c)) {
            c = take(expected);
        }
        std::uint32_t value = 0;
        for (;; c = take(expected)) {
            if (!is_digit(c)) {
                throw unexpected(c, expected);
            }
            value = value * 10 + (c - '0');
            if (value > 1'000'000'000u / 10) {
                throw damaged(file_, "PNM", expected + " is out of range, near byte " + std::to_string(position_));
            }
            if (may_end && position_ == file_.bytes) {
                return value;
            }
            if (position_ < file_.bytes && !is_digit(file_.data[position_])) {
                break;
            }
        }
        const std::uint8_t after = take(expected);
        if (!is_space(after)) {
            throw unexpected(after, expected);
        }
        return value;
    }

    // A pixel of a plain bitmap: 0 or 1, with or without space between.
    bool bit(const std::string& expected) {
        std::uint8_t c = take(expected);
        while (is_space(c)) {
            c = take(expected);
        }
        if (c != '0' && c != '1') {
            throw unexpected(c, expected);
        }
        return c == '1';
    }

    std::size_t position() const { return position_; }
    void skip(std::size_t count) { position_ += count; }

private:
    std::uint8_t next(const std::string& expected) {
        if (position_ == file_.bytes) {
            throw truncated(file_, "PNM", "where " + expected + " should be");
        }
        return file_.data[position_++];
    }

    Failure unexpected(std::uint8_t c, const std::string& expected) const {
        return damaged(file_, "PNM",
                       "byte " + std::to_string(position_ - 1) + " has the value " + std::to_string(c) + " where " +
                           expected + " should be");
    }

    const EncodedImage& file_;
    std::size_t position_ = 0;
};

struct Header {
    char kind = 0;  // '1' .. '6'
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t maximum = 1;

    bool bitmap() const { return kind == '1' || kind == '4'; }
    bool plain() const { return kind <= '3'; }
    std::uint32_t channels() const { return kind == '3' || kind == '6' ? 3 : 1; }
    std::uint32_t sample_bytes() const { return maximum > 255 ? 2 : 1; }
    std::uint64_t row_bytes() const {
        return bitmap() ? (std::uint64_t{width} + 7) / 8 : std::uint64_t{width} * channels() * sample_bytes();
    }
};

Header read_header(const EncodedImage& file, Parser& parser) {
    Header header;
    header.kind = static_cast<char>(file.data[1]);
    parser.skip(2);
    header.width = parser.number("the width", false);
    header.height = parser.number("the height", false);
    if (!header.bitmap()) {
        header.maximum = parser.number("the largest sample value", false);
        if (header.maximum < 1 || header.maximum > 65535) {
            throw damaged(
                file, "PNM",
                "its largest sample value is " + std::to_string(header.maximum) + ", where 1 to 65535 is allowed");
        }
    }
    check_size(file, "PNM", header.width, header.height);
    // A plain sample takes at least one character, and all but the bitmap's are apart by another.
    const std::uint64_t samples = std::uint64_t{header.width} * header.height * header.channels();
    const std::uint64_t least = !header.plain()   ? header.row_bytes() * header.height
                                : header.bitmap() ? samples
                                                  : 2 * samples - 1;
    const std::uint64_t rest = file.bytes - parser.position();
    if (rest < least) {
        throw truncated(file, "PNM",
                        "with " + std::to_string(rest) + " bytes of pixels where at least " + std::to_string(least) +
                            " are needed");
    }
    return header;
}

std::uint8_t to_8_bit(const EncodedImage& file, std::uint32_t sample, std::uint32_t maximum) {
    if (sample > maximum) {
        throw damaged(
            file, "PNM",
            "it has a sample of " + std::to_string(sample) + " above its largest value of " + std::to_string(maximum));
    }
    return static_cast<std::uint8_t>((sample * 255 + maximum / 2) / maximum);
}

void read_plain(const EncodedImage& file, const Header& header, Parser& parser, Image& image) {
    const std::uint32_t channels = header.channels();
    for (std::uint32_t y = 0; y < header.height; ++y) {
        const std::string expected = "a sample of row " + std::to_string(y);
        std::uint8_t* out = image.row(y);
        for (std::size_t x = 0; x < header.width; ++x) {
            for (std::size_t channel = channels; channel-- > 0;) {
                out[x * channels + channel] = header.bitmap()
                                                  ? (parser.bit(expected) ? 0 : 255)
                                                  : to_8_bit(file, parser.number(expected, true), header.maximum);
            }
        }
    }
}

void read_bitmap(const Header& header, const std::uint8_t* rows, Image& image) {
    for (std::uint32_t y = 0; y < header.height; ++y, rows += header.row_bytes()) {
        std::uint8_t* out = image.row(y);
        for (std::size_t x = 0; x < header.width; ++x) {
            out[x] = (rows[x / 8] >> (7 - x % 8) & 1) != 0 ? 0 : 255;
        }
    }
}

void read_samples(const EncodedImage& file, const Header& header, const std::uint8_t* rows, Image& image) {
    const std::uint32_t channels = header.channels();
    const std::uint32_t step = header.sample_bytes();
    for (std::uint32_t y = 0; y < header.height; ++y) {
        std::uint8_t* out = image.row(y);
        for (std::size_t x = 0; x < header.width; ++x) {
            for (std::size_t channel = channels; channel-- > 0; rows += step) {
                const std::uint32_t sample = step == 2 ? std::uint32_t{rows[0]} << 8 | rows[1] : rows[0];
                out[x * channels + channel] = to_8_bit(file, sample, header.maximum);
            }
        }
    }
}

}  // namespace

Image decode_pnm(const EncodedImage& file) {
    Parser parser(file);
    const Header header = read_header(file, parser);
    Image image(header.channels() == 3 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8, header.width, header.height);
    const std::uint8_t* raster = file.data + parser.position();
    if (header.plain()) {
        read_plain(file, header, parser, image);
    } else if (header.bitmap()) {
        read_bitmap(header, raster, image);
    } else {
        read_samples(file, header, raster, image);
    }
    return image;
}

}  // namespace vedette::host
