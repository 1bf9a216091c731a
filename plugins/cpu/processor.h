// The processor this process runs on.
#pragma once

#include "op.h"

#include <cstdint>
#include <string>

namespace vedette::cpu {

// True when kernels for `isa` may run here: the processor has the instructions and the operating system saves the
// registers they use.
bool runs(Isa isa) noexcept;

// The best instruction set that runs here.
Isa best_isa() noexcept;

// "portable", "avx2" or "avx512".
const char* name_of(Isa isa) noexcept;

// Bytes of the last cache, shared by the cores; 24 MiB where the system does not tell.
std::uint64_t last_cache_bytes() noexcept;

// Name of the processor as its maker gives it, or of the architecture where there is none. Never empty.
std::string processor_name();

}  // namespace vedette::cpu
