#include "explain_plot.h"

#include "bench_cases.h"
#include "bench_work.h"
#include "svg_plot.h"
#include "table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace vedette::cli {

namespace {

constexpr std::uint32_t seed = 20240607;
constexpr Size screens[] = {{300, 200},   {640, 400},   {1024, 768}, {1920, 1080},
                            {2560, 1600}, {3840, 2160}, {7680, 4320}};

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

// The document of one case; nothing when it fails.
std::optional<Json> explained(const Context& context, const BenchCase& one, bool measure) {
    checked(
        [&](vdt_error* error) { return vdt_explain_start(context.get(), measure ? VDT_EXPLAIN_MEASURE : 0, error); });
    bool good = true;
    try {
        (void)one.run("");
    } catch (const Problem&) {
        good = false;
    }
    const char* text = nullptr;
    checked([&](vdt_error* error) { return vdt_explain_stop(context.get(), &text, error); });
    return good ? std::optional(Json::parse(text)) : std::nullopt;
}

std::string pixels_text(double pixels) {
    return pixels >= 1e6 ? format("%.2g megapixels", pixels / 1e6) : format("%.0f pixels", pixels);
}

Plot plot_of(const std::vector<PlotSize>& sizes, bool measured) {
    Plot plot;
    plot.x_name = "screen";
    plot.y_name = "milliseconds";
    std::map<std::string, std::pair<PlotLine, PlotLine>> lines;
    for (const PlotSize& size : sizes) {
        plot.x_ticks.emplace_back(size.pixels, size.name);
        for (const PlotSize::Device& device : size.devices) {
            auto& [predicted, found] = lines[device.name];
            predicted.name = found.name = device.name;
            predicted.dashed = true;
            predicted.points.emplace_back(size.pixels, device.predicted_ms);
            if (device.measured_ms > 0) {
                found.points.emplace_back(size.pixels, device.measured_ms);
            }
        }
    }
    for (const auto& [name, both] : lines) {
        plot.lines.push_back(both.first);
        plot.lines.push_back(both.second);
    }
    for (const bool by_measurement : {false, true}) {
        if (by_measurement && !measured) {
            continue;
        }
        for (const Crossover& one : crossovers(sizes, by_measurement)) {
            plot.marks.push_back({one.pixels, std::string(by_measurement ? "measured" : "predicted") + ": " + one.from +
                                                  " | " + one.to + " at " + pixels_text(one.pixels)});
        }
    }
    return plot;
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

std::string explain_plot(const Context& context, vdt_op op, const std::string& part_of_name, bool measure,
                         const std::function<void(const std::string&)>& step) {
    std::vector<PlotSize> sizes;
    std::string what;
    for (const Size screen_size : screens) {
        const std::string name = size_text(screen_size);
        step(name);
        const BenchScreen screen{name, synthetic_screen(screen_size.width, screen_size.height, seed)};
        for (const BenchCase& one : make_cases({context.get(), nullptr, false, ""}, op, screen)) {
            // "1920x1080 bgr to gray": the name of the screen is not what is asked for.
            const std::string rest = one.name.starts_with(name + " ") ? one.name.substr(name.size() + 1) : one.name;
            if (rest.find(part_of_name) == std::string::npos || one.name == rest) {
                continue;
            }
            const std::optional<Json> document = explained(context, one, measure);
            if (!document) {
                break;
            }
            sizes.push_back({name, static_cast<double>(screen_size.width) * screen_size.height, devices_of(*document)});
            what = rest;
            break;
        }
    }
    if (std::all_of(sizes.begin(), sizes.end(), [](const PlotSize& size) { return size.devices.empty(); })) {
        throw Problem(VDT_E_UNAVAILABLE,
                      "There is nothing to draw: no backend gives predictions for such a case; see --op and --case.");
    }
    Plot plot = plot_of(sizes, measure);
    plot.title = std::string(vdt_operation_name(op)) + ": " + what;
    plot.subtitle = "time of one call on a screen of each size, by the fastest way of each device";
    return svg_of(plot);
}

}  // namespace vedette::cli
