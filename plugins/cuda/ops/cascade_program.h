// A cascade as the kernels take it, built on the host.
#pragma once

#include <cascade/model.h>
#include <kernels/cascade.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vedette::cuda_plugin {

cuda::CascadeKind kind_of(const cascade::Model& model);

// How many stumps of the first stages a block keeps in shared memory.
std::uint32_t cached_stumps_of(const cascade::Model& model);

// The tables for one layout, one after another.
struct CascadeImage {
    std::vector<std::byte> bytes;
    // Offsets into `bytes` in place of addresses; `at` of a table that the kind lacks is 0.
    std::size_t stumps = 0, haar = 0, lbp = 0, trees = 0, stages = 0, whole_leaves = 0, leaves = 0;
    std::uint32_t stage_count = 0, cached_stumps = 0;

    // The program once `bytes` lie at `base` in device memory.
    cuda::CascadeProgram at(const std::byte* base) const;
};

CascadeImage image_of(const cascade::Model& model, const cuda::CascadeLayout& layout);

}  // namespace vedette::cuda_plugin
