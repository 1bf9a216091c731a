// Measures the parameters of this machine's processors.
#pragma once

#include "op.h"

#include <vedette/plugin/cpp/probe.hpp>

namespace vedette::cpu {

// All at once on the threads of the host's pool, as operations run. Not answered: SHARED_LATENCY, since processors
// overlap the references of one lane to the first cache, which the host's formula would add up. Takes up to 512 MiB of
// host memory, given back at the end; without it the parameters of memory stay unknown.
void measure_processors(const Device& device, plugin::Probe& probe);

}  // namespace vedette::cpu
