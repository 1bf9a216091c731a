#define BOOST_TEST_MODULE imageio_file
#include "pixels.h"

#include <imageio/write_png.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace imageio_test;
namespace fs = std::filesystem;
using vedette::host::read_image;
using vedette::host::write_png;

namespace {

struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "vedette-imageio-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::permissions(path, fs::perms::owner_all, ignored);
        fs::remove_all(path, ignored);
    }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    std::size_t count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    fs::path path;
};

Image image_of(const Pixels& pixels) {
    Image image(pixels.format, pixels.width, pixels.height);
    const std::size_t row_bytes = pixels.width * channels(pixels.format);
    for (std::uint32_t y = 0; y < pixels.height; ++y) {
        std::memcpy(image.row(y), pixels.value.data() + y * row_bytes, row_bytes);
    }
    return image;
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

void check_failure(const std::function<void()>& action, vdt_code code, const std::vector<std::string>& words) {
    try {
        action();
        BOOST_ERROR("it succeeded");
    } catch (const Failure& failure) {
        BOOST_CHECK_EQUAL(failure.code(), code);
        for (const std::string& word : words) {
            BOOST_CHECK_MESSAGE(failure.text().find(word) != std::string::npos,
                                "no '" << word << "' in: " << failure.text());
        }
    }
}

// Standard input read from a descriptor while this lives.
class StandardInput {
public:
    explicit StandardInput(int descriptor) : saved_(dup(STDIN_FILENO)) {
        dup2(descriptor, STDIN_FILENO);
        close(descriptor);
    }
    ~StandardInput() {
        dup2(saved_, STDIN_FILENO);
        close(saved_);
    }

private:
    int saved_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
    const Folder folder;
    for (const vdt_format format : {VDT_FORMAT_GRAY8, VDT_FORMAT_BGR8, VDT_FORMAT_BGRA8}) {
        for (const auto& [width, height] : {std::pair{1u, 1u}, {300u, 7u}, {40000u, 2u}, {33u, 200u}}) {
            Pixels pixels = random_pixels(format, width, height, 1);
            pixels.value.back() = 7;  // not opaque
            write_png(image_of(pixels), folder / "a.png");
            check_equal(pixels_of(read_image(folder / "a.png")), pixels);
        }
    }
    BOOST_CHECK_EQUAL(folder.count(), 1u);
}

BOOST_AUTO_TEST_CASE(paths_are_utf8) {
    const Folder folder;
    const Pixels pixels = random_pixels(VDT_FORMAT_BGR8, 5, 5, 2);
    const std::string path = folder / "Schaltfl\u00e4che \u65e5\u672c\u8a9e 'x'.png";
    write_png(image_of(pixels), path);
    check_equal(pixels_of(read_image(path)), pixels);
}

BOOST_AUTO_TEST_CASE(the_format_is_told_by_content) {
    const Folder folder;
    write(folder / "really-a-graymap.png", "P2 2 1 255 3 4");
    check_equal(pixels_of(read_image(folder / "really-a-graymap.png")), Pixels{VDT_FORMAT_GRAY8, 2, 1, {3, 4}});
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read) {
    const Folder folder;
    check_failure([&] { read_image(folder / "nothing.png"); }, VDT_E_FILE, {"nothing.png", "No such file"});
    check_failure([&] { read_image(folder.path.string()); }, VDT_E_FILE, {folder.path.string(), "is a directory"});
    check_failure([&] { read_image(""); }, VDT_E_FILE, {"empty"});
    check_failure([&] { read_image(std::string("a\0b", 3)); }, VDT_E_FILE, {"zero byte"});
    write(folder / "empty.png", "");
    check_failure([&] { read_image(folder / "empty.png"); }, VDT_E_FILE, {"empty.png", "is empty"});
    write(folder / "text.png", "This is not an image.");
    check_failure([&] { read_image(folder / "text.png"); }, VDT_E_FORMAT, {"text.png", "no image of a known format"});
    write(folder / "cut.png", "\x89PNG");
    check_failure([&] { read_image(folder / "cut.png"); }, VDT_E_FORMAT, {"cut.png", "truncated"});
    write(folder / "huge.png", "");
    BOOST_REQUIRE_EQUAL(truncate((folder / "huge.png").c_str(), (1L << 30) + 1), 0);
    check_failure([&] { read_image(folder / "huge.png"); }, VDT_E_FILE, {"huge.png", "1073741824"});
    if (geteuid() != 0) {
        write(folder / "secret.png", "P2 2 1 255 3 4");
        chmod((folder / "secret.png").c_str(), 0);
        check_failure([&] { read_image(folder / "secret.png"); }, VDT_E_FILE, {"secret.png", "Permission denied"});
    }
}

BOOST_AUTO_TEST_CASE(nothing_to_decode) {
    check_failure([] { vedette::host::decode_image(nullptr, 0, "x"); }, VDT_E_FORMAT, {"empty"});
    check_failure([] { vedette::host::decode_image("", 0, "x"); }, VDT_E_FORMAT, {"empty"});
}

BOOST_AUTO_TEST_CASE(standard_input) {
    const Folder folder;
    const Pixels pixels = random_pixels(VDT_FORMAT_BGR8, 200, 500, 3);  // more than a pipe holds
    write_png(image_of(pixels), folder / "a.png");
    {
        const StandardInput input(open((folder / "a.png").c_str(), O_RDONLY));
        check_equal(pixels_of(read_image("-")), pixels);
    }
    int ends[2];
    BOOST_REQUIRE_EQUAL(pipe(ends), 0);
    std::thread writer([&] {
        std::ifstream file(folder / "a.png", std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        for (std::size_t at = 0; at < bytes.size();) {
            const ssize_t count = ::write(ends[1], bytes.data() + at, std::min<std::size_t>(1000, bytes.size() - at));
            if (count <= 0) {
                break;
            }
            at += static_cast<std::size_t>(count);
        }
        close(ends[1]);
    });
    {
        const StandardInput input(ends[0]);
        check_equal(pixels_of(read_image("-")), pixels);
        check_failure([] { read_image("-"); }, VDT_E_FILE, {"Standard input is empty"});
    }
    writer.join();
}

BOOST_AUTO_TEST_CASE(a_file_appears_whole_or_not_at_all) {
    const Folder folder;
    const Image image = image_of(random_pixels(VDT_FORMAT_BGR8, 50, 50, 4));
    check_failure([&] { write_png(image, folder / "no/such/folder.png"); }, VDT_E_FILE,
                  {"no/such/folder.png", "No such file"});
    check_failure([&] { write_png(image, folder.path.string()); }, VDT_E_FILE, {"is a directory"});
    check_failure([&] { write_png(image, ""); }, VDT_E_FILE, {"empty"});
    check_failure([&] { write_png(Image(), folder / "a.png"); }, VDT_E_ARGUMENT, {"a.png"});
    BOOST_CHECK_EQUAL(folder.count(), 0u);
    if (fs::exists("/dev/full")) {
        check_failure([&] { write_png(image, "/dev/full"); }, VDT_E_FILE, {"/dev/full", "No space left"});
        BOOST_CHECK(fs::is_character_file("/dev/full"));  // a device is written to, not replaced
    }
    write_png(image, "/dev/null");
    BOOST_CHECK(fs::is_character_file("/dev/null"));
}

BOOST_AUTO_TEST_CASE(links_and_permissions_of_the_place_are_kept) {
    const Folder folder;
    const Pixels pixels = random_pixels(VDT_FORMAT_GRAY8, 9, 9, 5);
    write(folder / "target.png", "old");
    fs::create_symlink(folder / "target.png", folder / "link.png");
    write_png(image_of(pixels), folder / "link.png");
    BOOST_CHECK(fs::is_symlink(folder / "link.png"));
    check_equal(pixels_of(read_image(folder / "target.png")), pixels);

    const mode_t mask = umask(027);
    write_png(image_of(pixels), folder / "new.png");
    umask(mask);
    struct stat status {};
    BOOST_REQUIRE_EQUAL(stat((folder / "new.png").c_str(), &status), 0);
    BOOST_CHECK_EQUAL(status.st_mode & 0777u, 0640u);
    BOOST_CHECK_EQUAL(folder.count(), 3u);
}

#ifndef VEDETTE_HAS_WEBP
BOOST_AUTO_TEST_CASE(a_build_without_webp_says_so) {
    const Bytes file{'R', 'I', 'F', 'F', 4, 0, 0, 0, 'W', 'E', 'B', 'P'};
    check_refused(file, VDT_E_FORMAT, {"no WebP support"});
}
#endif
