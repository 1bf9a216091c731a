#include "write_png.h"

#include "../core/failure.h"

#include <fcntl.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>

namespace vedette::host {

namespace {

// Everything libpng's callbacks and encode() touch; encode() calls setjmp and holds no object with a destructor.
struct Writer {
    png_structp png = nullptr;
    png_infop info = nullptr;
    int descriptor = -1;
    int error = 0;  // errno of a failed write
    char message[160] = {};

    ~Writer() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
    auto* writer = static_cast<Writer*>(png_get_error_ptr(png));
    std::strncpy(writer->message, text, sizeof writer->message - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep data, png_size_t count) {
    auto* writer = static_cast<Writer*>(png_get_io_ptr(png));
    while (count > 0) {
        const ssize_t written = ::write(writer->descriptor, data, count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            writer->error = errno;
            png_error(png, "write");
        }
        data += written;
        count -= static_cast<std::size_t>(written);
    }
}

void on_flush(png_structp) {}

// False after an error of libpng.
bool encode(Writer& writer, const Image& image) {
    if (setjmp(png_jmpbuf(writer.png))) {
        return false;
    }
    png_structp png = writer.png;
    const int color = image.format() == VDT_FORMAT_GRAY8  ? PNG_COLOR_TYPE_GRAY
                      : image.format() == VDT_FORMAT_BGR8 ? PNG_COLOR_TYPE_RGB
                                                          : PNG_COLOR_TYPE_RGB_ALPHA;
    png_set_write_fn(png, &writer, on_write, on_flush);
    png_set_compression_buffer_size(png, std::size_t{1} << 18);
    png_set_IHDR(png, writer.info, image.width(), image.height(), 8, color, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Annotated screens are looked at once: a fast setting that still folds flat areas away.
    png_set_compression_level(png, 3);
    png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP);
    png_write_info(png, writer.info);
    png_set_bgr(png);
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        png_write_row(png, image.row(y));
    }
    png_write_end(png, nullptr);
    return true;
}

Failure cannot_write(const std::string& path, int error) {
    return Failure(VDT_E_FILE, "'" + path + "' cannot be written: " + std::generic_category().message(error) + ".",
                   error);
}

// Writes to `descriptor`, which is closed in any case.
void write_and_close(const Image& image, const std::string& path, int descriptor) {
    Writer writer;
    writer.descriptor = descriptor;
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error, on_warning);
    writer.info = writer.png ? png_create_info_struct(writer.png) : nullptr;
    const bool written = writer.info != nullptr && encode(writer, image);
    const int close_error = ::close(descriptor) == 0 ? 0 : errno;
    if (!writer.info) {
        throw Failure(VDT_E_OUT_OF_MEMORY, "There is no memory to write '" + path + "'.");
    }
    if (!written && writer.error == 0) {
        throw Failure(VDT_E_FILE, "'" + path + "' cannot be written as PNG: " + writer.message + ".");
    }
    if (!written || close_error != 0) {
        throw cannot_write(path, written ? close_error : writer.error);
    }
}

// Where the file really goes: through a symbolic link, to what it points to.
std::string destination(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    return resolved ? resolved.get() : path;
}

}  // namespace

void write_png(const Image& image, const std::string& path) {
    if (image.empty() || (image.format() != VDT_FORMAT_GRAY8 && image.format() != VDT_FORMAT_BGR8 &&
                          image.format() != VDT_FORMAT_BGRA8)) {
        throw Failure(VDT_E_ARGUMENT, "Only 8-bit gray, BGR and BGRA images can be written to '" + path + "'.");
    }
    if (path.empty() || path.find('\0') != std::string::npos) {
        throw Failure(VDT_E_FILE, "The path of the PNG file to write is empty or holds a zero byte.");
    }
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        throw Failure(VDT_E_FILE, "'" + path + "' cannot be written: it is a directory.", EISDIR);
    }
    if (exists && !S_ISREG(status.st_mode)) {
        // A pipe or device is written to, not replaced.
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) {
            throw cannot_write(path, errno);
        }
        write_and_close(image, path, descriptor);
        return;
    }

    const std::string place = exists ? destination(path) : path;
    static std::atomic<unsigned> counter{0};
    const std::string beside =
        place + "." + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1)) + ".part";
    const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        throw cannot_write(path, errno);
    }
    try {
        write_and_close(image, path, descriptor);
        if (::rename(beside.c_str(), place.c_str()) != 0) {
            throw cannot_write(path, errno);
        }
    } catch (...) {
        ::unlink(beside.c_str());
        throw;
    }
}

}  // namespace vedette::host
