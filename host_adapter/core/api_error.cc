#include "api_guard.h"
#include "text.h"

#include <algorithm>
#include <cstddef>

namespace vedette::host {

void fill_error(vdt_error* error, vdt_code code, std::int64_t native_code, std::string_view text) noexcept {
    if (error == nullptr || error->struct_size < offsetof(vdt_error, text)) return;
    error->code = code;
    error->native_code = native_code;
    const std::size_t room = std::min<std::size_t>(error->struct_size, sizeof(vdt_error)) - offsetof(vdt_error, text);
    if (room == 0) return;
    std::string_view shown = text.substr(0, text.find('\0'));
    std::string_view tail;
    if (shown.size() > room - 1 && room > 4) {
        tail = "...";
        shown = shown.substr(0, room - 4);
    }
    shown = shown.substr(0, std::min(room - 1, valid_utf8_prefix(shown)));
    // Not memcpy: an empty view may be NULL.
    char* const end = std::copy(tail.begin(), tail.end(), std::copy(shown.begin(), shown.end(), error->text));
    *end = '\0';
}

}  // namespace vedette::host
