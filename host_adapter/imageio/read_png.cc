#include "encoded_image.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <utility>

namespace vedette::host {

namespace {

// Everything libpng's callbacks and the two functions that call setjmp touch. libpng reports errors by longjmp, so
// those two functions hold no object with a destructor, and what they find lies here.
struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    const std::uint8_t* data = nullptr;
    std::size_t bytes = 0;
    std::size_t position = 0;
    bool ran_out = false;
    char message[160] = {};

    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::size_t file_row_bytes = 0;
    std::uint32_t next_row = 0;
    int passes = 1;
    bool gray = false;
    bool alpha = false;

    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
    auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
    std::strncpy(reader->message, text, sizeof reader->message - 1);
    png_longjmp(png, 1);
}

// Warnings are about chunks that are skipped anyway.
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, png_size_t count) {
    auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
    if (count > reader->bytes - reader->position) {
        reader->ran_out = true;
        png_error(png, "unexpected end");
    }
    std::memcpy(out, reader->data + reader->position, count);
    reader->position += count;
}

// Text, profiles and times are skipped unread: nothing here uses them, and compressed ones can be made to unpack to
// megabytes.
void skip_unused_chunks(png_structp png) {
    static const png_byte chunks[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, chunks, static_cast<int>(sizeof chunks / 5));
}

// False after an error of libpng.
bool read_header(Reader& reader) {
    png_structp png = reader.png;
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_read_fn(png, &reader, on_read);
    png_set_user_limits(png, VDT_MAX_DIMENSION, VDT_MAX_DIMENSION);
    skip_unused_chunks(png);
    png_read_info(png, reader.info);
    reader.width = png_get_image_width(png, reader.info);
    reader.height = png_get_image_height(png, reader.info);
    reader.file_row_bytes = png_get_rowbytes(png, reader.info);

    const png_byte color = png_get_color_type(png, reader.info);
    const bool transparent_color = png_get_valid(png, reader.info, PNG_INFO_tRNS) != 0;
    reader.gray = (color & PNG_COLOR_MASK_COLOR) == 0;
    reader.alpha = (color & PNG_COLOR_MASK_ALPHA) != 0 || transparent_color;
    png_set_expand(png);
    png_set_scale_16(png);  // to the nearest of v / 257
    if (reader.gray && reader.alpha) {
        png_set_gray_to_rgb(png);
    }
    png_set_bgr(png);
    reader.passes = png_set_interlace_handling(png);
    png_read_update_info(png, reader.info);
    return true;
}

// Rows straight into `image`. False after an error of libpng.
bool read_rows(Reader& reader, Image& image) {
    if (setjmp(png_jmpbuf(reader.png))) {
        return false;
    }
    for (int pass = 0; pass < reader.passes; ++pass) {
        for (reader.next_row = 0; reader.next_row < reader.height; ++reader.next_row) {
            png_read_row(reader.png, image.row(reader.next_row), nullptr);
        }
    }
    png_read_end(reader.png, nullptr);
    return true;
}

// One row after the other through `row` to `out`. False after an error of libpng.
bool read_rows(Reader& reader, std::uint8_t* row, AlphaRows& out) {
    if (setjmp(png_jmpbuf(reader.png))) {
        return false;
    }
    for (reader.next_row = 0; reader.next_row < reader.height; ++reader.next_row) {
        png_read_row(reader.png, row, nullptr);
        out.put(reader.next_row, row);
    }
    png_read_end(reader.png, nullptr);
    return true;
}

Failure failure(const EncodedImage& file, const Reader& reader) {
    std::string where = "in its header";
    if (reader.next_row >= reader.height && reader.height > 0) {
        where = "after the last row of pixels";
    } else if (reader.height > 0) {
        where = "in row " + std::to_string(reader.next_row) + " of " + std::to_string(reader.height);
    }
    if (reader.ran_out) {
        return truncated(file, "PNG", where);
    }
    return damaged(file, "PNG",
                   std::string(reader.message) + ", " + where + ", near byte " + std::to_string(reader.position));
}

// The size by hand, because libpng's own message for a large one would not name it.
void check_header_size(const EncodedImage& file) {
    const auto number = [&file](std::size_t at) {
        return std::uint64_t{file.data[at]} << 24 | std::uint64_t{file.data[at + 1]} << 16 |
               std::uint64_t{file.data[at + 2]} << 8 | file.data[at + 3];
    };
    if (file.bytes >= 24 && std::memcmp(file.data + 12, "IHDR", 4) == 0) {
        check_size(file, "PNG", number(16), number(20));
    }
}

}  // namespace

Image decode_png(const EncodedImage& file) {
    check_header_size(file);
    Reader reader;
    reader.data = file.data;
    reader.bytes = file.bytes;
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
    reader.info = reader.png ? png_create_info_struct(reader.png) : nullptr;
    if (!reader.info) {
        throw Failure(VDT_E_OUT_OF_MEMORY, "There is no memory to decode '" + file.name + "'.");
    }
    if (!read_header(reader)) {
        throw failure(file, reader);
    }
    check_size(file, "PNG", reader.width, reader.height);
    // Deflate codes at most 258 bytes in 2 bits: a file this small cannot hold the pixels, so none are allocated.
    constexpr std::uint64_t most_bytes_of_one = 1032;
    if (std::uint64_t{reader.file_row_bytes} * reader.height / most_bytes_of_one > file.bytes) {
        throw truncated(
            file, "PNG",
            "too few for " + std::to_string(reader.width) + " x " + std::to_string(reader.height) + " pixels");
    }

    if (reader.alpha && reader.passes == 1) {
        AlphaRows rows(reader.width, reader.height, reader.gray);
        const auto row = std::make_unique<std::uint8_t[]>(4 * std::size_t{reader.width});
        if (!read_rows(reader, row.get(), rows)) {
            throw failure(file, reader);
        }
        return rows.take();
    }
    Image image(reader.alpha  ? VDT_FORMAT_BGRA8
                : reader.gray ? VDT_FORMAT_GRAY8
                              : VDT_FORMAT_BGR8,
                reader.width, reader.height);
    if (!read_rows(reader, image)) {
        throw failure(file, reader);
    }
    return reader.alpha ? without_opaque_alpha(std::move(image), reader.gray) : std::move(image);
}

}  // namespace vedette::host
