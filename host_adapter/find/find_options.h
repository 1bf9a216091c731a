#pragma once

#include "compose.h"

#include <vedette/vedette.h>

#include <string>

namespace vedette::host {

// What vdt_find_options asks for, checked against the screen's size.
struct CheckedOptions {
    FindQuery query;
    double time_limit = 0;
    vdt_cancel* cancel = nullptr;
    std::string backend;  // "" = by policy
};

// `options` NULL = defaults; fields beyond its struct_size have their defaults too. Failure VDT_E_ARGUMENT naming the
// field, its value and what is allowed.
CheckedOptions check_options(const vdt_find_options* options, std::uint32_t screen_width, std::uint32_t screen_height);

}  // namespace vedette::host
