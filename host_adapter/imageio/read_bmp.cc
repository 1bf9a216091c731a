#include "bmp_header.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace vedette::host {

namespace {

std::uint32_t image_row(const BmpHeader& header, std::uint32_t file_row) {
    return header.top_down ? file_row : header.height - 1 - file_row;
}

Failure truncated_in_row(const EncodedImage& file, const BmpHeader& header, std::uint32_t file_row) {
    return truncated(file, "BMP",
                     "in row " + std::to_string(image_row(header, file_row)) + " of " + std::to_string(header.height));
}

void put_palette_pixel(const BmpHeader& header, std::uint32_t index, std::uint8_t* out) {
    std::copy_n(header.palette[index].data(), 3, out);
}

// Palette and 24-bit rows.
void read_opaque_row(const BmpHeader& header, const std::uint8_t* in, std::uint8_t* out) {
    if (header.bits == 24) {
        std::memcpy(out, in, 3 * std::size_t{header.width});
        return;
    }
    const std::uint32_t in_byte = 8 / header.bits;
    const std::uint32_t mask = (1u << header.bits) - 1;
    for (std::uint32_t x = 0; x < header.width; ++x) {
        const std::uint32_t shift = 8 - header.bits * (x % in_byte + 1);
        put_palette_pixel(header, in[x / in_byte] >> shift & mask, out + 3 * std::size_t{x});
    }
}

// Rows of 16 or 32 bits a pixel as BGRA.
void read_masked_row(const BmpHeader& header, const std::uint8_t* in, std::uint8_t* bgra) {
    const std::size_t step = header.bits / 8;
    for (std::size_t x = 0; x < header.width; ++x, in += step) {
        std::uint32_t pixel = std::uint32_t{in[0]} | std::uint32_t{in[1]} << 8;
        if (step == 4) {
            pixel |= std::uint32_t{in[2]} << 16 | std::uint32_t{in[3]} << 24;
        }
        for (std::size_t channel = 0; channel < 4; ++channel) {
            bgra[4 * x + channel] = header.channels[channel].value(pixel, channel == 3 ? 255 : 0);
        }
    }
}

// Many programs write an alpha mask and leave alpha 0 everywhere: that means no alpha, not an invisible picture.
bool alpha_is_used(const BmpHeader& header, const std::uint8_t* rows, std::size_t row_bytes) {
    const BmpChannel& alpha = header.channels[3];
    if (alpha.bits == 0) {
        return false;
    }
    std::vector<std::uint8_t> bgra(4 * std::size_t{header.width});
    for (std::uint32_t row = 0; row < header.height; ++row) {
        read_masked_row(header, rows + row * row_bytes, bgra.data());
        for (std::size_t x = 0; x < header.width; ++x) {
            if (bgra[4 * x + 3] != 0) {
                return true;
            }
        }
    }
    return false;
}

Image read_plain(const EncodedImage& file, BmpHeader& header) {
    const std::size_t row_bytes = (std::size_t{header.width} * header.bits + 31) / 32 * 4;
    const std::size_t used_bytes = (std::size_t{header.width} * header.bits + 7) / 8;
    const std::size_t given = file.bytes - header.pixels;
    // The last row's padding may be missing: some writers leave it out.
    if (given < row_bytes * (header.height - 1) + used_bytes) {
        throw truncated_in_row(file, header, static_cast<std::uint32_t>(given / row_bytes));
    }
    const std::uint8_t* rows = file.data + header.pixels;
    if (header.bits != 16 && header.bits != 32) {
        Image image(VDT_FORMAT_BGR8, header.width, header.height);
        for (std::uint32_t row = 0; row < header.height; ++row) {
            read_opaque_row(header, rows + row * row_bytes, image.row(image_row(header, row)));
        }
        return image;
    }
    if (!alpha_is_used(header, rows, row_bytes)) {
        header.channels[3] = {};
    }
    AlphaRows out(header.width, header.height, false);
    std::vector<std::uint8_t> bgra(4 * std::size_t{header.width});
    for (std::uint32_t row = 0; row < header.height; ++row) {
        read_masked_row(header, rows + row * row_bytes, bgra.data());
        out.put(image_row(header, row), bgra.data());
    }
    return out.take();
}

// Decodes runs of 8-bit or 4-bit palette indices; pixels that are skipped have index 0.
class RunLengthDecoder {
public:
    RunLengthDecoder(const EncodedImage& file, const BmpHeader& header)
        : file_(file), header_(header), image_(VDT_FORMAT_BGR8, header.width, header.height), at_(header.pixels) {
        for (std::uint32_t y = 0; y < header.height; ++y) {
            for (std::size_t x = 0; x < header.width; ++x) {
                put_palette_pixel(header, 0, image_.row(y) + 3 * x);
            }
        }
    }

