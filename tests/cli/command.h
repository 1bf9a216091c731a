// Runs the built `vedette` command and looks at what it did.
#pragma once

#include "../boost_test.h"

#include <core/image.h>
#include <imageio/read_image.h>
#include <imageio/write_png.h>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace cli_test {

using nlohmann::json;
using vedette::host::Image;
namespace fs = std::filesystem;

// A folder of its own for the files of one test.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "vedette-cli-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return *this / name;
    }
    std::string write(const std::string& name, const Image& image) const {
        vedette::host::write_png(image, *this / name);
        return *this / name;
    }

private:
    fs::path path_;
};

inline std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

struct Ran {
    int status = -1;  // exit status; 1000 + the signal when one ended it
    std::string out;
    std::string err;

    // The one object printed with --json.
    json object() const {
        BOOST_REQUIRE_MESSAGE(json::accept(out), "no JSON: " << out << " / " << err);
        return json::parse(out);
    }
    std::vector<std::string> lines() const {
        std::vector<std::string> result;
        std::size_t start = 0;
        for (std::size_t end; (end = out.find('\n', start)) != std::string::npos; start = end + 1) {
            result.push_back(out.substr(start, end - start));
        }
        BOOST_CHECK_EQUAL(start, out.size());  // the last line ends too
        return result;
    }
};

// Runs `vedette ARGUMENTS...` with the build's own configuration. `input`: a file as standard input; `output`: where
// standard output goes instead of into the result.
inline Ran command(const std::vector<std::string>& arguments, const std::string& input = "/dev/null",
                   const std::string& output = "") {
    const Folder folder;
    const std::string out = output.empty() ? folder / "out" : output;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder / "err").c_str(), O_WRONLY | O_CREAT, 0600);

    std::vector<char*> argv{const_cast<char*>(VEDETTE_COMMAND)};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (std::strncmp(*entry, "VEDETTE_", 8) != 0) {
            environment.push_back(*entry);
        }
    }
    environment.push_back(nullptr);
    pid_t child = -1;
    BOOST_REQUIRE_EQUAL(posix_spawn(&child, VEDETTE_COMMAND, &actions, nullptr, argv.data(), environment.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    BOOST_REQUIRE_EQUAL(waitpid(child, &status, 0), child);
    Ran ran;
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    ran.out = output.empty() ? contents(out) : "";
    ran.err = contents(folder / "err");
    return ran;
}

// Exit status 2 with one sentence on standard error that holds `words`, and with --json the same as an object.
inline void check_error(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
                        const std::string& code_name = "") {
    BOOST_TEST_CONTEXT("vedette " << [&] {
        std::string line;
        for (const std::string& argument : arguments) {
            line += argument + ' ';
        }
        return line;
    }()) {
        const Ran ran = command(arguments);
        BOOST_CHECK_EQUAL(ran.status, 2);
        BOOST_CHECK_MESSAGE(ran.err.rfind("vedette: ", 0) == 0, ran.err);
        BOOST_CHECK_MESSAGE(std::count(ran.err.begin(), ran.err.end(), '\n') == 1, "not one line: " << ran.err);
        BOOST_CHECK_EQUAL(ran.out, "");
        for (const std::string& word : words) {
            BOOST_CHECK_MESSAGE(ran.err.find(word) != std::string::npos, "no '" << word << "' in: " << ran.err);
        }
        std::vector<std::string> with_json = arguments;
        with_json.insert(with_json.begin() + 1, "--json");
        const Ran told = command(with_json);
        BOOST_CHECK_EQUAL(told.status, 2);
        BOOST_CHECK_EQUAL(told.err, "");
        const json object = told.object();
        BOOST_CHECK_EQUAL(object.at("status"), "error");
        BOOST_CHECK_EQUAL(object.size(), 2u);
        BOOST_CHECK(object.at("error").at("code").get<int>() < 0);
        BOOST_CHECK_EQUAL("vedette: " + object.at("error").at("message").get<std::string>() + "\n", ran.err);
        if (!code_name.empty()) {
            BOOST_CHECK_EQUAL(object.at("error").at("name"), code_name);
        }
    }
}

// Coarse random tiles of `tile` pixels: textured, unlike anything else, and the same at double size with double tiles.
inline Image tiles(std::uint32_t width, std::uint32_t height, std::uint32_t seed, std::uint32_t tile = 4,
                   vdt_format format = VDT_FORMAT_BGR8) {
    Image image(format, width, height);
    const std::size_t channels = vedette::host::bytes_per_pixel(format);
    const std::uint32_t columns = (width + tile - 1) / tile;
    const std::uint32_t rows = (height + tile - 1) / tile;
    std::mt19937 random(seed);
    std::vector<std::uint8_t> color(std::size_t{columns} * rows * channels);
    for (std::uint8_t& value : color) {
        value = static_cast<std::uint8_t>(40 + random() % 176);
    }
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            for (std::size_t c = 0; c < channels; ++c) {
                image.row(y)[x * channels + c] = color[(std::size_t{y / tile} * columns + x / tile) * channels + c];
            }
        }
    }
    return image;
}

inline Image part(const Image& image, std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
    Image result(image.format(), width, height);
    const std::size_t channels = vedette::host::bytes_per_pixel(image.format());
    for (std::uint32_t row = 0; row < height; ++row) {
        std::memcpy(result.row(row), image.row(y + row) + x * channels, width * channels);
    }
    return result;
}

inline void paste(Image& image, const Image& piece, std::uint32_t x, std::uint32_t y) {
    const std::size_t channels = vedette::host::bytes_per_pixel(image.format());
    for (std::uint32_t row = 0; row < piece.height(); ++row) {
        std::memcpy(image.row(y + row) + x * channels, piece.row(row), piece.width() * channels);
    }
}

// A PGM or PPM file of the picture, with samples of one or two bytes.
inline std::string pnm(const Image& image, bool two_bytes = false) {
    const std::size_t channels = vedette::host::bytes_per_pixel(image.format());
    std::string file = (channels == 1 ? "P5 " : "P6 ") + std::to_string(image.width()) + " " +
                       std::to_string(image.height()) + (two_bytes ? " 65535\n" : " 255\n");
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::uint32_t x = 0; x < image.width(); ++x) {
            for (std::size_t c = 0; c < channels; ++c) {
                const char value = static_cast<char>(image.row(y)[x * channels + (channels - 1 - c)]);
                file += two_bytes ? std::string{value, value} : std::string{value};
            }
        }
    }
    return file;
}

inline bool has(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

}  // namespace cli_test
