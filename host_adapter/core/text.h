// Text that comes from outside: plugins, files, callers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vedette::host {

// Longest prefix of `text` that is valid UTF-8 (RFC 3629: no overlong forms, surrogates or values above U+10FFFF).
std::size_t valid_utf8_prefix(std::string_view text) noexcept;
inline bool valid_utf8(std::string_view text) noexcept {
    return valid_utf8_prefix(text) == text.size();
}

// One printable line: at most `max_bytes` bytes are looked at, control characters become spaces, damaged UTF-8 becomes
// '?', spaces at both ends go. NULL gives "".
std::string one_line(const char* text, std::size_t max_bytes);

// Cuts `text` to at most `max_bytes` bytes without cutting a character, "..." marking the cut.
std::string shortened(const std::string& text, std::size_t max_bytes);

// A short lower-case name: a letter, then letters, digits, '-' and '_', 32 characters at most; not one of the words
// that the policy uses (auto, prefer, force, forbid).
bool valid_backend_name(std::string_view name) noexcept;

}  // namespace vedette::host
