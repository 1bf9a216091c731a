#include "bmp_header.h"

#include <algorithm>
#include <bit>

namespace vedette::host {

namespace {

constexpr std::size_t file_header_bytes = 14;
constexpr std::uint32_t core_header_bytes = 12;  // OS/2 1
constexpr std::uint32_t info_header_bytes = 40;  // Windows 3; later ones begin the same way
constexpr std::uint32_t first_header_with_masks = 52;
constexpr std::uint32_t first_header_with_alpha = 56;
constexpr std::uint32_t os2_header_bytes = 64;  // OS/2 2: longer than 52, but without masks

class Fields {
public:
    explicit Fields(const EncodedImage& file) : file_(file) {}

    std::uint32_t u16(std::size_t at) const {
        need(at, 2);
        return std::uint32_t{file_.data[at]} | std::uint32_t{file_.data[at + 1]} << 8;
    }
    std::uint32_t u32(std::size_t at) const {
        need(at, 4);
        return u16(at) | u16(at + 2) << 16;
    }
    void need(std::size_t at, std::size_t count) const {
        if (at > file_.bytes || count > file_.bytes - at) {
            throw truncated(file_, "BMP", "in its header");
        }
    }

private:
    const EncodedImage& file_;
};

BmpChannel channel_of(const EncodedImage& file, std::uint32_t mask) {
    if (mask == 0) {
        return {};
    }
    BmpChannel channel;
    channel.shift = static_cast<std::uint32_t>(std::countr_zero(mask));
    channel.bits = static_cast<std::uint32_t>(std::popcount(mask));
    if (static_cast<std::uint32_t>(std::countr_one(mask >> channel.shift)) != channel.bits) {
        throw damaged(file, "BMP", "one of its colour masks has gaps");
    }
    return channel;
}

void read_coding(const EncodedImage& file, std::uint32_t compression, BmpHeader& header) {
    const auto fits = [&](bool allowed) {
        if (!allowed) {
            throw damaged(file, "BMP",
                          "compression " + std::to_string(compression) + " does not go with " +
                              std::to_string(header.bits) + " bits a pixel" +
                              (header.top_down ? ", top row first" : ""));
        }
    };
    switch (compression) {
        case 0:
            header.coding = BmpCoding::plain;
            break;
        case 1:
            fits(header.bits == 8 && !header.top_down);
            header.coding = BmpCoding::run_length_8;
            break;
        case 2:
            fits(header.bits == 4 && !header.top_down);
            header.coding = BmpCoding::run_length_4;
            break;
        case 3:
        case 6:
            fits(header.bits == 16 || header.bits == 32);
            header.coding = BmpCoding::bit_fields;
            break;
        default:
            throw not_read(file, "BMP",
                           "its compression is " + std::to_string(compression) + "; save it uncompressed or as PNG");
    }
}

// Returns how many bytes of masks follow the header.
std::size_t read_masks(const EncodedImage& file, const Fields& fields, std::uint32_t header_bytes,
                       std::uint32_t compression, BmpHeader& header) {
    if (header.coding != BmpCoding::bit_fields) {
        // Without masks the fourth byte of 32 bits is unused, whatever it holds.
        const std::uint32_t bits = header.bits == 16 ? 5 : 8;
        header.channels = {BmpChannel{0, bits}, BmpChannel{bits, bits}, BmpChannel{2 * bits, bits}, BmpChannel{}};
        return 0;
    }
    const std::size_t at = file_header_bytes + info_header_bytes;  // inside the header or right after it
    const bool inside = header_bytes >= first_header_with_masks && header_bytes != os2_header_bytes;
    const bool with_alpha = inside ? header_bytes >= first_header_with_alpha : compression == 6;
    header.channels = {channel_of(file, fields.u32(at + 8)), channel_of(file, fields.u32(at + 4)),
                       channel_of(file, fields.u32(at)),
                       with_alpha ? channel_of(file, fields.u32(at + 12)) : BmpChannel{}};
    if (header.channels[0].bits + header.channels[1].bits + header.channels[2].bits == 0) {
        throw damaged(file, "BMP", "all of its colour masks are 0");
    }
    return inside ? 0 : (with_alpha ? 16 : 12);
}

void read_palette(const EncodedImage& file, const Fields& fields, std::size_t at, std::uint32_t entry_bytes,
                  std::uint32_t used, BmpHeader& header) {
    const std::uint32_t most = 1u << header.bits;
    std::uint32_t entries = used == 0 || used > most ? most : used;
    if (entry_bytes == 3 && header.pixels > at) {
        // OS/2 files have no count, and may leave out entries before the pixels.
        entries = static_cast<std::uint32_t>(std::min<std::size_t>(entries, (header.pixels - at) / entry_bytes));
    }
    fields.need(at, std::size_t{entries} * entry_bytes);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint8_t* entry = file.data + at + std::size_t{i} * entry_bytes;
        header.palette[i] = {entry[0], entry[1], entry[2]};
    }
}

}  // namespace

std::uint8_t BmpChannel::value(std::uint32_t pixel, std::uint8_t absent) const {
    if (bits == 0) {
        return absent;
    }
    const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
    return static_cast<std::uint8_t>(((pixel >> shift & most) * 255 + most / 2) / most);
}

BmpHeader read_bmp_header(const EncodedImage& file) {
    const Fields fields(file);
    BmpHeader header;
    header.pixels = fields.u32(10);
    const std::uint32_t header_bytes = fields.u32(file_header_bytes);
    const bool core = header_bytes == core_header_bytes;
    if (!core && (header_bytes < info_header_bytes || header_bytes > 4096)) {
        throw not_read(file, "BMP", "its header has " + std::to_string(header_bytes) + " bytes");
    }
    fields.need(file_header_bytes, header_bytes);

    std::uint32_t compression = 0;
    std::uint32_t used = 0;
    if (core) {
        header.width = fields.u16(18);
        header.height = fields.u16(20);
        header.bits = fields.u16(24);
    } else {
        header.width = fields.u32(18);
        header.height = fields.u32(22);
        header.top_down = header.height > 0x7fffffffu;
        if (header.top_down) {
            header.height = 0u - header.height;
        }
        header.bits = fields.u16(28);
        compression = fields.u32(30);
        used = fields.u32(46);
    }
    check_size(file, "BMP", header.width, header.height);
    constexpr std::array<std::uint32_t, 6> known_bits{1, 4, 8, 16, 24, 32};
    if (std::find(known_bits.begin(), known_bits.end(), header.bits) == known_bits.end()) {
        throw damaged(file, "BMP", "it says that a pixel has " + std::to_string(header.bits) + " bits");
    }
    read_coding(file, compression, header);
    const std::size_t mask_bytes = read_masks(file, fields, header_bytes, compression, header);
    if (header.bits <= 8) {
        read_palette(file, fields, file_header_bytes + header_bytes + mask_bytes, core ? 3 : 4, used, header);
    }
    if (header.pixels < file_header_bytes + header_bytes) {
        throw damaged(file, "BMP",
                      "its pixels are said to begin at byte " + std::to_string(header.pixels) + ", inside the header");
    }
    if (header.pixels >= file.bytes) {
        throw truncated(file, "BMP", "where the pixels should begin at byte " + std::to_string(header.pixels));
    }
    return header;
}

}  // namespace vedette::host
