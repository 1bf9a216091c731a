// A backend, written with the help for plugins in C++, that has what a graphics processor's has: two devices, memory of
// their own, streams whose work happens later, two variants, and images that stay. Its devices are heap memory.
#pragma once

#include <vedette/plugin/cpp/instance_entries.hpp>
#include <vedette/plugin/cpp/resident_entries.hpp>
#include <vedette/plugin/cpp/stream_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "boost_test.h"

namespace vedette::plugin::test {

struct Instance {
    const vdt_host* host;
    std::uint32_t devices;
};

struct Device {
    std::uint32_t index;
};

// Work waits here until somebody waits for it.
struct Stream {
    std::deque<std::function<void()>> queue;
    ~Stream() { finish(); }
    void finish() {
        for (; !queue.empty(); queue.pop_front()) queue.front()();
    }
};

struct Event {
    bool fired = false;
    Stream* stream = nullptr;
};

using Buffer = std::vector<std::uint8_t>;

struct Foreign {};  // what another library throws

inline void copy_rows(const vdt_image& from, const vdt_image& to) {
    for (std::uint32_t y = 0; y < from.height; ++y)
        std::memcpy(row_of<std::uint8_t>(to, 0, y), row_of<std::uint8_t>(from, 0, y), from.width);
}

inline void queue_event(Stream& stream, Event& event) {
    event.fired = false;
    event.stream = &stream;
    stream.queue.emplace_back([&event] { event.fired = true; });
}

struct CopyPlan : Plan {
    vdt_code run(const vdt_call& call) override {
        const vdt_image &from = *call.inputs[0], &to = *call.outputs[0];
        if (params_of<vdt_convert_params>(call).scale == 13) throw Foreign();
        if (call.stream == nullptr) return copy_rows(from, to), VDT_OK;
        Stream& stream = *Handle<vdt_stream, Stream>::object(call.stream);
        stream.queue.emplace_back([&from, &to] { copy_rows(from, to); });
        if (call.done != nullptr) queue_event(stream, *Handle<vdt_event, Event>::object(call.done));
        return VDT_OK;
    }
};

inline constexpr const char* variants[] = {"plain", "tiled"};

inline constexpr Operation<Device> convert_operation = {
    .op = VDT_OP_CONVERT,
    .variants = variants,
    .variant_count = 2,
    .support = [](const Device&, const vdt_query&, vdt_op_support&) {},
    .cost =
        [](const Device& device, const vdt_query& query, vdt_cost& cost) {
            vdt_cost_stage stage{};
            stage.work = query.inputs[0]->width * (1.0 + query.variant + device.index);
            add_stage(cost, stage);
            add_stage(cost, stage);
        },
    .plan = [](const Device&, const vdt_query&) -> std::unique_ptr<Plan> { return std::make_unique<CopyPlan>(); },
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8),
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8),
};

inline constexpr std::array operations = {&convert_operation};

struct Backend : InstanceEntries<Backend>,
                 OperationEntries<Backend>,
                 CostEntry<Backend>,
                 ResidentEntries<Backend>,
                 StreamEntries<Backend> {
    static constexpr const char* id = "toy";
    static constexpr const char* version = "1.0.0";
    static constexpr const char* description = "a test";

    using Instance = test::Instance;
    using Device = test::Device;
    using Resident = plugin::Resident;
    using Stream = test::Stream;
    using Event = test::Event;
    using Buffer = test::Buffer;

    static std::unique_ptr<Instance> make_instance(const vdt_host& host, Options& options) {
        (void)options.flag("fast");
        (void)options.real("share", 0, 1);
        (void)options.text("name");
        const auto devices = options.integer("devices", 0, 2).value_or(2);
        return std::make_unique<Instance>(Instance{&host, static_cast<std::uint32_t>(devices)});
    }
    static std::uint32_t count_devices(const Instance& instance) {
        if (instance.devices == 0) throw Failure(VDT_E_NO_DEVICE, "nothing is plugged in");
        return instance.devices;
    }
    static void describe_device(const Instance&, std::uint32_t index, vdt_device_info& info) {
        info.kind = VDT_DEVICE_GPU;
        set_text(info.name, std::string(100, 'n'));
        set_text(info.uid, "toy:" + std::to_string(index));
    }
    static std::unique_ptr<Device> open_device(const Instance&, std::uint32_t index) {
        return std::make_unique<Device>(Device{index});
    }
    static const auto& operations() { return test::operations; }
    static Limits limits(const Device&) {
        return {.memory_mask = host_memory | 1u << VDT_MEMORY_DEVICE, .max_pixels = 1000, .streams = true};
    }
    static std::unique_ptr<Resident> make_resident(const Device&, const vdt_image& image) {
        return std::make_unique<Resident>(image);
    }

    static std::unique_ptr<Stream> make_stream(const Device&) { return std::make_unique<Stream>(); }
    static std::unique_ptr<Event> make_event(const Device&) { return std::make_unique<Event>(); }
    static std::unique_ptr<Buffer> make_buffer(const Device&, std::uint32_t, std::uint64_t bytes) {
        return std::make_unique<Buffer>(bytes);
    }
    static void* address_of(Buffer& buffer) { return buffer.data(); }
    static void sync(Stream& stream) { stream.finish(); }
    static bool has_fired(const Event& event) { return event.fired; }
    static void wait_host(const Event& event) { event.stream->finish(); }
    static void wait_stream(const Event& event, Stream&) { event.stream->finish(); }
    static void record(Event& event, Stream& stream) { queue_event(stream, event); }
    static void copy_image(const Device&, const vdt_image& from, const vdt_image& to, Stream* stream, Event* done) {
        if (stream == nullptr) return copy_rows(from, to);
        stream->queue.emplace_back([&from, &to] { copy_rows(from, to); });
        if (done != nullptr) queue_event(*stream, *done);
    }

    template <class Body>
    static vdt_code translate(const Body& body) {
        try {
            return body();
        } catch (const Foreign&) {
            throw Failure(VDT_E_INTERNAL, "the other library failed", 42);
        }
    }
};

