// The table, the entry, and the life of an instance and its devices.
#include "operations.h"
#include "probe.h"
#include "resident.h"
#include "streams.h"

#include <vedette/plugin/cpp/device_entries.hpp>
#include <vedette/plugin/cpp/instance_entries.hpp>
#include <vedette/plugin/cpp/loop.hpp>
#include <vedette/plugin/cpp/resident_entries.hpp>
#include <vedette/plugin/cpp/stream_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

#include <algorithm>
#include <initializer_list>

#include <unistd.h>

namespace vedette::opencl {

namespace {

Context make_context(const DeviceEntry& entry) {
    const cl::Property properties[] = {cl::context_platform, reinterpret_cast<cl::Property>(entry.platform), 0};
    cl::Int code = cl::success;
    Context context(cl::api().CreateContext(properties, 1, &entry.device, nullptr, nullptr, &code));
    check(code, "opening the device");
    return context;
}

Queue queue_on(cl::Context context, cl::Device device) {
    cl::Int code = cl::success;
    Queue queue(cl::api().CreateCommandQueue(context, device, 0, &code));
    check(code, "making a queue");
    return queue;
}

// What a device keeps for the next call: of memory of its own more than of the host's, which others want as well.
std::size_t kept_bytes(const DeviceLimits& limits) {
    return limits.global_bytes / (limits.unified_memory ? 32 : 8);
}

}  // namespace

Device::Device(const vdt_host& given, const DeviceEntry& chosen, const BinaryCache& cache, Search search)
    : host(&given),
      entry(chosen),
      context(make_context(chosen)),
      pool(context.get(), kept_bytes(chosen.limits), chosen.limits.largest_allocation),
      service(queue_on(context.get(), chosen.device)),
      programs(entry, context.get(), cache),
      tuning(entry, cache, search) {}

Queue Device::make_queue() const {
    return queue_on(context.get(), entry.device);
}

void Device::check_usable() const {
    if (getpid() != cl::api().process)
        throw Failure(VDT_E_FORKED,
                      "this process was forked after the OpenCL device was opened, and its driver does not survive "
                      "that; use another backend in the child, or start a new program there");
    if (lost.load(std::memory_order_relaxed))
        throw Failure(VDT_E_DEVICE_LOST,
                      "the OpenCL device failed earlier; it can be used again by a new process only");
}

void fail_with(const Device* device, const Error& error) {
    switch (error.fault()) {
        case Fault::memory:
            throw Failure(VDT_E_OUT_OF_MEMORY, error.what(), error.code());
        case Fault::lost:
            if (device != nullptr) device->lost.store(true, std::memory_order_relaxed);
            throw Failure(VDT_E_DEVICE_LOST, error.what(), error.code());
        case Fault::unavailable:
            throw Failure(VDT_E_UNAVAILABLE, error.what(), error.code());
        case Fault::internal:
            break;
    }
    throw Failure(VDT_E_INTERNAL, error.what(), error.code());
}

namespace {

// Behind vdt_self. Devices are asked for on the first question, since that loads the drivers.
class Instance {
public:
    // `cache_of_processors`: may be another one.
    Instance(const vdt_host& host, const Pretence& pretence, Search search, BinaryCache cache,
             BinaryCache cache_of_processors)
        : host_(host),
          pretence_(pretence),
          search_(search),
          cache_(std::move(cache)),
          cache_of_processors_(std::move(cache_of_processors)) {}

    // Throws Failure with the reason when there is none.
    const std::vector<DeviceEntry>& devices() {
        const std::lock_guard lock(mutex_);
        if (!asked_) {
            devices_ = list_devices(pretence_, reason_);
            asked_ = true;
        }
        if (devices_.empty()) throw Failure(cl::find(ignored_) == nullptr ? VDT_E_NO_DRIVER : VDT_E_NO_DEVICE, reason_);
        return devices_;
    }

