#include "explain_plot.h"

#include "bench_cases.h"
#include "bench_work.h"
#include "crossover.h"
#include "svg_plot.h"
#include "table.h"

#include <algorithm>
#include <map>
#include <optional>

namespace vedette::cli {

namespace {

constexpr std::uint32_t seed = 20240607;
constexpr Size screens[] = {{300, 200},   {640, 400},   {1024, 768}, {1920, 1080},
                            {2560, 1600}, {3840, 2160}, {7680, 4320}};

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
