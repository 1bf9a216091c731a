// Measuring what it takes a call to bring images from the host to a device and back.
#pragma once

#include "bench_device.h"
#include "model/profile.h"

namespace vedette::cli {

// Puts the latency of a copy, the rates and starts of copies of pageable memory and the time of a row into `profile`:
// as calls have them, whose plans keep their memory and wait once for all that they queued. Takes some tenths of a
// second. Nothing where the device has no memory of its own or does not convert.
void measure_copies(const BenchDevice& on, model::Profile& profile);

}  // namespace vedette::cli
