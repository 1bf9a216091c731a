// Whole files and standard input. Internal to imageio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace vedette::host {

// Most bytes read from a file or from standard input: 1 GiB.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 30;

struct FileBytes {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t bytes = 0;
};

// `path` is UTF-8, "-" is standard input. Failure: VDT_E_FILE naming the path (missing, a directory, not readable,
// empty, over max_file_bytes), VDT_E_OUT_OF_MEMORY.
FileBytes read_file(const std::string& path);

}  // namespace vedette::host
