// Compiled programs kept in files between processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vedette::opencl {

// One folder of files, one file a program. A key is the whole text that the program depends on: sources, options,
// device, driver. Files hold the key and sums of key and content, so that a file that was cut, changed or stands for
// another key (equal hashes) counts as not there. They are written under another name and renamed, so that several
// processes may use one folder at the same time. What a file holds becomes code of this process: a folder or file that
// belongs to somebody else, or that others may write, is not used. Never throws for what the file system does: without
// a cache programs are only compiled again. Thread-safe.
class BinaryCache {
public:
    // The folder is made on the first `store`. Empty: nothing is kept.
    explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // $XDG_CACHE_HOME/vedette/opencl or $HOME/.cache/vedette/opencl; empty when neither is an absolute path, and in
    // set-uid programs, which must not read what their caller can write.
    static std::filesystem::path usual_folder();

    // Whether anything is kept. Making a program's binary may be dear, and is in vain where it is not.
    bool keeps() const noexcept { return !folder_.empty(); }

    std::optional<std::vector<unsigned char>> load(std::string_view key) const;
    void store(std::string_view key, const std::vector<unsigned char>& content) const noexcept;

private:
    std::filesystem::path file_of(std::string_view key) const;

    std::filesystem::path folder_;
};

}  // namespace vedette::opencl
