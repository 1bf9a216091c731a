// Strict reading of small JSON files: what is not understood is an error that names the file and the place.
#pragma once

#include "device.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vedette::host {

inline constexpr std::size_t largest_json_file = std::size_t{1} << 20;
inline constexpr std::size_t deepest_json = 16;

// The whole of a regular file. Failure VDT_E_FILE (missing, unreadable, no regular file), VDT_E_CONFIG (larger than
// largest_json_file).
std::string read_json_file(const std::filesystem::path& file);

// Parses one JSON document. Failure VDT_E_CONFIG "NAME, line 3, column 7: ..." for text that is no JSON (invalid UTF-8,
// numbers that no double holds and text after the document included); duplicate keys and nesting deeper than
// deepest_json are refused as well.
nlohmann::json parse_json(const std::string& text, const std::string& name);

// An object of a document with its place, which every error names as a JSON pointer. Ask for each key that may be
// there, then call finish(). All functions: Failure VDT_E_CONFIG for another type or a value out of range.
class JsonObject {
public:
    JsonObject(const nlohmann::json& value, std::string name, std::string pointer);

    bool has(const char* key) const { return value_->contains(key); }
    std::uint64_t whole(const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise);
    double real(const char* key, double least, double most, double otherwise);
    bool boolean(const char* key, bool otherwise);
    // Text without zero characters.
    std::string text(const char* key, std::size_t longest, const std::string& otherwise);
    // No entry twice.
    std::vector<std::string> texts(const char* key, std::size_t longest, std::size_t most_entries);
    std::vector<OptionValue> options(const char* key);
    std::optional<JsonObject> object(const char* key);
    // Every member, which must be an object; marks them all as known.
    std::vector<std::pair<std::string, JsonObject>> members();
    void require(const char* key) const;
    // Refuses the keys that nobody asked for.
    void finish() const;
    // Failure about one key of this object, or about the object itself (empty key).
    [[noreturn]] void fail(const std::string& key, const std::string& what) const;

private:
    const nlohmann::json* find(const char* key);

    const nlohmann::json* value_;
    std::string name_;
    std::string pointer_;
    std::set<std::string> known_;
};

}  // namespace vedette::host
