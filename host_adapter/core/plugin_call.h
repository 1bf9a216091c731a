// Calls into a plugin's table, with what may go wrong there turned into a code and one sentence.
#pragma once

#include "text.h"

#include <vedette/plugin/plugin.h>

#include <exception>
#include <string>
#include <utility>

namespace vedette::host {

// What a plugin answered. `text` is a clean line, empty when there was none.
struct PluginAnswer {
    vdt_code code = VDT_OK;
    vdt_code noted = VDT_OK;  // the error record's code: tells why there are no devices when `code` is VDT_OK
    std::int64_t native_code = 0;
    std::string text;
};

// Drops `noexcept` from a function pointer. Called through a noexcept type, the compiler leaves no place where an
// exception of a plugin that breaks the contract could be caught, and the process would end.
template <class R, class... Arguments>
auto may_throw(R (*function)(Arguments...) noexcept) noexcept {
    return static_cast<R (*)(Arguments...)>(function);
}

// Calls `function(arguments..., &error)`. A thrown exception is VDT_E_EXCEPTION; a code outside the ABI's ranges is
// VDT_E_CONTRACT.
template <class... Parameters, class... Arguments>
PluginAnswer call_plugin(vdt_code (*function)(Parameters...) noexcept, Arguments... arguments) {
    PluginAnswer answer;
    vdt_error error{};
    error.struct_size = sizeof error;
    try {
        answer.code = may_throw(function)(arguments..., &error);
    } catch (const std::exception& exception) {
        answer.code = VDT_E_EXCEPTION;
        answer.text = "it threw: " + one_line(exception.what(), VDT_ERROR_TEXT_BYTES);
        return answer;
    } catch (...) {
        answer.code = VDT_E_EXCEPTION;
        answer.text = "it threw an unknown exception";
        return answer;
    }
    answer.text = one_line(error.text, sizeof error.text);
    answer.noted = error.code;
    answer.native_code = error.native_code;
    const bool known =
        (answer.code >= VDT_OK && answer.code <= VDT_NOT_READY) || (answer.code <= -100 && answer.code > -600);
    if (!known) {
        answer.text = "it returned the unknown code " + std::to_string(answer.code);
        answer.code = VDT_E_CONTRACT;
    }
    return answer;
}

// For the functions that return nothing: exceptions are swallowed.
template <class... Parameters, class... Arguments>
void call_plugin_quietly(void (*function)(Parameters...) noexcept, Arguments... arguments) noexcept {
    try {
        may_throw(function)(arguments...);
    } catch (...) {
        // The object is gone or it is not; nothing more can be done about it.
    }
}

}  // namespace vedette::host
