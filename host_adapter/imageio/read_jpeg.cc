#include "encoded_image.h"

#include <cstdio>  // jpeglib.h needs FILE and size_t

#include <jpeglib.h>

#include <jerror.h>  // after jpeglib.h, whose configuration decides the numbers of the messages

#include <csetjmp>
#include <utility>

namespace vedette::host {

namespace {

// A progressive file may have any number of scans, each as costly as the image is large however few bytes it has.
// Encoders use about ten.
constexpr int max_scans = 100;

// Everything libjpeg's callbacks and the two functions that call setjmp touch: libjpeg reports errors by longjmp, so
// those functions hold no object with a destructor.
struct Reader {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg_source_mgr source{};
    jpeg_progress_mgr progress{};
    std::jmp_buf on_error{};
    bool created = false;
    bool ran_out = false;
    bool too_many_scans = false;
    char message[JMSG_LENGTH_MAX] = {};

    ~Reader() {
        if (created) {
            jpeg_destroy_decompress(&jpeg);
        }
    }
};

Reader& reader_of(j_common_ptr jpeg) {
    return *static_cast<Reader*>(jpeg->client_data);
}

[[noreturn]] void exit_with_error(j_common_ptr jpeg) {
    Reader& reader = reader_of(jpeg);
    jpeg->err->format_message(jpeg, reader.message);
    std::longjmp(reader.on_error, 1);
}

// libjpeg calls what it can guess over a warning. Those after which pixels are wrong are errors here; the rest is about
// header fields and stray bytes between segments.
void emit_message(j_common_ptr jpeg, int level) {
    if (level >= 0) {
        return;
    }
    switch (jpeg->err->msg_code) {
        case JWRN_ARITH_BAD_CODE:
        case JWRN_BOGUS_PROGRESSION:
        case JWRN_HIT_MARKER:
        case JWRN_HUFF_BAD_CODE:
        case JWRN_MUST_RESYNC:
            exit_with_error(jpeg);
        default:
            return;
    }
}

void output_nothing(j_common_ptr) {}
void source_nothing(j_decompress_ptr) {}

// All bytes were given at the start: more are wanted only when the file is cut off.
boolean run_out(j_decompress_ptr jpeg) {
    auto* common = reinterpret_cast<j_common_ptr>(jpeg);
    reader_of(common).ran_out = true;
    exit_with_error(common);
}

void skip_bytes(j_decompress_ptr jpeg, long count) {
    if (count <= 0) {
        return;
    }
    jpeg_source_mgr& source = *jpeg->src;
    if (static_cast<unsigned long>(count) > source.bytes_in_buffer) {
        run_out(jpeg);
    }
    source.next_input_byte += count;
    source.bytes_in_buffer -= static_cast<std::size_t>(count);
}

void count_scans(j_common_ptr jpeg) {
    if (jpeg->is_decompressor && reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > max_scans) {
        reader_of(jpeg).too_many_scans = true;
        exit_with_error(jpeg);
    }
}

// False after an error of libjpeg.
bool read_header(Reader& reader, const std::uint8_t* data, std::size_t bytes) {
    jpeg_decompress_struct& jpeg = reader.jpeg;
    jpeg.err = jpeg_std_error(&reader.errors);
    reader.errors.error_exit = exit_with_error;
    reader.errors.emit_message = emit_message;
    reader.errors.output_message = output_nothing;
    jpeg.client_data = &reader;
    if (setjmp(reader.on_error)) {
        return false;
    }
    jpeg_create_decompress(&jpeg);
    reader.created = true;
    reader.source.next_input_byte = data;
    reader.source.bytes_in_buffer = bytes;
    reader.source.init_source = source_nothing;
    reader.source.fill_input_buffer = run_out;
    reader.source.skip_input_data = skip_bytes;
    reader.source.resync_to_restart = jpeg_resync_to_restart;
    reader.source.term_source = source_nothing;
    jpeg.src = &reader.source;
    reader.progress.progress_monitor = count_scans;
    jpeg.progress = &reader.progress;

    jpeg_read_header(&jpeg, TRUE);
    switch (jpeg.jpeg_color_space) {
        case JCS_GRAYSCALE:
            jpeg.out_color_space = JCS_GRAYSCALE;
            break;
        case JCS_CMYK:
        case JCS_YCCK:
            jpeg.out_color_space = JCS_CMYK;
            break;
        default:
            jpeg.out_color_space = JCS_EXT_BGR;
            break;
    }
    jpeg_calc_output_dimensions(&jpeg);
    return true;
}

std::uint8_t multiply(unsigned a, unsigned b) {
    return static_cast<std::uint8_t>((a * b + 127) / 255);
}

// `inverted`: Adobe's programs store 255 - ink.
void cmyk_to_bgr(const std::uint8_t* cmyk, std::uint32_t width, bool inverted, std::uint8_t* bgr) {
    const unsigned flip = inverted ? 0u : 255u;
    for (std::size_t x = 0; x < width; ++x) {
        const unsigned black = cmyk[4 * x + 3] ^ flip;
        bgr[3 * x] = multiply(cmyk[4 * x + 2] ^ flip, black);
        bgr[3 * x + 1] = multiply(cmyk[4 * x + 1] ^ flip, black);
        bgr[3 * x + 2] = multiply(cmyk[4 * x] ^ flip, black);
    }
}

// False after an error of libjpeg.
bool read_rows(Reader& reader, Image& image) {
    jpeg_decompress_struct& jpeg = reader.jpeg;
    if (setjmp(reader.on_error)) {
        return false;
    }
    jpeg_start_decompress(&jpeg);
    const bool cmyk = jpeg.out_color_space == JCS_CMYK;
    JSAMPARRAY row =
        cmyk ? jpeg.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&jpeg), JPOOL_IMAGE, jpeg.output_width * 4, 1)
             : nullptr;
    while (jpeg.output_scanline < jpeg.output_height) {
        const JDIMENSION y = jpeg.output_scanline;
        if (cmyk) {
            jpeg_read_scanlines(&jpeg, row, 1);
            cmyk_to_bgr(row[0], jpeg.output_width, jpeg.saw_Adobe_marker != 0, image.row(y));
        } else {
            JSAMPROW out = image.row(y);
            jpeg_read_scanlines(&jpeg, &out, 1);
        }
    }
    jpeg_finish_decompress(&jpeg);
    return true;
}

