// Kernels of pyramid: one output row. Every value is computed by the same operations on every instruction set. Inputs
// and outputs do not overlap.
#pragma once

#include <cstdint>

namespace vedette::cpu {

// Scratch rows are readable so many bytes beyond their sums.
constexpr std::uint32_t pyramid_padding_bytes = 64;

// For elements of 8 bits, 16 bits and floats.
template <class T>
struct PyramidRow {
    // Rows of the input, from the top: two for area2, five for gauss5. Rows may be the same.
    const T* rows[5];
    std::uint32_t in_width;  // pixels
    std::uint32_t channels;  // 1, 3 or 4
    void* sums;              // scratch for in_width * channels sums of 32 bits, and the padding
    T* out;                  // (in_width + 1) / 2 pixels
};

struct PyramidKernels {
    // Mean of 2 x 2 pixels, integers rounded half up; a last odd column stands for both.
    void (*area2_8)(const PyramidRow<std::uint8_t>& row);
    void (*area2_16)(const PyramidRow<std::uint16_t>& row);
    void (*area2_f32)(const PyramidRow<float>& row);
    // 1 4 6 4 1 / 16 each way around every second pixel, integers rounded half up; beyond the edges the image is
    // reflected without repeating the edge.
    void (*gauss5_8)(const PyramidRow<std::uint8_t>& row);
    void (*gauss5_16)(const PyramidRow<std::uint16_t>& row);
    void (*gauss5_f32)(const PyramidRow<float>& row);
};

}  // namespace vedette::cpu
