// A host for the plugin's tests: real threads behind parallel_for, and images whose every unused byte is watched.
#pragma once

#include <vedette/plugin/plugin.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "formats.h"

namespace vedette::cpu::test {

struct TestHost {
    std::uint32_t workers = 3;
    std::atomic<vdt_code> stop{VDT_OK};  // what `cancelled` and parallel_for answer
    vdt_host table{};

    TestHost() {
        table.struct_size = sizeof table;
        table.ctx = this;
        table.log = [](void*, std::uint32_t, const char*) noexcept {};
        table.alloc = [](void*, std::uint64_t size, std::uint64_t align) noexcept -> void* {
            return std::aligned_alloc(align, (size + align - 1) / align * align);
        };
        table.free = [](void*, void* memory) noexcept { std::free(memory); };
        table.parallel_for = parallel_for;
        table.worker_count = [](void* ctx) noexcept { return static_cast<TestHost*>(ctx)->workers; };
        table.cancelled = [](void* ctx, vdt_token*) noexcept { return static_cast<TestHost*>(ctx)->stop.load(); };
        table.extension = [](void*, const char*) noexcept -> const void* { return nullptr; };
    }

    static vdt_code parallel_for(void* ctx, vdt_token*, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                                 vdt_loop_body body, void* arg) noexcept {
        auto& self = *static_cast<TestHost*>(ctx);
        const std::uint32_t step = grain == 0 ? 7 : grain;
        std::atomic<std::uint32_t> next{begin};
        const auto work = [&](std::uint32_t worker) {
            while (self.stop.load() == VDT_OK) {
                const std::uint32_t first = next.fetch_add(step);
                if (first >= end) return;
                body(arg, first, first + std::min(step, end - first), worker);
            }
        };
        std::vector<std::thread> threads;
        for (std::uint32_t worker = 1; worker < self.workers && end - begin > step; ++worker)
            threads.emplace_back(work, worker);
        work(0);
        for (std::thread& thread : threads) thread.join();
        return self.stop.load();
    }
};

// How a test image lies in memory.
struct Placement {
    std::uint32_t lead = 0;     // elements before the first row
    std::uint32_t padding = 0;  // elements after each row
    bool upside_down = false;   // negative stride
};

class TestImage {
public:
    TestImage(vdt_format format, std::uint32_t width, std::uint32_t height, const Placement& placement) {
        const FormatLayout& layout = *layout_of(format);
        const std::uint64_t row = row_bytes(layout, width);
        const std::uint64_t stride = row + std::uint64_t{placement.padding} * layout.element_bytes;
        const std::uint64_t lead = std::uint64_t{placement.lead} * layout.element_bytes;
        view_.struct_size = sizeof view_;
        view_.format = format;
        view_.width = width;
        view_.height = height;
        view_.plane_count = layout.planes;
        for (std::uint32_t plane = 0; plane < layout.planes; ++plane) {
            // Exactly the bytes of the rows: a byte beyond is a finding of the address sanitizer.
            std::vector<std::uint64_t>& memory = memory_[plane];
            const std::uint64_t bytes = lead + stride * (height - 1) + row;
            memory.assign((bytes + 7) / 8, guard_word);
            vdt_plane& view = view_.plane[plane];
            view.base = memory.data();
            view.bytes = bytes;
            view.row_stride = static_cast<std::int64_t>(stride);
            view.offset = lead;
            if (placement.upside_down) {
                view.row_stride = -view.row_stride;
                view.offset += stride * (height - 1);
            }
        }
    }
    TestImage(TestImage&&) = default;

    const vdt_image& view() const { return view_; }
    template <class T>
    T* row(std::uint32_t plane, std::uint32_t y) const {
        return row_of<T>(view_, plane, y);
    }

