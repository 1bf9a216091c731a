#include "runtime/binary_cache.h"
#include "boost_test.h"

#include <fstream>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

namespace vedette::opencl {

namespace {

using Content = std::vector<unsigned char>;

const Content content = {1, 2, 3, 0, 255, 7};

// A folder of the test's own, which the cache makes.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "vedette-cache.XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        above_ = name;
    }
    ~Folder() { std::filesystem::remove_all(above_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::filesystem::path path() const { return above_ / "vedette" / "opencl"; }
    std::filesystem::path only_file() const {
        std::filesystem::path found;
        for (const auto& entry : std::filesystem::directory_iterator(path())) {
            BOOST_REQUIRE(found.empty());
            found = entry.path();
        }
        BOOST_REQUIRE(!found.empty());
        return found;
    }

private:
    std::filesystem::path above_;
};

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_stored_comes_back) {
    const Folder folder;
    const BinaryCache cache(folder.path());
    BOOST_TEST(!cache.load("a key").has_value());
    cache.store("a key", content);
    const auto found = BinaryCache(folder.path()).load("a key");
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(*found == content, boost::test_tools::per_element());
    BOOST_TEST(!cache.load("another key").has_value());
    // No temporary file stays.
    (void)folder.only_file();
    const Content more = {9};
    cache.store("a key", more);
    BOOST_TEST(*cache.load("a key") == more, boost::test_tools::per_element());
    (void)folder.only_file();
}

BOOST_AUTO_TEST_CASE(every_damage_is_noticed) {
    const Folder folder;
    const BinaryCache cache(folder.path());
    cache.store("a key", content);
    const std::filesystem::path file = folder.only_file();
    const std::string sound = text_of(file);
    for (std::size_t index = 0; index < sound.size(); ++index) {
        std::string damaged = sound;
        damaged[index] = static_cast<char>(damaged[index] ^ 0x10);
        write_text(file, damaged);
        BOOST_CHECK_MESSAGE(!cache.load("a key").has_value(), "byte " << index << " was changed");
        write_text(file, sound.substr(0, index));
        BOOST_CHECK_MESSAGE(!cache.load("a key").has_value(), "cut to " << index << " bytes");
    }
    write_text(file, sound + "x");
    BOOST_TEST(!cache.load("a key").has_value());
    cache.store("a key", content);
    BOOST_TEST(cache.load("a key").has_value());
}

BOOST_AUTO_TEST_CASE(files_that_others_can_write_are_not_used) {
    const Folder folder;
    const BinaryCache cache(folder.path());
    cache.store("a key", content);
    const std::filesystem::path file = folder.only_file();
    BOOST_REQUIRE(chmod(file.c_str(), 0666) == 0);
    BOOST_TEST(!cache.load("a key").has_value());
    BOOST_REQUIRE(chmod(file.c_str(), 0600) == 0);
    BOOST_TEST(cache.load("a key").has_value());
    BOOST_REQUIRE(chmod(folder.path().c_str(), 0777) == 0);
    BOOST_TEST(!cache.load("a key").has_value());
    std::filesystem::remove(file);
    cache.store("a key", content);
    BOOST_TEST(std::filesystem::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(links_are_not_followed) {
    const Folder folder;
    const BinaryCache cache(folder.path());
    cache.store("a key", content);
    const std::filesystem::path file = folder.only_file();
    const std::filesystem::path moved = folder.path().parent_path() / "moved";
    std::filesystem::rename(file, moved);
    std::filesystem::create_symlink(moved, file);
    BOOST_TEST(!cache.load("a key").has_value());
}

BOOST_AUTO_TEST_CASE(without_a_folder_nothing_is_kept) {
    const BinaryCache none{std::filesystem::path()};
    none.store("a key", content);
    BOOST_TEST(!none.load("a key").has_value());
    const BinaryCache impossible{"/proc/vedette/opencl"};
    impossible.store("a key", content);
    BOOST_TEST(!impossible.load("a key").has_value());
}

}  // namespace vedette::opencl
