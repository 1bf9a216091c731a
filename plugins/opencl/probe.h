// Measures the parameters of a device.
#pragma once

#include "backend.h"

#include <vedette/plugin/cpp/probe.hpp>

namespace vedette::opencl {

// What the device tells is answered at once; the rest, with time for it, is measured by kernels and copies. Takes up to
// a sixteenth of the device's memory, at most 256 MiB, and 64 MiB on the host, given back at the end. OpenCL has no
// barrier for a whole device: VDT_PARAM_BARRIER_TIME stays unknown.
void measure_device(const Device& device, plugin::Probe& probe);

}  // namespace vedette::opencl