    const vdt_host& host() const { return host_; }
    const BinaryCache& cache(const DeviceEntry& entry) const {
        return entry.kind == Kind::cpu ? cache_of_processors_ : cache_;
    }
    Search search() const { return search_; }

private:
    const vdt_host& host_;
    const Pretence pretence_;
    const Search search_;
    const BinaryCache cache_, cache_of_processors_;
    std::mutex mutex_;
    bool asked_ = false;
    std::vector<DeviceEntry> devices_;
    std::string reason_, ignored_;
};

constexpr std::uint32_t memory_mask = 1u << VDT_MEMORY_HOST | 1u << VDT_MEMORY_PINNED | 1u << VDT_MEMORY_DEVICE;

std::uint32_t kind_of(Kind kind) {
    switch (kind) {
        case Kind::cpu:
            return VDT_DEVICE_CPU;
        case Kind::gpu:
            return VDT_DEVICE_GPU;
        case Kind::integrated_gpu:
            return VDT_DEVICE_INTEGRATED_GPU;
        case Kind::accelerator:
            break;
    }
    return VDT_DEVICE_ACCELERATOR;
}

struct Backend : plugin::InstanceEntries<Backend>,
                 plugin::OperationEntries<Backend>,
                 plugin::CostEntry<Backend>,
                 plugin::ProbeEntry<Backend>,
                 plugin::ResidentEntries<Backend>,
                 plugin::StreamEntries<Backend>,
                 plugin::DeviceEntries<opencl::Device, opencl::Resident, StreamRecord, EventRecord, BufferRecord> {
    using Instance = opencl::Instance;
    using Device = opencl::Device;
    using Resident = opencl::Resident;
    using Stream = StreamRecord;
    using Event = EventRecord;
    using Buffer = BufferRecord;
    using DeviceEntries::make_plan;

    // A processor is left to the cpu backend, unless the configuration or the caller asks for this one: what a driver
    // makes of loops over work items there, no count of operations tells.
    static vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error* error) {
        const vdt_code code = CostEntry::op_cost(device, query, cost, error);  // which looks at its arguments
        if (plugin::Handle<vdt_device, Device>::object(device)->entry.kind == Kind::cpu)
            throw Failure(VDT_E_UNSUPPORTED, "no costs are given for processors");
        return code;
    }

    static constexpr const char* id = "opencl";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "GPUs and processors with a driver for OpenCL 1.2 or later";

    // Options: "doubles" = "off" works as on devices without double precision; "kernels" = "gpu" gives processors the
    // kernels that GPUs get; "tuning" = "off" or "on" measures forms of kernels nowhere or on processors, too, "last"
    // takes the last one unmeasured; "cache" names the folder of compiled programs and of what was measured, "off"
    // keeps none. Without it a folder of the user serves all devices but processors: a driver that compiles for the
    // size of a group when a kernel starts has to compile every kernel of a program once more, for all sizes, to tell
    // its binary, and keeps what it compiled by itself (PoCL 3.1, 2-core Zen 3, the twelve kernels of restore: 12 s
    // more for a binary that loads in 0.04 s, where PoCL finds the source's own in 0.09 s).
    static std::unique_ptr<Instance> make_instance(const vdt_host& host, plugin::Options& options) {
        // Which of the words an option has; the first is that of an option not given.
        const auto choice = [&](const char* name, std::initializer_list<std::string_view> words) {
            const std::string_view word = options.text(name).value_or(*words.begin());
            const auto found = std::find(words.begin(), words.end(), word);
            if (found != words.end()) return found - words.begin();
            std::string all;
            for (const std::string_view each : words) all += (all.empty() ? "" : ", ") + std::string(each);
            throw Failure(VDT_E_OPTION,
                          "option " + std::string(name) + ": \"" + std::string(word) + "\" is not one of " + all);
        };
        Pretence pretence;
        pretence.no_doubles = choice("doubles", {"auto", "off"}) == 1;
        pretence.gpu_kernels = choice("kernels", {"auto", "gpu"}) == 1;
        constexpr Search searches[] = {Search::automatic, Search::always, Search::never, Search::last};
        const Search search = searches[choice("tuning", {"auto", "on", "off", "last"})];
        std::filesystem::path folder = BinaryCache::usual_folder(), folder_of_processors;
        if (const auto cache = options.text("cache"); cache == "off")
            folder.clear();
        else if (cache)
            folder = folder_of_processors = *cache;
        if (!folder.empty() && !folder.is_absolute())
            throw Failure(VDT_E_OPTION, "option cache: " + folder.string() + " is neither an absolute path nor off");
        return std::make_unique<Instance>(host, pretence, search, BinaryCache(std::move(folder)),
                                          BinaryCache(std::move(folder_of_processors)));
    }

