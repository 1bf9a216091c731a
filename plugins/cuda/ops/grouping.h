// Grouping of rectangles on the device, for group and for detectors: memory and transfers of one plan.
#pragma once

#include "backend.h"

#include <kernels/group.h>

#include <span>

namespace vedette::cuda_plugin {

// The group as an item of a list.
vdt_item item_of(const cuda::RectangleGroup& group) noexcept;

// Keeps its memory between calls, so that a call allocates only when its list is longer than all before.
class Grouping {
public:
    explicit Grouping(const Device& device) : device_(device) {}

    // Room for `count` rectangles and their scores in pinned memory, to be filled before `run`. Valid until the next
    // `reserve` or the next call of `run` has ended. `stream`: the one that `run` will use.
    void reserve(std::size_t count, cudaStream_t stream);
    cuda::GroupRectangle* rectangles() const noexcept { return rectangles_.data(); }
    double* scores() const noexcept { return scores_.data(); }

    // Groups the first `count` of them (at least 1) and waits. Valid until the next call.
    std::span<const cuda::RectangleGroup> run(std::size_t count, std::int32_t threshold, double eps,
                                              cudaStream_t stream);

    static std::uint64_t scratch_bytes(std::size_t count) noexcept;

private:
    const Device& device_;
    std::size_t capacity_ = 0;
    std::uint32_t calls_ = 0;  // with this scratch
    cuda::Block<cuda::GroupRectangle> rectangles_, device_rectangles_;
    cuda::Block<double> scores_, device_scores_;
    cuda::Block<std::byte> scratch_;
    cuda::Block<std::uint32_t> count_;  // pinned, as are the groups: the device writes them where the host reads them
    cuda::Block<cuda::RectangleGroup> groups_;
};

}  // namespace vedette::cuda_plugin