inline constexpr vdt_plugin table = make_table<Backend>();

inline vdt_host new_host() {
    vdt_host host{};
    host.struct_size = sizeof host;
    host.log = [](void*, std::uint32_t, const char*) noexcept {};
    host.alloc = [](void*, std::uint64_t, std::uint64_t) noexcept -> void* { return nullptr; };
    host.free = [](void*, void*) noexcept {};
    host.parallel_for = [](void* ctx, vdt_token*, std::uint32_t begin, std::uint32_t end, std::uint32_t,
                           vdt_loop_body body, void* arg) noexcept -> vdt_code {
        for (std::uint32_t i = begin; i < end; ++i) body(arg, i, i + 1, 0);
        return ctx == nullptr ? vdt_code{VDT_OK} : *static_cast<vdt_code*>(ctx);
    };
    host.worker_count = [](void*) noexcept -> std::uint32_t { return 1; };
    host.cancelled = [](void* ctx, vdt_token*) noexcept -> vdt_code {
        return ctx == nullptr ? vdt_code{VDT_OK} : *static_cast<vdt_code*>(ctx);
    };
    return host;
}

inline vdt_error new_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

inline bool mentions(const vdt_error& error, const char* words) {
    return std::string(error.text).find(words) != std::string::npos;
}

// An instance with both devices open.
struct Opened {
    vdt_host host = new_host();
    vdt_self* self = nullptr;
    vdt_device* device[2] = {};
    Opened() {
        BOOST_TEST_REQUIRE(table.create(&host, nullptr, 0, &self, nullptr) == VDT_OK);
        for (std::uint32_t i = 0; i < 2; ++i)
            BOOST_TEST_REQUIRE(table.device_open(self, i, &device[i], nullptr) == VDT_OK);
    }
    ~Opened() {
        for (vdt_device* each : device) table.device_close(each);
        table.destroy(self);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
};

inline constexpr std::uint32_t width = 8, height = 4;

inline vdt_image view_of(void* pixels) {
    vdt_image image{};
    image.struct_size = sizeof image;
    image.format = VDT_FORMAT_GRAY8;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] = {pixels, 0, width, width * height};
    return image;
}

// A copy between two images, as a query and as a call.
struct Copy {
    std::vector<std::uint8_t> from = std::vector<std::uint8_t>(width * height, 7);
    std::vector<std::uint8_t> to = std::vector<std::uint8_t>(width * height, 0);
    vdt_image in = view_of(from.data()), out = view_of(to.data());
    const vdt_image* inputs[1] = {&in};
    const vdt_image* outputs[1] = {&out};
    vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
    vdt_query query{};
    vdt_call call{};
    Copy() {
        query.struct_size = sizeof query;
        query.op = VDT_OP_CONVERT;
        query.input_count = query.output_count = 1;
        query.inputs = inputs;
        query.outputs = outputs;
        query.params = &params;
        call.struct_size = sizeof call;
        call.input_count = call.output_count = 1;
        call.inputs = inputs;
        call.outputs = outputs;
        call.params = &params;
    }
};

}  // namespace vedette::plugin::test