    // True when every byte outside the pixels still has its first value.
    bool guards_untouched() const {
        const FormatLayout& layout = *layout_of(view_.format);
        const std::uint64_t row_size = row_bytes(layout, view_.width);
        for (std::uint32_t plane = 0; plane < view_.plane_count; ++plane) {
            std::vector<std::uint64_t> copy = memory_[plane];
            auto* const bytes = reinterpret_cast<unsigned char*>(copy.data());
            for (std::uint32_t y = 0; y < view_.height; ++y) {
                const std::int64_t at =
                    static_cast<std::int64_t>(view_.plane[plane].offset) + y * view_.plane[plane].row_stride;
                std::memset(bytes + at, guard_byte, row_size);
            }
            if (std::any_of(copy.begin(), copy.end(), [](std::uint64_t word) { return word != guard_word; }))
                return false;
        }
        return true;
    }

private:
    static constexpr unsigned char guard_byte = 0xa5;
    static constexpr std::uint64_t guard_word = 0xa5a5a5a5a5a5a5a5u;
    vdt_image view_{};
    std::vector<std::uint64_t> memory_[VDT_MAX_PLANES];
};

// A list of the vector's items, `count` of which are there already.
template <class Item>
vdt_list list_of(std::vector<Item>& items, std::uint64_t count) {
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(Item);
    list.capacity = items.size();
    list.count = list.needed = count;
    list.items = items.data();
    return list;
}

// An instance of the plugin with its device, for one instruction set.
class TestDevice {
public:
    TestDevice(TestHost& host, const char* isa) : plugin_(VDT_PLUGIN_ENTRY(0, 0, nullptr)) {
        vdt_option option{};
        option.key = "isa";
        option.kind = VDT_OPTION_TEXT;
        option.text = isa;
        error_.struct_size = sizeof error_;
        code_ = plugin_->create(&host.table, &option, 1, &self_, &error_);
        if (code_ == VDT_OK) code_ = plugin_->device_open(self_, 0, &device_, &error_);
    }
    ~TestDevice() {
        plugin_->device_close(device_);
        plugin_->destroy(self_);
    }
    TestDevice(const TestDevice&) = delete;
    TestDevice& operator=(const TestDevice&) = delete;

    bool available() const { return code_ == VDT_OK; }
    vdt_code code() const { return code_; }
    const vdt_plugin& plugin() const { return *plugin_; }
    vdt_self* self() const { return self_; }
    vdt_device* device() const { return device_; }
    const vdt_error& error() const { return error_; }

    // Support, plan and run of an operation; the code of the first step that fails.
    vdt_code run(vdt_op op, const void* params, const std::vector<const vdt_image*>& inputs,
                 const std::vector<const vdt_image*>& outputs, const std::vector<const vdt_list*>& lists_in = {},
                 const std::vector<vdt_list*>& lists_out = {}) {
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = op;
        query.input_count = static_cast<std::uint32_t>(inputs.size());
        query.output_count = static_cast<std::uint32_t>(outputs.size());
        query.inputs = inputs.data();
        query.outputs = outputs.data();
        query.params = params;
        vdt_op_support support{};
        support.struct_size = sizeof support;
        if (const vdt_code code = plugin_->op_support(device_, &query, &support, &error_); code != VDT_OK) return code;
        vdt_plan* plan = nullptr;
        if (const vdt_code code = plugin_->plan_create(device_, &query, &plan, &error_); code != VDT_OK) return code;
        vdt_call call{};
        call.struct_size = sizeof call;
        call.input_count = query.input_count;
        call.output_count = query.output_count;
        call.inputs = query.inputs;
        call.outputs = query.outputs;
        call.list_in_count = static_cast<std::uint32_t>(lists_in.size());
        call.list_out_count = static_cast<std::uint32_t>(lists_out.size());
        call.lists_in = lists_in.data();
        call.lists_out = lists_out.data();
        call.params = params;
        const vdt_code code = plugin_->plan_run(plan, &call, &error_);
        plugin_->plan_destroy(plan);
        return code;
    }

private:
    const vdt_plugin* plugin_;
    vdt_self* self_ = nullptr;
    vdt_device* device_ = nullptr;
    vdt_code code_ = VDT_OK;
    vdt_error error_{};
};

using Random = std::mt19937;

inline std::uint32_t below(Random& random, std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
}

// A size that is sometimes 1, sometimes near a vector's width, sometimes larger.
inline std::uint32_t random_side(Random& random) {
    switch (below(random, 4)) {
        case 0:
            return 1;
        case 1:
            return 1 + below(random, 40);
        default:
            return 1 + below(random, 150);
    }
}

inline Placement random_placement(Random& random) {
    return {below(random, 4), below(random, 3) == 0 ? 0 : below(random, 20), below(random, 3) == 0};
}

}  // namespace vedette::cpu::test
