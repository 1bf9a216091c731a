// Asks a plugin to measure its device.
#pragma once

#include "core/device.h"
#include "model/parameters.h"

namespace vedette::host {

// Asks for all parameters, with `seconds` for measuring; those that the plugin tells are set. Nothing is, and nobody is
// asked, where it has no probe; nothing is where the answer's code is below 0.
PluginAnswer ask_parameters(Device& device, double seconds, model::Parameters& parameters);

// What the plugin measures within `seconds`; what it only knows is in it too. Empty when it measures nothing. Failure
// with the plugin's code when it fails. Nothing else must run on the device meanwhile.
model::Parameters measure_parameters(Device& device, double seconds);

}  // namespace vedette::host
