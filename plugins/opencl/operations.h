// The operations that this backend does: those of the list in sources.cmake.
#pragma once

#include "backend.h"

#include <span>

namespace vedette::opencl {

std::span<const Operation* const> operations() noexcept;

}  // namespace vedette::opencl
