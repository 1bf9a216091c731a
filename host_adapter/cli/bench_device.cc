#include "bench_device.h"

#include "core/failure.h"
#include "core/plugin_library.h"
#include "core/processors.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

namespace vedette::cli {

namespace {

using host::PluginAnswer;

// Several plans take turns: a plan's next call waits until its last one is done, and the queue must not run empty then.
constexpr unsigned plans_in_turn = 4;
constexpr std::uint64_t row_alignment = 256;

void need(const PluginAnswer& answer, const char* what) {
    if (answer.code < 0) {
        throw Problem(answer.code, std::string(what) + ": " +
                                       (answer.text.empty() ? vdt_code_name(answer.code) : answer.text.c_str()));
    }
}

// Runs `body`, with a failure of libvedette's own code as a Problem.
template <class Body>
auto guarded(const Body& body) {
    try {
        return body();
    } catch (const host::Failure& failure) {
        throw Problem(failure.code(), failure.text());
    }
}

// Something that is given back when the object ends.
using Owned = std::shared_ptr<void>;

Owned owned(std::function<void()> give_back) {
    return Owned(nullptr, [give_back = std::move(give_back)](void*) { give_back(); });
}

struct Room {
    Owned buffer;
    void* address = nullptr;
};

Room make_room(const BenchDevice& on, std::uint64_t bytes) {
    vdt_buffer* buffer = nullptr;
    Room room;
    need(host::call_plugin(on.streams().buffer_create, on.device().open(), std::uint32_t{VDT_MEMORY_DEVICE}, bytes,
                           &buffer, &room.address),
         "no memory on the device");
    room.buffer = owned([&on, buffer] { host::call_plugin_quietly(on.streams().buffer_destroy, buffer); });
    return room;
}

void copy(const BenchDevice& on, const vdt_image& from, const vdt_image& to) {
    need(host::call_plugin(on.streams().image_copy, on.device().open(), &from, &to, static_cast<vdt_stream*>(nullptr),
                           static_cast<vdt_event*>(nullptr)),
         "an image could not be copied");
}

// The view of an image in device memory at `base`, planes one after another.
vdt_image placed(const vdt_image& image, vdt_device* device, void* base, std::uint64_t row_bytes) {
    vdt_image view = image;
    view.memory = VDT_MEMORY_DEVICE;
    view.device = device;
    const std::uint64_t stride = (row_bytes + row_alignment - 1) / row_alignment * row_alignment;
    for (std::uint32_t plane = 0; plane < view.plane_count; ++plane) {
        view.plane[plane].base = base;
        view.plane[plane].offset = stride * view.height * plane;
        view.plane[plane].row_stride = static_cast<std::int64_t>(stride);
        view.plane[plane].bytes = stride * view.height * view.plane_count;
    }
    return view;
}

// Of a picture's view, whose rows have no gaps.
std::uint64_t row_bytes_of(const vdt_image& image) {
    return static_cast<std::uint64_t>(image.plane[0].row_stride);
}

std::uint64_t room_for(const vdt_image& image) {
    const std::uint64_t stride = (row_bytes_of(image) + row_alignment - 1) / row_alignment * row_alignment;
    return stride * image.height * image.plane_count;
}

}  // namespace

BenchDevice::BenchDevice(const std::string& name, const std::string& library, std::uint32_t index) {
    guarded([&] {
        const host::LoadedTable loaded = host::load_plugin(library, name, {});
        if (loaded.table == nullptr) {
            throw Problem(loaded.code, loaded.reason);
        }
        const auto instance = std::make_shared<host::PluginInstance>(
            *loaded.table, name, library, loaded.abi_minor, std::vector<host::OptionValue>{},
            std::make_shared<host::ThreadPool>(host::usable_processors()),
            std::make_shared<host::Log>(nullptr, nullptr, VDT_LOG_WARNING));
        const auto devices = host::list_devices(instance);
        if (index >= devices.size()) {
            throw Problem(VDT_E_NO_DEVICE, name + " has no device " + std::to_string(index) + ".");
        }
        device_ = devices[index];
        open();
    });
}

BenchDevice::BenchDevice(std::shared_ptr<host::Device> device) : device_(std::move(device)) {
    guarded([&] { open(); });
}

void BenchDevice::open() {
    device_->open();
    vdt_device_info info{};
    info.struct_size = sizeof info;
    need(host::call_plugin(device_->table().device_info, device_->plugin().self(), device_->index(), &info),
         "the device's description");
    memory_bytes_ = info.memory_bytes;
}

bool BenchDevice::holds_images() const {
    return device_->table().streams != nullptr && device_->kind() != VDT_DEVICE_CPU && memory_bytes_ != 0;
}

double BenchDevice::measure_bandwidth() const {
    return guarded([&] {
        // Far beyond any cache, and so long that the way to the device does not count.
        constexpr std::uint64_t most = std::uint64_t{4} << 30;
        constexpr int rounds = 5;
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = VDT_FORMAT_F64;
        image.width = 16384;
        image.height = static_cast<std::uint32_t>(std::min(most, memory_bytes_ / 16) / (image.width * sizeof(double)));
        image.plane_count = 1;
        image.plane[0].row_stride = image.width * std::int64_t{sizeof(double)};
        const Room first = make_room(*this, room_for(image)), second = make_room(*this, room_for(image));
        const vdt_image from = placed(image, device_->open(), first.address, row_bytes_of(image));
        const vdt_image to = placed(image, device_->open(), second.address, row_bytes_of(image));
        copy(*this, from, to);
        double best = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto start = std::chrono::steady_clock::now();
            copy(*this, from, to);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            best = std::max(best, 2 * static_cast<double>(room_for(image)) / took.count());
        }
        return best;
    });
}

