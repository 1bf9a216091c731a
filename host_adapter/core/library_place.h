// Where libvedette lies, and which files it may load code from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vedette::host {

// The directory, absolute and without links, of the library (or program) that holds this code. Failure VDT_E_FILE when
// the system does not tell.
std::filesystem::path own_directory();

// Why code must not be loaded from `file` (canonical path of a regular file or directory): it or a directory above it
// can be written by others, or belongs to a stranger. Nothing when it may. This stops accidents and planted files; who
// may write there is trusted fully.
std::optional<std::string> distrust(const std::filesystem::path& file);

}  // namespace vedette::host
