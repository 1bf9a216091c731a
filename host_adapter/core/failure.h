// The exception used inside libvedette. It never leaves the library: the C API turns it into a code and a sentence.
#pragma once

#include <vedette/plugin/status.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace vedette::host {

class Failure : public std::exception {
public:
    Failure(vdt_code code, std::string text, std::int64_t native_code = 0)
        : code_(code), native_code_(native_code), text_(std::move(text)) {}

    const char* what() const noexcept override { return text_.c_str(); }
    const std::string& text() const noexcept { return text_; }
    vdt_code code() const noexcept { return code_; }
    std::int64_t native_code() const noexcept { return native_code_; }

private:
    vdt_code code_;
    std::int64_t native_code_;
    std::string text_;
};

}  // namespace vedette::host
