// Sizes of groups found by running a plan's kernels on memory of no meaning when the plan is made, for kernels that
// take any size, so that nothing is compiled for it. Results are the same whichever is taken.
#pragma once

#include "operands.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace vedette::opencl {

// Work-items of a group along x and y.
struct GroupShape {
    std::uint32_t across = 64, down = 1;
};

// Most rows of a trial of rows of `width` places: about a million places, a launch of a fraction of a millisecond on
// any GPU.
std::uint32_t trial_rows(std::uint32_t width, std::uint32_t height) noexcept;

// An image of the device's own, all zero, as long as a copy lives. Throws Error (memory) when there is none left.
class TrialImage {
public:
    TrialImage(const Device& device, cl::Queue queue, vdt_format format, std::uint32_t width, std::uint32_t height);
    const DeviceImage& image() const noexcept { return image_; }

private:
    std::shared_ptr<Buffer<std::byte>> memory_;
    DeviceImage image_;
};

// Which of `count` ways of a launch is the fastest, 0 being the recorded default for this class of device: as
// Tuning::choose, in a few milliseconds. `start(queue, way)` queues it; what it makes first (images) it makes before
// the first is timed. The default also where device memory is short.
std::size_t choose_way(const Device& device, std::string_view file, const std::string& what, std::size_t count,
                       const std::function<std::function<void(std::size_t way)>(cl::Queue queue)>& prepare);

// The shape for kernels with a work-item for each of width x height places, rows side by side in memory, that all of
// `kernels` can have here. Images of about one size have one answer.
GroupShape choose_shape(const Device& device, std::string_view file, const std::string& what,
                        std::initializer_list<const Kernel*> kernels, std::uint32_t width, std::uint32_t height,
                        const std::function<std::function<void(GroupShape)>(cl::Queue queue)>& prepare);

}  // namespace vedette::opencl
