// Turns exceptions into codes and sentences at the border of the C API.
#pragma once

#include "failure.h"

#include <exception>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace vedette::host {

// Fills the caller's record as far as its struct_size reaches; NULL and records without struct_size are left alone.
// Long texts are cut between characters.
void fill_error(vdt_error* error, vdt_code code, std::int64_t native_code, std::string_view text) noexcept;

// Runs `body` and returns its code (VDT_OK when it returns nothing). Whatever it throws becomes a negative code, with
// the sentence in `error`. Thread rule: any.
template <class Body>
vdt_code api_guard(vdt_error* error, Body&& body) noexcept {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            std::forward<Body>(body)();
            return VDT_OK;
        } else {
            return std::forward<Body>(body)();
        }
    } catch (const Failure& failure) {
        fill_error(error, failure.code(), failure.native_code(), failure.text());
        return failure.code();
    } catch (const std::bad_alloc&) {
        fill_error(error, VDT_E_OUT_OF_MEMORY, 0, "There is not enough memory for this call.");
        return VDT_E_OUT_OF_MEMORY;
    } catch (const std::exception& exception) {
        fill_error(error, VDT_E_INTERNAL, 0, exception.what());
        return VDT_E_INTERNAL;
    } catch (...) {
        fill_error(error, VDT_E_INTERNAL, 0, "An unknown exception ended this call; this is a bug in libvedette.");
        return VDT_E_INTERNAL;
    }
}

}  // namespace vedette::host
