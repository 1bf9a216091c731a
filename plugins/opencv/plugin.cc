// The table, the entry, and what stands behind them: the operations, an instance and its one device.
#include <array>
#include <opencv2/core.hpp>
#include <vedette/plugin/cpp/instance_entries.hpp>
#include <vedette/plugin/cpp/operation_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

#include "calls.h"
#include "op.h"

namespace vedette::opencv {

namespace {

// No threads and nothing else is kept: a forked child loses nothing here.
struct Instance {
    const vdt_host* host;
};

constexpr std::array operations = {
    &convert_operation,      &resize_operation,         &integral_operation, &filter_operation,  &pyramid_operation,
    &template_map_operation, &template_find_operation,  &fft2_operation,     &restore_operation,
#ifdef VEDETTE_OPENCV_CASCADE
    &group_operation,        &cascade_detect_operation,
#endif
#ifdef VEDETTE_OPENCV_FEATURES
    &features_operation,     &feature_match_operation,
#endif
};

constexpr plugin::Limits device_limits{.max_pixels = max_pixels};

// No probe, no streams. No residents either: nothing that an image would bring along is worth keeping here.
struct Backend : plugin::InstanceEntries<Backend>, plugin::OperationEntries<Backend>, plugin::CostEntry<Backend> {
    static constexpr const char* id = "opencv";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "OpenCV on this machine's processor: the reference backend";

    using Instance = opencv::Instance;
    using Device = opencv::Device;

    static std::unique_ptr<Instance> make_instance(const vdt_host& host, plugin::Options&) {
        return std::make_unique<Instance>(Instance{&host});
    }

    static std::uint32_t count_devices(const Instance&) { return 1; }

    static void describe_device(const Instance&, std::uint32_t, vdt_device_info& info) {
        info.kind = VDT_DEVICE_CPU;
        plugin::set_text(info.name, "CPU");
        plugin::set_text(info.uid, "cpu:0");
        plugin::set_text(info.driver, "OpenCV " + cv::getVersionString());
        info.max_pixels = device_limits.max_pixels;
        info.max_width = VDT_MAX_DIMENSION;
        info.max_height = VDT_MAX_DIMENSION;
        info.memory_mask = device_limits.memory_mask;
    }

    static std::unique_ptr<Device> open_device(const Instance& instance, std::uint32_t) {
        return std::make_unique<Device>(Device{instance.host});
    }

    static const auto& operations() { return opencv::operations; }
    static plugin::Limits limits(const Device&) { return device_limits; }

    static std::unique_ptr<Plan> make_plan(const OperationEntry& operation, const Device& device,
                                           const vdt_query& query) {
        std::unique_ptr<Plan> plan;
        without_opencv_threads([&] { plan = operation.plan(device, query); });
        return plan;
    }

    // OpenCV allocates inside its own functions, so this backend cannot run without allocating.
    static vdt_code run_plan(Plan& plan, const Device& device, const vdt_call& call) {
        plugin::throw_if_cancelled(*device.host, call.token);
        vdt_code code = VDT_OK;
        without_opencv_threads([&] { code = plan.run(call); });
        return code;
    }

    template <class Body>
    static vdt_code translate(const Body& body) {
        try {
            return body();
        } catch (const cv::Exception& exception) {
            throw failure_of(exception);
        }
    }
};

constexpr vdt_plugin table = plugin::make_table<Backend>();

}  // namespace

}  // namespace vedette::opencv

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    return vedette::plugin::negotiate(host_minor_min, host_minor_max, vedette::opencv::table, why);
}