Failure failure(const EncodedImage& file, const Reader& reader) {
    const jpeg_decompress_struct& jpeg = reader.jpeg;
    std::string where = "in its header";
    if (jpeg.output_height > 0) {
        where = jpeg.output_scanline < jpeg.output_height
                    ? "in row " + std::to_string(jpeg.output_scanline) + " of " + std::to_string(jpeg.output_height)
                    : "after the last row of pixels";
    }
    if (reader.too_many_scans) {
        return not_read(file, "JPEG", "it has more than " + std::to_string(max_scans) + " scans");
    }
    if (reader.errors.msg_code == JERR_OUT_OF_MEMORY && !reader.ran_out) {
        return Failure(VDT_E_OUT_OF_MEMORY, "There is no memory to decode '" + file.name + "'.");
    }
    if (reader.ran_out) {
        return truncated(file, "JPEG", where);
    }
    return damaged(file, "JPEG",
                   std::string(reader.message) + ", " + where + ", near byte " +
                       std::to_string(file.bytes - reader.source.bytes_in_buffer));
}

}  // namespace

Image decode_jpeg(const EncodedImage& file) {
    Reader reader;
    if (!read_header(reader, file.data, file.bytes)) {
        throw failure(file, reader);
    }
    const jpeg_decompress_struct& jpeg = reader.jpeg;
    check_size(file, "JPEG", jpeg.output_width, jpeg.output_height);
    // Huffman coding spends at least one bit on the first coefficient of every block of 8 x 8, arithmetic coding (which
    // has no such bound) far more than a hundredth of one: a file smaller than that cannot hold the pixels, so none are
    // allocated.
    const std::uint64_t blocks =
        (std::uint64_t{jpeg.output_width} + 7) / 8 * ((std::uint64_t{jpeg.output_height} + 7) / 8);
    if (blocks / (jpeg.arith_code ? 1024 : 8) > file.bytes) {
        throw truncated(file, "JPEG",
                        "too few for " + std::to_string(jpeg.output_width) + " x " +
                            std::to_string(jpeg.output_height) + " pixels");
    }
    Image image(jpeg.out_color_space == JCS_GRAYSCALE ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8, jpeg.output_width,
                jpeg.output_height);
    if (!read_rows(reader, image)) {
        throw failure(file, reader);
    }
    return image;
}

}  // namespace vedette::host
