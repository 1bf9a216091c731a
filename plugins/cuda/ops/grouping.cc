#include "grouping.h"

#include <runtime/stream.h>

#include <algorithm>
#include <bit>

namespace vedette::cuda_plugin {

namespace {

constexpr std::size_t least_capacity = 1024;

}  // namespace

vdt_item item_of(const cuda::RectangleGroup& group) noexcept {
    vdt_item item{};
    item.x = static_cast<float>(group.x);
    item.y = static_cast<float>(group.y);
    item.w = static_cast<float>(group.w);
    item.h = static_cast<float>(group.h);
    item.score = group.score;
    item.neighbors = group.joined;
    return item;
}

std::uint64_t Grouping::scratch_bytes(std::size_t count) noexcept {
    return cuda::group_scratch(count).bytes + count * (sizeof(cuda::GroupRectangle) + sizeof(double));
}

void Grouping::reserve(std::size_t count, cudaStream_t stream) {
    if (count <= capacity_) return;
    // What is replaced may still be in use.
    cuda::synchronize(stream);
    capacity_ = 0;
    const std::size_t capacity = std::max(least_capacity, std::bit_ceil(count));
    const auto& memory = device_.cuda.memory;
    const auto& pinned = device_.cuda.pinned;
    const cuda::GroupScratch scratch = cuda::group_scratch(capacity);
    rectangles_ = cuda::Block<cuda::GroupRectangle>(pinned, capacity);
    scores_ = cuda::Block<double>(pinned, capacity);
    device_rectangles_ = cuda::Block<cuda::GroupRectangle>(memory, capacity);
    device_scores_ = cuda::Block<double>(memory, capacity);
    count_ = cuda::Block<std::uint32_t>(pinned, 1);
    groups_ = cuda::Block<cuda::RectangleGroup>(pinned, capacity / 2 + 1);
    scratch_ = cuda::Block<std::byte>(memory, scratch.bytes);
    cuda::check(cudaMemsetAsync(scratch_.data(), 0, scratch.cleared_bytes, stream), "clearing scratch");
    calls_ = 0;
    capacity_ = capacity;
}

std::span<const cuda::RectangleGroup> Grouping::run(std::size_t count, std::int32_t threshold, double eps,
                                                    cudaStream_t stream) {
    cuda::check(cudaMemcpyAsync(device_rectangles_.data(), rectangles_.data(), count * sizeof(cuda::GroupRectangle),
                                cudaMemcpyHostToDevice, stream),
                "copying rectangles");
    cuda::check(
        cudaMemcpyAsync(device_scores_.data(), scores_.data(), count * sizeof(double), cudaMemcpyHostToDevice, stream),
        "copying scores");
    cuda::group(device_rectangles_.data(), device_scores_.data(), static_cast<std::uint32_t>(count), threshold, eps,
                scratch_.data(), capacity_, ++calls_, {count_.data(), groups_.data()}, stream);
    cuda::synchronize(stream);
    return {groups_.data(), *count_.data()};
}

}  // namespace vedette::cuda_plugin
