#include "crossover.h"

#include "table.h"

#include <algorithm>
#include <cmath>

namespace vedette::cli {

namespace {

double time_of(const PlotSize::Device& device, bool measured) {
    return measured ? device.measured_ms : device.predicted_ms;
}

const PlotSize::Device* fastest(const PlotSize& size, bool measured) {
    const PlotSize::Device* best = nullptr;
    for (const PlotSize::Device& device : size.devices) {
        const double time = time_of(device, measured);
        if (time > 0 && (best == nullptr || time < time_of(*best, measured))) {
            best = &device;
        }
    }
    return best;
}

const PlotSize::Device* find(const PlotSize& size, const std::string& name) {
    const auto found = std::find_if(size.devices.begin(), size.devices.end(),
                                    [&](const PlotSize::Device& device) { return device.name == name; });
    return found == size.devices.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Crossover> crossovers(const std::vector<PlotSize>& sizes, bool measured) {
    std::vector<Crossover> found;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        const PlotSize::Device* const before = fastest(sizes[i - 1], measured);
        const PlotSize::Device* const after = fastest(sizes[i], measured);
        if (before == nullptr || after == nullptr || before->name == after->name) {
            continue;
        }
        const PlotSize::Device* const slower = find(sizes[i - 1], after->name);
        const PlotSize::Device* const overtaken = find(sizes[i], before->name);
        double share = 0.5;  // where one of them could not do the other size
        if (slower != nullptr && overtaken != nullptr && time_of(*slower, measured) > 0 &&
            time_of(*overtaken, measured) > 0) {
            const double ahead = std::log(time_of(*slower, measured) / time_of(*before, measured));
            const double behind = std::log(time_of(*overtaken, measured) / time_of(*after, measured));
            share = ahead + behind > 0 ? ahead / (ahead + behind) : 0.5;
        }
        const double low = std::log(sizes[i - 1].pixels), high = std::log(sizes[i].pixels);
        found.push_back({std::exp(low + (high - low) * share), before->name, after->name});
    }
    return found;
}

std::vector<PlotSize::Device> devices_of(const Json& document) {
    std::vector<PlotSize::Device> devices;
    if (document.at("calls").empty()) {
        return devices;
    }
    for (const Json& candidate : document.at("calls").front().at("candidates")) {
        const auto index = candidate.at("device_index").get<unsigned>();
        const std::string name = candidate.at("backend").get<std::string>() + (index == 0 ? "" : format(":%u", index));
        const double predicted = candidate.at("predicted_ms").get<double>();
        const bool has = candidate.contains("measured_ms") && candidate.at("measured_ms").is_number();
        const double measured = has ? candidate.at("measured_ms").get<double>() : 0;
        const auto known = std::find_if(devices.begin(), devices.end(),
                                        [&](const PlotSize::Device& device) { return device.name == name; });
        if (known == devices.end()) {
            devices.push_back({name, predicted, measured});
        } else if (predicted < known->predicted_ms) {
            *known = {name, predicted, measured};
        }
    }
    return devices;
}

}  // namespace vedette::cli
