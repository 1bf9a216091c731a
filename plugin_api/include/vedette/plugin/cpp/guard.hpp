// Help for plugins written in C++; not part of the ABI. `guard` is the catch-all wrapper every entry needs: no
// exception leaves it, and what was thrown becomes a code with a text.
#ifndef VEDETTE_PLUGIN_CPP_GUARD_HPP
#define VEDETTE_PLUGIN_CPP_GUARD_HPP

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "../plugin.h"

namespace vedette::plugin {

// Fills the caller's error record, when there is one, and returns `code`.
inline vdt_code fail(vdt_error* error, vdt_code code, const char* text, int64_t native_code = 0) noexcept {
    if (error != nullptr && error->struct_size >= sizeof(vdt_error)) {
        error->code = code;
        error->native_code = native_code;
        std::snprintf(error->text, sizeof error->text, "%s", text);
    }
    return code;
}

// Thrown inside a plugin to leave with a code and a sentence; `guard` turns it into the error record.
class Failure : public std::exception {
public:
    Failure(vdt_code code, std::string text, int64_t native_code = 0)
        : code_(code), native_code_(native_code), text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }
    vdt_code code() const noexcept { return code_; }
    int64_t native_code() const noexcept { return native_code_; }

private:
    vdt_code code_;
    int64_t native_code_;
    std::string text_;
};

// Runs `body` (returning vdt_code) and turns whatever it throws into a code.
template <class Body>
vdt_code guard(vdt_error* error, Body&& body) noexcept {
    try {
        return body();
    } catch (const Failure& failure) {
        return fail(error, failure.code(), failure.what(), failure.native_code());
    } catch (const std::bad_alloc&) {
        return fail(error, VDT_E_OUT_OF_MEMORY, "out of host memory");
    } catch (const std::exception& exception) {
        return fail(error, VDT_E_EXCEPTION, exception.what());
    } catch (...) {
        return fail(error, VDT_E_EXCEPTION, "an exception of unknown type was thrown");
    }
}

}  // namespace vedette::plugin
#endif
