#include "trial.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace vedette::opencl {

namespace {

constexpr double long_trial = 0.004;  // seconds after which no further way is tried

// The recorded default of all classes of devices first: what every GPU has, and of which even small images give many.
constexpr GroupShape shapes[] = {{64, 1}, {32, 4}, {16, 16}, {128, 1}, {256, 1}, {16, 4}};

bool has_shape(const DeviceLimits& limits, const Kernel& kernel, GroupShape shape) {
    return std::size_t{shape.across} * shape.down <= kernel.group_size() && shape.across <= limits.item_sizes[0] &&
           shape.down <= limits.item_sizes[1];
}

}  // namespace

std::uint32_t trial_rows(std::uint32_t width, std::uint32_t height) noexcept {
    return std::clamp((1U << 20) / std::max(1U, width), 1U, height);
}

TrialImage::TrialImage(const Device& device, cl::Queue queue, vdt_format format, std::uint32_t width,
                       std::uint32_t height)
    : memory_(std::make_shared<Buffer<std::byte>>()), image_(own_image(device, format, width, height, *memory_)) {
    constexpr std::uint32_t zero = 0;  // rows are multiples of 128 bytes
    check(cl::api().EnqueueFillBuffer(queue, memory_->get(), &zero, sizeof zero, 0, memory_->bytes(), 0, nullptr,
                                      nullptr),
          "clearing device memory");
}

std::size_t choose_way(const Device& device, std::string_view file, const std::string& what, std::size_t count,
                       const std::function<std::function<void(std::size_t)>(cl::Queue)>& prepare) {
    Queue queue;
    std::function<void(std::size_t)> start;
    try {
        return device.tuning.choose(
            file, what, count,
            [&](std::size_t way) {
                if (!start) {
                    queue = device.make_queue();
                    start = prepare(queue.get());
                    finish(queue.get());
                }
                return time_of(queue.get(), [&] { start(way); });
            },
            long_trial);
    } catch (const Error& error) {
        if (error.fault() != Fault::memory) throw;
        return 0;
    }
}

GroupShape choose_shape(const Device& device, std::string_view file, const std::string& what,
                        std::initializer_list<const Kernel*> kernels, std::uint32_t width, std::uint32_t height,
                        const std::function<std::function<void(GroupShape)>(cl::Queue)>& prepare) {
    std::vector<GroupShape> possible;
    for (const GroupShape& shape : shapes)
        if (std::all_of(kernels.begin(), kernels.end(),
                        [&](const Kernel* kernel) { return has_shape(device.limits(), *kernel, shape); }))
            possible.push_back(shape);
    // Devices with smaller groups than any of these.
    if (possible.empty()) {
        std::size_t most = shapes[0].across;
        for (const Kernel* kernel : kernels) most = group_within(*kernel, most);
        return {static_cast<std::uint32_t>(most), 1};
    }
    std::string key = what + ", about " + std::to_string(std::bit_width(std::uint64_t{width} * height)) +
                      " bits of places, " + std::to_string(std::bit_width(width)) + " across";
    for (const GroupShape& shape : possible)
        key += "; " + std::to_string(shape.across) + " x " + std::to_string(shape.down);
    return possible[choose_way(device, file, key, possible.size(), [&](cl::Queue queue) {
        const std::function<void(GroupShape)> start = prepare(queue);
        return [start, &possible](std::size_t way) { start(possible[way]); };
    })];
}

}  // namespace vedette::opencl
