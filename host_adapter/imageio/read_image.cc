#include "read_image.h"

#include "encoded_image.h"
#include "read_file.h"

#include <cstring>
#include <string_view>

namespace vedette::host {

namespace {

bool begins_with(const EncodedImage& file, std::size_t at, std::string_view text) {
    return file.bytes >= at + text.size() && std::memcmp(file.data + at, text.data(), text.size()) == 0;
}

bool is_pnm(const EncodedImage& file) {
    return file.bytes >= 3 && file.data[0] == 'P' && file.data[1] >= '1' && file.data[1] <= '6' &&
           (file.data[2] == '#' || file.data[2] == ' ' || (file.data[2] >= '\t' && file.data[2] <= '\r'));
}

// True when the file is so short that its bytes are the beginning of a known signature.
bool is_cut_signature(const EncodedImage& file) {
    for (const std::string_view signature : {std::string_view("\x89PNG\r\n\x1a\n"), std::string_view("\xff\xd8\xff"),
                                             std::string_view("RIFF"), std::string_view("BM")}) {
        if (file.bytes < signature.size() && std::memcmp(file.data, signature.data(), file.bytes) == 0) {
            return true;
        }
    }
    return begins_with(file, 0, "RIFF") && file.bytes < 12;
}

}  // namespace

Image decode_image(const void* data, std::size_t bytes, const std::string& name) {
    const EncodedImage file{static_cast<const std::uint8_t*>(data), bytes, name};
    if (data == nullptr || bytes == 0) {
        throw Failure(VDT_E_FORMAT, "'" + name + "' is empty.");
    }
    if (begins_with(file, 0, "\x89PNG\r\n\x1a\n")) {
        return decode_png(file);
    }
    if (begins_with(file, 0, "\xff\xd8\xff")) {
        return decode_jpeg(file);
    }
    if (begins_with(file, 0, "RIFF") && begins_with(file, 8, "WEBP")) {
        return decode_webp(file);
    }
    if (begins_with(file, 0, "BM")) {
        return decode_bmp(file);
    }
    if (is_pnm(file)) {
        return decode_pnm(file);
    }
    if (is_cut_signature(file)) {
        throw Failure(VDT_E_FORMAT, "'" + name + "' is truncated: it ends after " + std::to_string(bytes) +
                                        (bytes == 1 ? " byte" : " bytes") + ", in the signature of an image file.");
    }
    throw Failure(VDT_E_FORMAT, "'" + name + "' is no image of a known format (PNG, JPEG, WebP, PNM or BMP).");
}

Image read_image(const std::string& path) {
    const FileBytes file = read_file(path);
    return decode_image(file.data.get(), file.bytes, path == "-" ? "standard input" : path);
}

}  // namespace vedette::host
