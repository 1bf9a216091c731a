// Asks a plugin to measure its device.
#pragma once

#include "core/device.h"
#include "model/parameters.h"

namespace vedette::host {

// What the plugin measures within `seconds`; what it only knows is in it too. Empty when it measures nothing. Failure
// with the plugin's code when it fails. Nothing else must run on the device meanwhile.
model::Parameters measure_parameters(Device& device, double seconds);

}  // namespace vedette::host
