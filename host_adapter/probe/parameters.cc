#include "parameters.h"

#include "core/codes.h"
#include "core/failure.h"

#include <array>

namespace vedette::host {

PluginAnswer ask_parameters(Device& device, double seconds, model::Parameters& parameters) {
    if (device.table().probe == nullptr) return {};
    std::array<vdt_param, model::plugin_parameter_count - 1> params{};
    for (std::uint32_t i = 0; i < params.size(); ++i) params[i].id = i + 1;
    vdt_probe probe{};
    probe.struct_size = sizeof probe;
    probe.param_count = static_cast<std::uint32_t>(params.size());
    probe.param_size = sizeof params[0];
    probe.budget_seconds = seconds;
    probe.params = params.data();
    PluginAnswer answer = call_plugin(device.table().probe, device.open(), &probe);
    if (answer.code < 0) return answer;
    for (const vdt_param& param : params) parameters.set(param);
    return answer;
}

model::Parameters measure_parameters(Device& device, double seconds) {
    model::Parameters parameters;
    const PluginAnswer answer = ask_parameters(device, seconds, parameters);
    if (answer.code < 0)
        throw Failure(answer.code, device.name() + " (" + device.backend() + ") could not be measured: " +
                                       (answer.text.empty() ? code_text(answer.code) : answer.text));
    return parameters;
}

}  // namespace vedette::host
