// A cascade as the kernels take it, built on the host.
#pragma once

#include "backend.h"

#include <cascade/model.h>

#include <vector>

namespace vedette::opencl {

// The numbers of KIND in kernels/cascade_classify.cl.
enum class CascadeKind : std::uint32_t { stumps = 0 /* Haar, trees of one node */, trees = 1 /* Haar */, lbp = 2 };

CascadeKind kind_of(const cascade::Model& model);

// Where the numbers of a table of sums lie.
struct CascadeTables {
    std::int32_t pitch = 0;   // numbers
    std::int32_t tilted = 0;  // from the sums to the tilted sums
    std::int32_t place(std::int32_t x, std::int32_t y) const noexcept { return y * pitch + x; }
};

// The classifier in device memory.
class CascadeProgram {
public:
    CascadeProgram() = default;
    CascadeProgram(const Device& device, const cascade::Model& model, const CascadeTables& tables);

    cl::Memory stages() const noexcept { return stages_.get(); }
    cl::Memory nodes() const noexcept { return nodes_.get(); }
    cl::Memory trees() const noexcept { return trees_.get(); }
    cl::Memory whole_leaves() const noexcept { return whole_leaves_.get(); }
    cl::Memory leaves() const noexcept { return leaves_.get(); }
    std::uint32_t stage_count() const noexcept { return stage_count_; }

private:
    Buffer<std::byte> stages_, nodes_, trees_, whole_leaves_, leaves_;
    std::uint32_t stage_count_ = 0;
};

}  // namespace vedette::opencl
