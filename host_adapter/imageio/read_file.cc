#include "read_file.h"

#include "../core/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace vedette::host {

namespace {

class Descriptor {
public:
    Descriptor(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
    ~Descriptor() {
        if (owned_ && descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
    bool owned_;
};

Failure cannot_read(const std::string& name, int error) {
    return Failure(VDT_E_FILE, name + " cannot be read: " + std::generic_category().message(error) + ".", error);
}

void grow(FileBytes& file, std::size_t& capacity, std::size_t wanted, const std::string& name) {
    std::unique_ptr<std::uint8_t[]> larger(new (std::nothrow) std::uint8_t[wanted]);
    if (!larger) {
        throw Failure(VDT_E_OUT_OF_MEMORY, "There is no memory to read " + name + ".");
    }
    if (file.bytes > 0) {
        std::memcpy(larger.get(), file.data.get(), file.bytes);
    }
    file.data = std::move(larger);
    capacity = wanted;
}

}  // namespace

FileBytes read_file(const std::string& path) {
    const bool standard_input = path == "-";
    const std::string name = standard_input ? std::string("Standard input") : "'" + path + "'";
    if (path.empty() || path.find('\0') != std::string::npos) {
        throw Failure(VDT_E_FILE, path.empty() ? "The path of the image file is empty."
                                               : "The path of the image file holds a zero byte.");
    }
    const Descriptor descriptor(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                                !standard_input);
    struct stat status {};
    if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
        throw cannot_read(name, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        throw Failure(VDT_E_FILE, name + " is a directory, not an image file.", EISDIR);
    }

    FileBytes file;
    std::size_t capacity = 0;
    // One byte more than a regular file has, so that its end is seen without growing.
    const std::size_t expected = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536;
    grow(file, capacity, std::min(expected, max_file_bytes + 1), name);
    for (;;) {
        if (file.bytes > max_file_bytes) {
            throw Failure(VDT_E_FILE, name + " has more than " + std::to_string(max_file_bytes) +
                                          " bytes, the most that is read of an image file.");
        }
        if (file.bytes == capacity) {
            grow(file, capacity, std::min(capacity * 2, max_file_bytes + 1), name);
        }
        const ssize_t count = ::read(descriptor.get(), file.data.get() + file.bytes, capacity - file.bytes);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            throw cannot_read(name, errno);
        }
        if (count == 0) {
            break;
        }
        file.bytes += static_cast<std::size_t>(count);
    }
    if (file.bytes == 0) {
        throw Failure(VDT_E_FILE, name + " is empty.");
    }
    return file;
}

}  // namespace vedette::host
