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

// Whether a call that reads and writes so many bytes in all, each once, writes past the caches: when they are more than
// the whole last cache holds. Then what is written first is gone from it before the call ends, so that whoever reads
// the output reads it from memory anyway, and a plain store only adds a read of the old line. Up to that size the
// output stays where the next operation finds it, and writing past the cache is what takes long. 2-core Zen 3 VM,
// 32 MiB, sums of 8-bit pixels through and past the caches: 10 MB in all 0.5 and 1.0 ms, 22 MB 1.1 and 1.7, 41 MB
// between equal and 3.5 and 1.7, by how busy the memory of the host is.
bool goes_past_caches(std::uint64_t bytes) noexcept;

// Name of the processor as its maker gives it, or of the architecture where there is none. Never empty.
std::string processor_name();

}  // namespace vedette::cpu