    static std::uint32_t count_devices(Instance& instance) {
        return static_cast<std::uint32_t>(instance.devices().size());
    }

    static void describe_device(Instance& instance, std::uint32_t index, vdt_device_info& info) {
        const DeviceEntry& entry = instance.devices()[index];
        info.kind = kind_of(entry.kind);
        plugin::set_text(info.name, entry.name);
        plugin::set_text(info.uid, entry.uid);
        plugin::set_text(info.driver, entry.driver);
        info.memory_bytes = entry.limits.unified_memory ? 0 : entry.limits.global_bytes;
        info.max_pixels = std::uint64_t{VDT_MAX_DIMENSION} * VDT_MAX_DIMENSION;
        info.max_width = VDT_MAX_DIMENSION;
        info.max_height = VDT_MAX_DIMENSION;
        info.memory_mask = memory_mask;
        if (entry.limits.kind == Kind::cpu) info.flags = VDT_DEVICE_NO_COSTS;
    }

    static std::unique_ptr<Device> open_device(Instance& instance, std::uint32_t index) {
        const DeviceEntry& entry = instance.devices()[index];
        if (getpid() != cl::api().process)
            throw Failure(VDT_E_FORKED,
                          "this process was forked after OpenCL was loaded, and its drivers do not survive that; use "
                          "another backend in the child, or start a new program there");
        if (!entry.unusable.empty())
            throw Failure(VDT_E_UNAVAILABLE, entry.name + " cannot be used: " + entry.unusable);
        try {
            return std::make_unique<Device>(instance.host(), entry, instance.cache(entry), instance.search());
        } catch (const Error& error) {
            fail_with(nullptr, error);
        }
    }

    static auto operations() { return opencl::operations(); }

    static plugin::Limits limits(const Device&) {
        plugin::Limits limits;
        limits.memory_mask = memory_mask;
        limits.streams = true;
        return limits;
    }

    static vdt_code run_plan(Plan& plan, Device& device, const vdt_call& call) {
        plugin::throw_if_cancelled(*device.host, call.token);
        return on(device, [&] { return plan.run(call); });
    }
    static void measure(Device& device, plugin::Probe& probe) {
        on(device, [&] { measure_device(device, probe); });
    }
    static void* address_of(Buffer& buffer) { return buffer.address(); }
    static void sync(Stream& stream) {
        on(stream.device, [&] { finish(stream.queue.get()); });
    }
    static bool has_fired(Event& event) {
        return on(event.device, [&] { return event.has_fired(); });
    }
    static void wait_host(Event& event) {
        on(event.device, [&] { event.wait_host(); });
    }
    static void wait_stream(Event& event, Stream& stream) {
        on(event.device, [&] { event.wait_on(stream.queue.get()); });
    }
    static void record(Event& event, Stream& stream) {
        on(event.device, [&] { event.record(stream.queue.get()); });
    }
    static void copy_image(Device& device, const vdt_image& from, const vdt_image& to, Stream* stream, Event* done) {
        on(device, [&] {
            opencl::copy_image(device, from, to, plugin::Handle<vdt_stream, Stream>::handle(stream),
                               plugin::Handle<vdt_event, Event>::handle(done));
        });
    }
};

constexpr vdt_plugin table = plugin::make_table<Backend>();

}  // namespace

}  // namespace vedette::opencl

const vdt_plugin* VDT_PLUGIN_ENTRY(std::uint32_t host_minor_min, std::uint32_t host_minor_max,
                                   vdt_error* why) noexcept {
    return vedette::plugin::negotiate(host_minor_min, host_minor_max, vedette::opencl::table, why);
}
