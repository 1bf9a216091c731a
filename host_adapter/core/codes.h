#pragma once

#include <vedette/plugin/status.h>

namespace vedette::host {

// "VDT_E_TIMEOUT"; "unknown code" for numbers that are none.
const char* code_name(vdt_code code) noexcept;
// What a code means, in a few words: "out of memory".
const char* code_text(vdt_code code) noexcept;

}  // namespace vedette::host
