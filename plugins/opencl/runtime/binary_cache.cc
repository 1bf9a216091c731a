#include "binary_cache.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vedette::opencl {

namespace {

constexpr std::array<char, 8> magic = {'v', 'd', 't', 'o', 'c', 'l', '1', '\n'};
constexpr std::size_t largest_file = std::size_t{256} << 20;

// FNV-1a, 64 bits. Against damage, not against malice: owner and mode of the files are what keeps others out.
std::uint64_t sum_of(const void* data, std::size_t size) {
    std::uint64_t sum = 14695981039346656037u;
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (std::size_t index = 0; index < size; ++index) sum = (sum ^ bytes[index]) * 1099511628211u;
    return sum;
}

struct Header {
    std::array<char, 8> mark;
    std::uint64_t key_bytes, content_bytes, key_sum, content_sum;
};

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) (void)close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_;
};

bool is_ours(const struct stat& status) {
    return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool read_all(int file, void* data, std::size_t size) {
    auto* place = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t got = read(file, place, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        place += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(int file, const void* data, std::size_t size) {
    const auto* place = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t put = write(file, place, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        place += put;
        size -= static_cast<std::size_t>(put);
    }
    return true;
}

}  // namespace

std::filesystem::path BinaryCache::usual_folder() {
    for (const auto& [variable, below] :
         {std::pair{"XDG_CACHE_HOME", "vedette/opencl"}, std::pair{"HOME", ".cache/vedette/opencl"}}) {
        const char* const value = secure_getenv(variable);
        if (value != nullptr && value[0] == '/') return std::filesystem::path(value) / below;
    }
    return {};
}

std::filesystem::path BinaryCache::file_of(std::string_view key) const {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "%016llx.bin",
                  static_cast<unsigned long long>(sum_of(key.data(), key.size())));
    return folder_ / name.data();
}

std::optional<std::vector<unsigned char>> BinaryCache::load(std::string_view key) const {
    if (folder_.empty()) return std::nullopt;
    struct stat status {};
    if (stat(folder_.c_str(), &status) != 0 || !is_ours(status)) return std::nullopt;
    const Descriptor file(open(file_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file || fstat(file.get(), &status) != 0 || !is_ours(status) || !S_ISREG(status.st_mode)) return std::nullopt;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    Header header{};
    if (size > largest_file || !read_all(file.get(), &header, sizeof header) || header.mark != magic ||
        header.key_bytes != key.size() || header.content_bytes > size ||
        size != sizeof header + header.key_bytes + header.content_bytes ||
        header.key_sum != sum_of(key.data(), key.size()))
        return std::nullopt;
    std::string found_key(key.size(), '\0');
    std::vector<unsigned char> content(header.content_bytes);
    if (!read_all(file.get(), found_key.data(), found_key.size()) || found_key != key ||
        !read_all(file.get(), content.data(), content.size()) ||
        sum_of(content.data(), content.size()) != header.content_sum)
        return std::nullopt;
    return content;
}

void BinaryCache::store(std::string_view key, const std::vector<unsigned char>& content) const noexcept try {
    if (folder_.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(folder_.parent_path(), ignored);
    (void)mkdir(folder_.c_str(), 0700);
    struct stat status {};
    if (stat(folder_.c_str(), &status) != 0 || !is_ours(status)) return;
    std::string temporary = (folder_ / "new.XXXXXX").string();
    const Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file) return;
    const Header header{magic, key.size(), content.size(), sum_of(key.data(), key.size()),
                        sum_of(content.data(), content.size())};
    const bool written = write_all(file.get(), &header, sizeof header) &&
                         write_all(file.get(), key.data(), key.size()) &&
                         write_all(file.get(), content.data(), content.size());
    // Without fsync: after a crash of the machine the sums tell.
    if (!written || rename(temporary.c_str(), file_of(key).c_str()) != 0) (void)unlink(temporary.c_str());
} catch (...) {
}

}  // namespace vedette::opencl