    Image decode() {
        while (!ended_) {
            const std::uint32_t count = next();
            const std::uint32_t value = next();
            if (count > 0) {
                run(count, value);
            } else if (value < 3) {
                escape(value);
            } else {
                literal(value);
            }
        }
        return std::move(image_);
    }

private:
    std::uint32_t next() {
        if (at_ == file_.bytes) {
            throw truncated_in_row(file_, header_, std::min(row_, header_.height - 1));
        }
        return file_.data[at_++];
    }

    void put(std::uint32_t index) {
        if (column_ >= header_.width || row_ >= header_.height) {
            throw damaged(file_, "BMP", "a run leaves the picture, near byte " + std::to_string(at_));
        }
        put_palette_pixel(header_, index, image_.row(image_row(header_, row_)) + 3 * std::size_t{column_});
        ++column_;
    }

    // One byte holds one index, or two of four bits that take turns.
    std::uint32_t index(std::uint32_t byte, std::uint32_t i) const {
        if (header_.coding == BmpCoding::run_length_8) {
            return byte;
        }
        return i % 2 == 0 ? byte >> 4 : byte & 15u;
    }

    void run(std::uint32_t count, std::uint32_t value) {
        for (std::uint32_t i = 0; i < count; ++i) {
            put(index(value, i));
        }
    }

    void literal(std::uint32_t count) {
        const std::uint32_t in_byte = header_.coding == BmpCoding::run_length_8 ? 1 : 2;
        const std::size_t start = at_;
        std::uint32_t byte = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i % in_byte == 0) {
                byte = next();
            }
            put(index(byte, i));
        }
        if ((at_ - start) % 2 != 0) {
            next();  // literals are padded to 16 bits
        }
    }

    void escape(std::uint32_t code) {
        if (code == 0) {
            column_ = 0;
            ++row_;
        } else if (code == 1) {
            ended_ = true;
        } else {
            column_ += next();
            row_ += next();
        }
        if (row_ > header_.height || column_ > header_.width) {
            throw damaged(file_, "BMP", "a jump leaves the picture, near byte " + std::to_string(at_));
        }
    }

    const EncodedImage& file_;
    const BmpHeader& header_;
    Image image_;
    std::size_t at_;
    std::uint32_t column_ = 0;
    std::uint32_t row_ = 0;
    bool ended_ = false;
};

}  // namespace

Image decode_bmp(const EncodedImage& file) {
    BmpHeader header = read_bmp_header(file);
    if (header.coding == BmpCoding::run_length_8 || header.coding == BmpCoding::run_length_4) {
        // Even an empty row takes two bytes: a file smaller than that cannot hold the pixels, so none are allocated.
        if (std::uint64_t{header.width} * header.height / (VDT_MAX_DIMENSION / 2) > file.bytes) {
            throw truncated(
                file, "BMP",
                "too few for " + std::to_string(header.width) + " x " + std::to_string(header.height) + " pixels");
        }
        return RunLengthDecoder(file, header).decode();
    }
    return read_plain(file, header);
}

}  // namespace vedette::host
