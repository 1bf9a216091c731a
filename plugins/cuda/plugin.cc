// The table, the entry, and the life of an instance and its devices.
#include "bands.h"
#include "probe.h"
#include "resident.h"
#include "streams.h"

#include <vedette/plugin/cpp/device_entries.hpp>
#include <vedette/plugin/cpp/instance_entries.hpp>
#include <vedette/plugin/cpp/resident_entries.hpp>
#include <vedette/plugin/cpp/stream_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

#include <array>

#include <unistd.h>

namespace vedette::cuda_plugin {

Device::Device(const vdt_host& given, int ordinal) : host(&given), cuda(ordinal), process(getpid()) {}

void Device::check_usable() const {
    if (getpid() != process)
        throw Failure(VDT_E_FORKED,
                      "this process was forked after the CUDA device was opened, and CUDA does not survive that; open "
                      "the context in the child, or use another backend there");
    if (lost.load(std::memory_order_relaxed))
        throw Failure(VDT_E_DEVICE_LOST, "the CUDA device failed earlier; it can be used again by a new process only");
}

void fail_with(const Device* device, const cuda::Error& error) {
    switch (error.fault()) {
        case cuda::Fault::memory:
            throw Failure(VDT_E_OUT_OF_MEMORY, error.what(), error.code());
        case cuda::Fault::lost:
            if (device != nullptr) {
                device->lost.store(true, std::memory_order_relaxed);
                device->cuda.memory->abandon();
                device->cuda.pinned->abandon();
            }
            throw Failure(VDT_E_DEVICE_LOST, error.what(), error.code());
        case cuda::Fault::unavailable:
            throw Failure(VDT_E_UNAVAILABLE, error.what(), error.code());
        case cuda::Fault::internal:
            break;
    }
    throw Failure(VDT_E_INTERNAL, error.what(), error.code());
}

Resident::Resident(const Device& device, const vdt_image& image) : plugin::Resident(image) {
    Operands operands(device);
    vdt_call call{};
    const vdt_image* const inputs[] = {&image};
    call.inputs = inputs;
    call.input_count = 1;
    Operands::Call running(operands, call);
    on_device_ = operands.copied_input(0, pixels_);
    on_device_.resident = this;
    running.finish();
}

namespace {

// Behind vdt_self.
struct Instance {
    const vdt_host* host;
};

constexpr std::uint32_t memory_mask = 1u << VDT_MEMORY_HOST | 1u << VDT_MEMORY_PINNED | 1u << VDT_MEMORY_DEVICE;

struct Backend
    : plugin::InstanceEntries<Backend>,
      plugin::OperationEntries<Backend>,
      plugin::CostEntry<Backend>,
      plugin::ProbeEntry<Backend>,
      plugin::ResidentEntries<Backend>,
      plugin::StreamEntries<Backend>,
      plugin::DeviceEntries<cuda_plugin::Device, cuda_plugin::Resident, StreamRecord, EventRecord, BufferRecord> {
    using Instance = cuda_plugin::Instance;
    using Device = cuda_plugin::Device;
    using Resident = cuda_plugin::Resident;
    using Stream = StreamRecord;
    using Event = EventRecord;
    using Buffer = BufferRecord;

    static constexpr const char* id = "cuda";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "NVIDIA GPUs of compute capability 7.5 and up";

    static std::unique_ptr<Instance> make_instance(const vdt_host& host, plugin::Options&) {
        return std::make_unique<Instance>(Instance{&host});
    }

    static std::uint32_t count_devices(Instance&) {
        std::string reason;
        const int count = cuda::device_count(reason);
        if (count == 0) throw Failure(VDT_E_NO_DEVICE, reason);
        return static_cast<std::uint32_t>(count);
    }

    static void describe_device(Instance&, std::uint32_t index, vdt_device_info& info) {
        try {
            const auto ordinal = static_cast<int>(index);
            const cuda::DeviceName name = cuda::device_name(ordinal);
            const cuda::DeviceLimits limits = cuda::device_limits(ordinal);
            info.kind = limits.integrated ? VDT_DEVICE_INTEGRATED_GPU : VDT_DEVICE_GPU;
            plugin::set_text(info.name, name.name);
            plugin::set_text(info.uid, name.uid);
            plugin::set_text(info.driver, name.driver);
            info.memory_bytes = limits.memory_bytes;
            info.max_pixels = std::uint64_t{VDT_MAX_DIMENSION} * VDT_MAX_DIMENSION;
            info.max_width = VDT_MAX_DIMENSION;
            info.max_height = VDT_MAX_DIMENSION;
            info.memory_mask = memory_mask;
        } catch (const cuda::Error& error) {
            fail_with(nullptr, error);
        }
    }

    static std::unique_ptr<Device> open_device(Instance& instance, std::uint32_t index) {
        try {
            return std::make_unique<Device>(*instance.host, static_cast<int>(index));
        } catch (const cuda::Error& error) {
            fail_with(nullptr, error);
        }
    }

    static auto operations() {
        return std::array<const Operation*, 13>{
            &cascade_detect_operation, &convert_operation, &feature_match_operation, &features_operation,
            &fft2_operation,           &filter_operation,  &group_operation,         &integral_operation,
            &pyramid_operation,        &resize_operation,  &restore_operation,       &template_find_operation,
            &template_map_operation,
        };
    }

    static plugin::Limits limits(const Device&) {
        plugin::Limits limits;
        limits.memory_mask = memory_mask;
        limits.streams = true;
        return limits;
    }

    static std::unique_ptr<Plan> make_plan(const Operation& operation, Device& device, const vdt_query& query) {
        if (!works_in_bands(operation.op)) return DeviceEntries::make_plan(operation, device, query);
        return on(device, [&] { return make_banded_plan(operation, device, query); });
    }
    static vdt_code run_plan(Plan& plan, Device& device, const vdt_call& call) {
        return on(device, [&] { return plan.run(call); });
    }
    static void measure(Device& device, plugin::Probe& probe) {
        on(device, [&] { measure_device(device, probe); });
    }
    static void* address_of(Buffer& buffer) { return buffer.block.data(); }
    static void sync(Stream& stream) {
        on(stream.device, [&] { cuda::synchronize(stream.stream.get()); });
    }
    static bool has_fired(Event& event) {
        return on(event.device, [&] {
            const cudaError_t code = cudaEventQuery(event.event.get());
            if (code != cudaErrorNotReady) cuda::check(code, "asking for an event");
            if (code == cudaErrorNotReady) (void)cudaGetLastError();
            return code == cudaSuccess;
        });
    }
    static void wait_host(Event& event) {
        on(event.device, [&] { cuda::check(cudaEventSynchronize(event.event.get()), "waiting for an event"); });
    }
    static void wait_stream(Event& event, Stream& stream) {
        on(event.device, [&] {
            cuda::check(cudaStreamWaitEvent(stream.stream.get(), event.event.get(), 0), "making a stream wait");
        });
    }
    static void record(Event& event, Stream& stream) {
        on(event.device,
           [&] { cuda::check(cudaEventRecord(event.event.get(), stream.stream.get()), "recording an event"); });
    }
    static void copy_image(Device& device, const vdt_image& from, const vdt_image& to, Stream* stream, Event* done) {
        on(device, [&] {
            cuda_plugin::copy_image(device, from, to, plugin::Handle<vdt_stream, Stream>::handle(stream),
                                    plugin::Handle<vdt_event, Event>::handle(done));
        });
    }
};

constexpr vdt_plugin table = plugin::make_table<Backend>();

}  // namespace

}  // namespace vedette::cuda_plugin

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    return vedette::plugin::negotiate(host_minor_min, host_minor_max, vedette::cuda_plugin::table, why);
}
