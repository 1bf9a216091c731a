// A host and images for tests and measurements of the template search without the rest of the library.
#pragma once

#include <vedette/plugin/plugin.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "op.h"

namespace vedette::cpu::test {

// parallel_for on short-lived threads: enough for tests, and nothing to shut down. `ctx` is the Host.
struct Host {
    explicit Host(std::uint32_t thread_count) : threads(thread_count) {
        table.struct_size = sizeof table;
        table.ctx = this;
        table.log = [](void*, std::uint32_t, const char*) noexcept {};
        table.alloc = [](void*, std::uint64_t size, std::uint64_t align) noexcept {
            return std::aligned_alloc(align, (size + align - 1) / align * align);
        };
        table.free = [](void*, void* memory) noexcept { std::free(memory); };
        table.parallel_for = [](void* ctx, vdt_token*, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                                vdt_loop_body body, void* arg) noexcept {
            return static_cast<Host*>(ctx)->loop(begin, end, grain == 0 ? 1 : grain, body, arg);
        };
        table.worker_count = [](void* ctx) noexcept { return static_cast<Host*>(ctx)->threads; };
        table.cancelled = [](void* ctx, vdt_token*) noexcept {
            return static_cast<Host*>(ctx)->cancel_after.load() < 0 ? vdt_code{VDT_E_CANCELLED} : vdt_code{VDT_OK};
        };
        table.extension = [](void*, const char*) noexcept -> const void* { return nullptr; };
    }