// Given back in the order that the ABI asks for.
struct DeviceWork::Objects {
    std::vector<Owned> kept;  // buffers, residents
    Owned stream_owner;
    vdt_stream* stream = nullptr;
    std::vector<Owned> plan_owners;
    std::vector<vdt_plan*> plans;
    std::size_t next = 0;

    ~Objects() {
        plan_owners.clear();
        stream_owner.reset();
    }
};

DeviceWork::DeviceWork(const BenchDevice& on, std::shared_ptr<const Work> work, std::uint32_t variant, OnHost on_host)
    : on_(on), work_(std::move(work)), objects_(std::make_unique<Objects>()), variant_number_(variant) {
    guarded([&] {
        const bool templates = work_->op == VDT_OP_TEMPLATE_FIND || work_->op == VDT_OP_TEMPLATE_MAP;
        images_.reserve(work_->views.size());
        for (const vdt_image* image : work_->in) {
            const bool none = image->format == VDT_FORMAT_NONE;
            const bool kept = templates && on_.device().keeps_images();
            const bool there = on_.holds_images() && on_host != OnHost::inputs;
            images_.push_back(none ? *image : kept ? as_resident(*image) : there ? on_device(*image, true) : *image);
            in_.push_back(&images_.back());
        }
        for (const vdt_image* image : work_->out) {
            const bool there = on_.holds_images() && on_host != OnHost::outputs;
            images_.push_back(there ? on_device(*image, false) : *image);
            out_.push_back(&images_.back());
        }
        lists_.reserve(work_->to.size());
        for (const vdt_list* list : work_->to) {
            lists_.emplace_back(list->item_size, list->capacity);
            lists_out_.push_back(lists_.back().view());
        }
        make_plans(can_queue() ? plans_in_turn : 1);
        if (!on_.holds_images()) {
            return;
        }
        need(host::call_plugin(on_.streams().stream_create, on_.device().open(), &objects_->stream), "no stream");
        objects_->stream_owner = owned([&device = on_, stream = objects_->stream] {
            host::call_plugin_quietly(device.streams().stream_destroy, stream);
        });
    });
}

DeviceWork::~DeviceWork() = default;

