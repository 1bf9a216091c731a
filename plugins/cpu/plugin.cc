// The table, the entry, and what stands behind them: the operations, an instance and its one device.
#include <vedette/plugin/cpp/instance_entries.hpp>
#include <vedette/plugin/cpp/operation_entries.hpp>
#include <vedette/plugin/cpp/resident_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "op.h"
#include "probe.h"
#include "processor.h"

namespace vedette::cpu {

namespace {

// Keeps no threads: all work runs on the host's pool, so nothing here is lost in a forked child either (the host's pool
// answers for itself).
struct Instance {
    const vdt_host* host;
    Isa isa;
};

constexpr std::array operations = {
    &cascade_detect_operation, &convert_operation, &feature_match_operation, &features_operation,
    &fft2_operation,           &filter_operation,  &group_operation,         &integral_operation,
    &pyramid_operation,        &resize_operation,  &restore_operation,       &template_find_operation,
    &template_map_operation,
};

Isa isa_from(std::string_view text) {
    if (text == "auto") return best_isa();
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (text != name_of(isa)) continue;
        if (runs(isa)) return isa;
        throw Failure(VDT_E_OPTION, "option isa: this machine does not run " + std::string(text) + "; it runs up to " +
                                        name_of(best_isa()));
    }
    throw Failure(VDT_E_OPTION,
                  "option isa: \"" + std::string(text) + "\" is not one of auto, portable, avx2 and avx512");
}

struct Backend : plugin::InstanceEntries<Backend>,
                 plugin::OperationEntries<Backend>,
                 plugin::CostEntry<Backend>,
                 plugin::ProbeEntry<Backend>,
                 plugin::ResidentEntries<Backend> {
    static constexpr const char* id = "cpu";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "Multi-threaded SIMD on this machine's processor";

    using Instance = cpu::Instance;
    using Device = cpu::Device;
    using Resident = cpu::Resident;

    static std::unique_ptr<Instance> make_instance(const vdt_host& host, plugin::Options& options) {
        return std::make_unique<Instance>(Instance{&host, isa_from(options.text("isa").value_or("auto"))});
    }

    static std::uint32_t count_devices(const Instance&) { return 1; }

    static void describe_device(const Instance& instance, std::uint32_t, vdt_device_info& info) {
        const plugin::Limits limits;
        info.kind = VDT_DEVICE_CPU;
        plugin::set_text(info.name, processor_name());
        plugin::set_text(info.uid, "cpu:0");
        plugin::set_text(info.driver, name_of(instance.isa));
        info.max_pixels = limits.max_pixels;
        info.max_width = VDT_MAX_DIMENSION;
        info.max_height = VDT_MAX_DIMENSION;
        info.memory_mask = limits.memory_mask;
    }

    static std::unique_ptr<Device> open_device(const Instance& instance, std::uint32_t) {
        const std::uint32_t workers = instance.host->worker_count(instance.host->ctx);
        return std::make_unique<Device>(Device{instance.host, instance.isa, std::max<std::uint32_t>(1, workers)});
    }

    static const auto& operations() { return cpu::operations; }
    static plugin::Limits limits(const Device&) { return {}; }

    static void measure(const Device& device, plugin::Probe& probe) { measure_processors(device, probe); }

    static std::unique_ptr<Resident> make_resident(const Device&, const vdt_image& image) {
        return std::make_unique<Resident>(image);
    }
};

constexpr vdt_plugin table = plugin::make_table<Backend>();

}  // namespace

}  // namespace vedette::cpu

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    return vedette::plugin::negotiate(host_minor_min, host_minor_max, vedette::cpu::table, why);
}
