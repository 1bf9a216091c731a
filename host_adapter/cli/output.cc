#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace vedette::cli {

namespace {

bool is_quiet = false;

}  // namespace

void set_quiet(bool quiet) noexcept {
    is_quiet = quiet;
}

void print(const std::string& text) {
    if (is_quiet) {
        return;
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw Problem(VDT_E_FILE, std::string("Standard output cannot be written: ") + std::strerror(errno) + ".");
    }
}

void print(const Json& object) {
    print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json error_json(vdt_code code, const std::string& message) {
    return {{"status", "error"}, {"error", {{"code", code}, {"name", vdt_code_name(code)}, {"message", message}}}};
}

Json known_or_null(double value) {
    return value < 0 || !std::isfinite(value) ? Json(nullptr) : Json(value);
}

Json number(double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (std::abs(value) < exact && value == std::floor(value)) {
        return static_cast<std::int64_t>(value);
    }
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

StatusLine::StatusLine() noexcept : on_(::isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(const std::string& text) const {
    if (on_) {
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
    }
}

}  // namespace vedette::cli
