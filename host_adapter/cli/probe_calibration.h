// How well each operation uses a device: the one factor of the cost model that is fitted.
#pragma once

#include "bench_device.h"
#include "model/profile.h"

#include <functional>
#include <string>

namespace vedette::cli {

// The time of a launch as calls of the backend have it, with all that it does around a kernel: that of an operation on
// a few pixels that lie on the device. Only for devices with memory of their own.
void measure_calls(const BenchDevice& on, vdt_context* context, model::Profile& profile);

// Runs every operation and variant of the device on drawn screens, none of them of a usual size, and puts into
// `profile` the factor by which its parameters, as they stand in it, predict the times best: the median over the runs.
// What fails or is not done by the device is left out. `context` makes what cases need. Ends after `seconds`, a run
// that was begun excepted; calls `step` with what is being done before each operation.
void calibrate(const BenchDevice& on, vdt_context* context, double seconds, model::Profile& profile,
               const std::function<void(const std::string&)>& step);

}  // namespace vedette::cli
