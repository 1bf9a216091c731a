#include "parameters.h"

#include "core/codes.h"
#include "core/failure.h"

#include <array>

namespace vedette::host {

model::Parameters measure_parameters(Device& device, double seconds) {
    model::Parameters parameters;
    if (device.table().probe == nullptr) return parameters;
    std::array<vdt_param, model::parameter_count - 1> params{};
    for (std::uint32_t i = 0; i < params.size(); ++i) params[i].id = i + 1;
    vdt_probe probe{};
    probe.struct_size = sizeof probe;
    probe.param_count = static_cast<std::uint32_t>(params.size());
    probe.param_size = sizeof params[0];
    probe.budget_seconds = seconds;
    probe.params = params.data();
    const PluginAnswer answer = call_plugin(device.table().probe, device.open(), &probe);
    if (answer.code < 0)
        throw Failure(answer.code, device.name() + " (" + device.backend() + ") could not be measured: " +
                                       (answer.text.empty() ? code_text(answer.code) : answer.text));
    for (const vdt_param& param : params) parameters.set(param);
    return parameters;
}

}  // namespace vedette::host