    vdt_code loop(std::uint32_t begin, std::uint32_t end, std::uint32_t grain, vdt_loop_body body, void* arg) {
        std::atomic<std::uint64_t> next{begin};
        std::atomic<bool> cancelled{false};
        const auto work = [&](std::uint32_t worker) {
            for (;;) {
                const std::uint64_t first = next.fetch_add(grain);
                if (first >= end) return;
                if (limited && cancel_after.fetch_sub(1) <= 0) {
                    cancelled = true;
                    return;
                }
                body(arg, static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(std::min<std::uint64_t>(end, first + grain)), worker);
            }
        };
        std::vector<std::thread> others;
        for (std::uint32_t worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
        work(0);
        for (std::thread& other : others) other.join();
        return cancelled ? VDT_E_CANCELLED : VDT_OK;
    }

    vdt_host table{};
    std::uint32_t threads;
    bool limited = false;  // cancel after this many pieces
    std::atomic<std::int64_t> cancel_after{0};
};

inline bool runs_here(Isa isa) {
#if defined(__x86_64__)
    if (isa == Isa::avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (isa == Isa::avx512)
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
    return true;
#else
    return isa == Isa::portable;
#endif
}

inline const char* name_of(Isa isa) {
    return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

// An image with rows `padding` bytes apart beyond their pixels; upwards = rows stored bottom first. The last byte of
// the buffer is the last pixel, so that a sanitizer sees every read beyond it.
struct Picture {
    int width = 0, height = 0, channels = 1, padding = 0;
    bool upwards = false;
    std::vector<std::uint8_t> bytes;

    Picture() = default;
    Picture(int w, int h, int c, int pad_bytes = 0, bool up = false)
        : width(w), height(h), channels(c), padding(pad_bytes), upwards(up) {
        bytes.resize(static_cast<std::size_t>(stride()) * static_cast<std::size_t>(h - 1) +
                     static_cast<std::size_t>(w * c));
    }
    int stride() const { return width * channels + padding; }
    std::uint8_t& at(int x, int y, int c = 0) { return bytes[index(x, y, c)]; }
    std::uint8_t at(int x, int y, int c = 0) const { return bytes[index(x, y, c)]; }
    vdt_image view() const {
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = channels == 3 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8;
        image.width = static_cast<std::uint32_t>(width);
        image.height = static_cast<std::uint32_t>(height);
        image.memory = VDT_MEMORY_HOST;
        image.plane_count = 1;
        image.plane[0].base = const_cast<std::uint8_t*>(bytes.data());
        image.plane[0].bytes = bytes.size();
        image.plane[0].row_stride = upwards ? -stride() : stride();
        image.plane[0].offset =
            upwards ? static_cast<std::uint64_t>(stride()) * static_cast<std::uint64_t>(height - 1) : 0;
        return image;
    }

private:
    std::size_t index(int x, int y, int c) const {
        const int row = upwards ? height - 1 - y : y;
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(stride()) +
               static_cast<std::size_t>(x * channels + c);
    }
};

inline vdt_image no_image() {
    vdt_image image{};
    image.struct_size = sizeof image;
    return image;
}

// One call of template_find through the operation's entry.
struct FindCall {
    const Picture* scene = nullptr;
    std::vector<const Picture*> patterns, masks;  // masks: NULL entries or none
    vdt_template_find_params params{};
    std::uint64_t capacity = 1u << 20;
    std::vector<vdt_item> room;

    vdt_code run(const Device& device, std::vector<vdt_item>& items, std::uint64_t* needed = nullptr,
                 Plan* reused = nullptr) {
        params.struct_size = sizeof params;
        params.pattern_count = static_cast<std::uint32_t>(patterns.size());
        std::vector<vdt_image> images{scene->view()};
        for (std::size_t p = 0; p < patterns.size(); ++p) {
            images.push_back(patterns[p]->view());
            images.push_back(p < masks.size() && masks[p] != nullptr ? masks[p]->view() : no_image());
        }
        std::vector<const vdt_image*> inputs;
        for (const vdt_image& image : images) inputs.push_back(&image);
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = VDT_OP_TEMPLATE_FIND;
        query.input_count = static_cast<std::uint32_t>(inputs.size());
        query.inputs = inputs.data();
        query.params = &params;
        std::unique_ptr<Plan> made;
        if (reused == nullptr) {
            vdt_op_support support{};
            template_find_operation.support(device, query, support);
            made = template_find_operation.plan(device, query);
            reused = made.get();
        }
        room.resize(capacity);
        vdt_list list{sizeof(vdt_list), sizeof(vdt_item), capacity, 0, 0, room.data()};
        vdt_list* lists[] = {&list};
        vdt_call call{};
        call.struct_size = sizeof call;
        call.input_count = query.input_count;
        call.inputs = inputs.data();
        call.list_out_count = 1;
        call.lists_out = lists;
        call.params = &params;
        const vdt_code code = reused->run(call);
        items.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(list.count));
        if (needed != nullptr) *needed = list.needed;
        return code;
    }
};

// One call of template_map; `out` gets the map row by row.
inline vdt_code run_map(const Device& device, const Picture& scene, const Picture& pattern, const Picture* mask,
                        std::uint32_t method, std::vector<float>& out, Plan* reused = nullptr) {
    vdt_template_map_params params{sizeof params, method};
    const vdt_image images[] = {scene.view(), pattern.view(), mask != nullptr ? mask->view() : no_image()};
    const vdt_image* inputs[] = {&images[0], &images[1], &images[2]};
    const int w = scene.width - pattern.width + 1, h = scene.height - pattern.height + 1;
    out.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    vdt_image map{};
    map.struct_size = sizeof map;
    map.format = VDT_FORMAT_GRAYF32;
    map.width = static_cast<std::uint32_t>(w);
    map.height = static_cast<std::uint32_t>(h);
    map.plane_count = 1;
    map.plane[0] = {out.data(), 0, static_cast<std::int64_t>(w) * 4, out.size() * sizeof(float)};
    const vdt_image* outputs[] = {&map};
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = VDT_OP_TEMPLATE_MAP;
    query.input_count = 3;
    query.output_count = 1;
    query.inputs = inputs;
    query.outputs = outputs;
    query.params = &params;
    std::unique_ptr<Plan> made;
    if (reused == nullptr) {
        vdt_op_support support{};
        template_map_operation.support(device, query, support);
        made = template_map_operation.plan(device, query);
        reused = made.get();
    }
    vdt_call call{};
    call.struct_size = sizeof call;
    call.input_count = 3;
    call.output_count = 1;
    call.inputs = inputs;
    call.outputs = outputs;
    call.params = &params;
    return reused->run(call);
}

}  // namespace vedette::cpu::test
