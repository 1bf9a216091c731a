// Parameters of a device from its properties alone: what is taken as long as nothing was measured.
#pragma once

#include "parameters.h"

#include <cstdint>
#include <string>

namespace vedette::model {

// What the system tells of its processors and caches: `threads` of the pool, and the instruction set a CPU backend
// chose
// ("avx2", "avx512"; others count as 128-bit vectors). Rates and latencies that no system tells are those of common
// server processors of the last years. `system`: root of the files that are read, "/" outside of tests.
Parameters cpu_properties(std::uint32_t threads, const std::string& instruction_set, const std::string& system = "/");

// A GPU or accelerator of which nothing is known: a card of the middle class. `integrated`: it shares the host's
// memory.
Parameters gpu_properties(bool integrated);

}  // namespace vedette::model
