// Help for plugins written in C++; not part of the ABI. Rates of copies between host and device, for a probe.
#ifndef VEDETTE_PLUGIN_CPP_PROBE_COPIES_HPP
#define VEDETTE_PLUGIN_CPP_PROBE_COPIES_HPP

#include <chrono>
#include <cstddef>
#include <vector>

#include "probe.hpp"

namespace vedette::plugin {

// Bytes that measure_copies wants on the device and in pinned memory.
inline constexpr uint32_t probe_copy_width = 8192, probe_copy_rows = 4096;
inline constexpr std::size_t probe_copy_bytes = std::size_t{probe_copy_width} * probe_copy_rows;

// Rows of bytes at `base`, beginning there.
inline vdt_image probe_copy_image(void* base, uint32_t memory, vdt_device* device, uint32_t rows) {
    vdt_image image{};
    image.struct_size = sizeof image;
    image.format = VDT_FORMAT_GRAY8;
    image.width = probe_copy_width;
    image.height = rows;
    image.memory = memory;
    image.device = device;
    image.plane_count = 1;
    image.plane[0].base = base;
    image.plane[0].row_stride = probe_copy_width;
    image.plane[0].bytes = uint64_t{probe_copy_width} * rows;
    return image;
}

// Answers the latency of a copy and the rates pageable and pinned each way, as the copies of images have them: what a
// large one takes beyond a small one. `on_device`, `pinned`: probe_copy_bytes each. copy(from, to) returns when done.
template <class Copy>
void measure_copies(Probe& probe, uint32_t samples, double share, vdt_device* device, void* on_device, void* pinned,
                    const Copy& copy) {
    constexpr uint32_t small_rows = 1;
    std::vector<std::byte> pageable(probe_copy_bytes);
    const auto time = [&](void* host, uint32_t memory, uint32_t rows, bool up) {
        const vdt_image here = probe_copy_image(host, memory, nullptr, rows);
        const vdt_image there = probe_copy_image(on_device, VDT_MEMORY_DEVICE, device, rows);
        const auto start = std::chrono::steady_clock::now();
        copy(up ? here : there, up ? there : here);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto measure = [&](uint32_t id, void* host, uint32_t memory, bool up) {
        probe.answer(id, probe.repeat(samples, share, [&] {
            const double small = time(host, memory, small_rows, up);
            return probe_copy_bytes / (time(host, memory, probe_copy_rows, up) - small);
        }));
    };
    probe.answer(VDT_PARAM_COPY_LATENCY, probe.repeat(3 * samples, share, [&] {
        return time(pageable.data(), VDT_MEMORY_HOST, small_rows, true);
    }));
    measure(VDT_PARAM_TO_DEVICE_PAGEABLE, pageable.data(), VDT_MEMORY_HOST, true);
    measure(VDT_PARAM_TO_HOST_PAGEABLE, pageable.data(), VDT_MEMORY_HOST, false);
    measure(VDT_PARAM_TO_DEVICE_PINNED, pinned, VDT_MEMORY_PINNED, true);
    measure(VDT_PARAM_TO_HOST_PINNED, pinned, VDT_MEMORY_PINNED, false);
}

}  // namespace vedette::plugin
#endif
