// Patterns of template_find and template_map: read on the host, kept in device memory from call to call while their
// pixels stay.
#pragma once

#include "operands.h"

#include <vector>

namespace vedette::opencl {

// What a pattern's kernels are chosen by; known before its pixels.
struct TemplateShape {
    std::uint32_t width = 0;  // pixels
    std::uint32_t height = 0;
    std::uint32_t channels = 1;  // 1, or 3 interleaved
    bool masked = false;         // a mask is given, whatever it takes
};

TemplateShape template_shape(const vdt_image& pattern, const vdt_image& mask) noexcept;

// PatternSums of kernels/template_score.cl.
struct PatternSums {
    std::uint64_t area = 0;  // pixels taken
    std::uint64_t square = 0;
    std::uint64_t sum[3] = {};
    std::uint64_t variance = 0;  // bits of a double
    std::uint64_t masked = 0;
};
static_assert(sizeof(PatternSums) == 56);

class TemplatePattern {
public:
    // Floats of a row in device memory.
    static std::uint32_t stride(std::uint32_t width) noexcept { return (width + 7) / 8 * 8; }
    static std::uint64_t device_floats(const TemplateShape& shape) noexcept;

    // Reads inputs `index` and `index + 1`, a pattern and its mask (may be of format NONE), of the call that runs on
    // `operands`. Does nothing more when the pixels are those of the last call; else waits until they are on the
    // device.
    void prepare(Operands& operands, const vdt_call& call, std::uint32_t index);

    const TemplateShape& shape() const noexcept { return shape_; }
    const PatternSums& sums() const noexcept { return sums_; }
    // Rows of each channel, 0 where nothing is taken.
    const Buffer<float>& pixels() const noexcept { return device_pixels_; }
    // Rows of 1 where a pixel is taken, else 0; without a mask one row.
    const Buffer<float>& mask() const noexcept { return device_mask_; }

private:
    void sum_up();
    void upload(const Device& device, cl::Queue queue);

    TemplateShape shape_;
    PatternSums sums_;
    std::vector<std::uint8_t> pixels_, mask_;          // rows without padding; mask_ is empty without a mask
    std::vector<std::uint8_t> new_pixels_, new_mask_;  // of the call that runs
    Buffer<float> device_pixels_, device_mask_;
    bool ready_ = false;
};

}  // namespace vedette::opencl
