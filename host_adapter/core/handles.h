// The objects that callers of the C API hold. A process-wide list of the living ones tells a wrong or destroyed handle
// without touching the memory behind it.
#pragma once

#include <cstdint>

namespace vedette::host {

enum class HandleKind : std::uint32_t { Context, Screen, Pattern, Result, Cancel };

// Thread rule: any. May throw std::bad_alloc.
void add_handle(const void* handle, HandleKind kind);
// False when `handle` is no living object of that kind (a destroy function then does nothing).
bool remove_handle(const void* handle, HandleKind kind) noexcept;
bool is_handle(const void* handle, HandleKind kind) noexcept;

// Failure VDT_E_ARGUMENT "`name` is NULL" or "`name` is no living screen" unless `handle` is a living object of `kind`.
void require_handle(const void* handle, HandleKind kind, const char* name);

}  // namespace vedette::host