vdt_image DeviceWork::on_device(const vdt_image& image, bool from_host) {
    const Room room = make_room(on_, room_for(image));
    objects_->kept.push_back(room.buffer);
    const vdt_image view = placed(image, on_.device().open(), room.address, row_bytes_of(image));
    if (from_host) {
        copy(on_, image, view);
        return view;
    }
    // Values that no result has everywhere, so that what is not written is seen.
    std::vector<std::uint8_t> poison(row_bytes_of(image) * image.height * image.plane_count);
    for (std::size_t i = 0; i < poison.size(); ++i) {
        poison[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    vdt_image filled = image;
    for (std::uint32_t plane = 0; plane < filled.plane_count; ++plane) {
        filled.plane[plane].base = poison.data();
    }
    copy(on_, filled, view);
    return view;
}

vdt_image DeviceWork::as_resident(const vdt_image& image) {
    vdt_image view = image;
    view.resident = on_.device().create_resident(image);
    if (view.resident == nullptr) {
        throw Problem(VDT_E_OUT_OF_MEMORY, "the device could not keep an image");
    }
    objects_->kept.push_back(
        owned([&device = on_.device(), resident = view.resident] { device.destroy_resident(resident); }));
    return view;
}

vdt_query DeviceWork::query() const {
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = work_->op;
    query.inputs = in_.data();
    query.input_count = static_cast<std::uint32_t>(in_.size());
    query.outputs = out_.data();
    query.output_count = static_cast<std::uint32_t>(out_.size());
    query.params = work_->params.get();
    query.variant = variant_number_;
    query.lists_in = work_->from.data();
    query.list_in_count = static_cast<std::uint32_t>(work_->from.size());
    return query;
}

DeviceCounts DeviceWork::counts() const {
    return guarded([&] {
        const vdt_query asked = query();
        DeviceCounts counts;
        counts.stages.resize(64);
        for (;;) {
            vdt_cost& cost = counts.cost;
            cost = {};
            cost.struct_size = sizeof cost;
            cost.stage_capacity = static_cast<std::uint32_t>(counts.stages.size());
            cost.stage_size = sizeof counts.stages[0];
            cost.stages = counts.stages.data();
            if (on_.device().table().op_cost == nullptr) {
                throw Problem(VDT_E_UNSUPPORTED, "the backend gives no costs");
            }
            need(host::call_plugin(on_.device().table().op_cost, on_.device().open(), &asked, &cost), "no costs");
            if (cost.stage_count <= counts.stages.size()) {
                return counts;
            }
            counts.stages.resize(cost.stage_count);
        }
    });
}

void DeviceWork::make_plans(unsigned count) {
    const vdt_query query = this->query();
    PluginAnswer answer;
    const vdt_op_support support = on_.device().support(query, answer);
    if (support.level == VDT_SUPPORT_NO) {
        throw Problem(answer.code, answer.text);
    }
    variant_count_ = support.variant_count;
    const vdt_plugin& table = on_.device().table();
    vdt_variant_info variant{};
    variant.struct_size = sizeof variant;
    need(host::call_plugin(table.op_variant, on_.device().open(), &query, &variant), "no variant");
    variant_ = host::one_line(variant.name, sizeof variant.name);
    for (unsigned i = 0; i < count; ++i) {
        vdt_plan* plan = nullptr;
        need(host::call_plugin(table.plan_create, on_.device().open(), &query, &plan), "no plan");
        objects_->plans.push_back(plan);
        objects_->plan_owners.push_back(owned([&table, plan] { host::call_plugin_quietly(table.plan_destroy, plan); }));
    }
}

vdt_call DeviceWork::call() const {
    vdt_call call{};
    call.struct_size = sizeof call;
    call.inputs = in_.data();
    call.input_count = static_cast<std::uint32_t>(in_.size());
    call.outputs = out_.data();
    call.output_count = static_cast<std::uint32_t>(out_.size());
    call.lists_in = work_->from.data();
    call.list_in_count = static_cast<std::uint32_t>(work_->from.size());
    call.lists_out = lists_out_.data();
    call.list_out_count = static_cast<std::uint32_t>(lists_out_.size());
    call.params = work_->params.get();
    return call;
}

void DeviceWork::run() {
    const vdt_call one = call();
    need(host::call_plugin(on_.device().table().plan_run, objects_->plans[0], &one), "it failed on the device");
}

void DeviceWork::run_queued(unsigned calls) {
    vdt_call one = call();
    one.stream = objects_->stream;
    for (unsigned i = 0; i < calls; ++i) {
        vdt_plan* const plan = objects_->plans[objects_->next++ % objects_->plans.size()];
        need(host::call_plugin(on_.device().table().plan_run, plan, &one), "it failed on the device");
    }
    need(host::call_plugin(on_.streams().stream_sync, objects_->stream), "it failed on the device");
}

std::vector<std::vector<std::uint8_t>> DeviceWork::results() const {
    std::vector<std::vector<std::uint8_t>> results;
    for (std::size_t i = 0; i < out_.size(); ++i) {
        const vdt_image& image = *work_->out[i];
        std::vector<std::uint8_t>& bytes = results.emplace_back(row_bytes_of(image) * image.height * image.plane_count);
        vdt_image view = image;
        for (std::uint32_t plane = 0; plane < view.plane_count; ++plane) {
            view.plane[plane].base = bytes.data();
        }
        copy(on_, *out_[i], view);
    }
    return results;
}

}  // namespace vedette::cli
