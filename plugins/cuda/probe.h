// Measures the parameters of a device.
#pragma once

#include "backend.h"

#include <vedette/plugin/cpp/probe.hpp>

namespace vedette::cuda_plugin {

// What the device tells is answered at once; the rest, with time for it, is measured by kernels and copies. The device
// is current on the calling thread. Takes up to a sixteenth of the device's memory, at most 512 MiB, and 128 MiB on the
// host, given back at the end.
void measure_device(const Device& device, plugin::Probe& probe);

}  // namespace vedette::cuda_plugin
