// Structs of the C API that may grow: read and written only as far as both sides know them.
#pragma once

#include "failure.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace vedette::host {

// A struct to fill must be there, with its struct_size set. Failure VDT_E_ARGUMENT.
template <class T>
void require_out(const T* target, const char* name) {
    if (target == nullptr) throw Failure(VDT_E_ARGUMENT, std::string(name) + " is NULL.");
    if (target->struct_size < sizeof(std::uint32_t) * 2)
        throw Failure(VDT_E_ARGUMENT, std::string(name) + ".struct_size is not set.");
}

// Copies `all` to the caller's struct as far as that reaches; its struct_size stays.
template <class T>
void copy_out(T& target, T all) noexcept {
    all.struct_size = target.struct_size;
    std::memcpy(&target, &all, std::min<std::size_t>(target.struct_size, sizeof(T)));
}

// Fills the caller's options with their defaults, as far as his struct reaches; nothing where there is none, or no
// size.
template <class T>
void fill_defaults(T* options, const T& defaults) noexcept {
    if (options != nullptr && options->struct_size >= sizeof(std::uint32_t) * 2) copy_out(*options, defaults);
}

// Copies the caller's struct as far as both know it; the rest keeps the values `all` has. Failure VDT_E_ARGUMENT.
template <class T>
void copy_in(T& all, const T& given, const char* name) {
    require_out(&given, name);
    const std::uint32_t size = given.struct_size;
    std::memcpy(&all, &given, std::min<std::size_t>(size, sizeof(T)));
}

}  // namespace vedette::host
