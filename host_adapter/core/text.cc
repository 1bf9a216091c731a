#include "text.h"

#include <cstdint>
#include <cstring>

namespace vedette::host {

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        std::size_t length = 1;
        std::uint32_t value = lead;
        if (lead >= 0x80) {
            if (lead >= 0xF0 && lead <= 0xF4) {
                length = 4;
                value = lead & 0x07u;
            } else if (lead >= 0xE0 && lead < 0xF0) {
                length = 3;
                value = lead & 0x0Fu;
            } else if (lead >= 0xC2 && lead < 0xE0) {
                length = 2;
                value = lead & 0x1Fu;
            } else {
                return i;
            }
        }
        if (text.size() - i < length) return i;
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xC0u) != 0x80u) return i;
            value = (value << 6) | (next & 0x3Fu);
        }
        const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
        if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return i;
        i += length;
    }
    return i;
}

std::string one_line(const char* text, std::size_t max_bytes) {
    if (text == nullptr) return {};
    std::string_view rest(text, ::strnlen(text, max_bytes));
    std::string line;
    line.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t good = valid_utf8_prefix(rest);
        for (const char c : rest.substr(0, good)) {
            const auto byte = static_cast<unsigned char>(c);
            line += byte < 0x20 || byte == 0x7F ? ' ' : c;
        }
        rest.remove_prefix(good);
        if (!rest.empty()) {
            line += '?';
            rest.remove_prefix(1);
        }
    }
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

std::string shortened(const std::string& text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    if (max_bytes <= 3) return text.substr(0, valid_utf8_prefix(std::string_view(text).substr(0, max_bytes)));
    return text.substr(0, valid_utf8_prefix(std::string_view(text).substr(0, max_bytes - 3))) + "...";
}

bool valid_backend_name(std::string_view name) noexcept {
    if (name.empty() || name.size() > 32 || name[0] < 'a' || name[0] > 'z') return false;
    for (const char c : name) {
        const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!good) return false;
    }
    return name != "auto" && name != "prefer" && name != "force" && name != "forbid";
}

}  // namespace vedette::host
