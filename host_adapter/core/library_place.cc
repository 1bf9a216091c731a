#include "library_place.h"

#include "failure.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

namespace vedette::host {
namespace {

namespace fs = std::filesystem;

// The file mapped at `address`, as the kernel knows it.
std::string mapped_file(std::uintptr_t address) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &first, &end) != 2) continue;
        const std::size_t path = line.find('/');
        if (address >= first && address < end && path != std::string::npos) return line.substr(path);
    }
    return {};
}

// Owner and permissions of one file or directory. `above`: a directory higher up, which only must not let others
// exchange what lies in it.
std::optional<std::string> distrust_one(const fs::path& file, bool above) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return file.string() + " cannot be examined: " + std::strerror(errno);
    if (above) {
        const bool open_to_all = (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
        if (open_to_all) return "the directory " + file.string() + " can be written by everybody";
        return std::nullopt;
    }
    if (status.st_uid != 0 && status.st_uid != ::geteuid())
        return file.string() + " belongs to another user (" + std::to_string(status.st_uid) + ")";
    if ((status.st_mode & S_IWOTH) != 0) return file.string() + " can be written by everybody";
    // The own group is let pass: distributions that give each user a group of his own also make files writable by it.
    if ((status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && status.st_gid != ::getegid())
        return file.string() + " can be written by another group (" + std::to_string(status.st_gid) + ")";
    return std::nullopt;
}

}  // namespace

fs::path own_directory() {
    const auto address = reinterpret_cast<std::uintptr_t>(&own_directory);
    Dl_info info{};
    std::string file;
    if (::dladdr(reinterpret_cast<void*>(address), &info) != 0 && info.dli_fname != nullptr) file = info.dli_fname;
    // A relative name was resolved against a working directory that may have changed since.
    if (!file.starts_with('/')) file = mapped_file(address);
    std::error_code error;
    const fs::path whole = file.empty() ? fs::path() : fs::canonical(file, error);
    if (file.empty() || error) throw Failure(VDT_E_FILE, "The directory of libvedette cannot be told.");
    return whole.parent_path();
}

std::optional<std::string> distrust(const fs::path& file) {
    if (auto reason = distrust_one(file, false)) return reason;
    fs::path directory = file.parent_path();
    if (fs::is_directory(file))
        directory = file;
    else if (auto reason = distrust_one(directory, false))
        return reason;
    for (fs::path above = directory.parent_path(); above != directory; directory = above, above = above.parent_path())
        if (auto reason = distrust_one(above, true)) return reason;
    return std::nullopt;
}

}  // namespace vedette::host
