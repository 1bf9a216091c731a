// Rows of the input with the channels that the output has, in the input's depth, interleaved.
#pragma once

#include "op.h"
#include "pixels.h"
#include "resize/resampler.h"

namespace vedette::cpu {

class RowReader {
public:
    RowReader(const Device& device, vdt_format in, vdt_format out);

    // Layout of the rows. Channels beyond those of a planar output are to be skipped.
    const PixelLayout& layout() const noexcept { return layout_; }
    std::uint32_t element_bytes() const noexcept;
    // Plane of the output for channel c of a row, when the output is planar.
    std::uint32_t plane_of(std::uint32_t channel) const noexcept { return swapped_ ? 2 - channel : channel; }
    // Whether rows are read where they lie.
    bool in_place() const noexcept { return in_place_; }
    // Bytes of scratch that `row` needs; 0 where rows are read where they lie.
    std::uint64_t scratch_bytes(std::uint32_t width) const noexcept;
    // Row y of `in`, in its place or in `scratch`.
    const void* row(const vdt_image& in, std::uint32_t y, void* scratch) const;

private:
    const ConvertKernels& kernels_;
    PixelLayout from_, layout_;
    bool swapped_ = false;
    bool in_place_;
};

}  // namespace vedette::cpu
