// Kernels of resize: one row at a time. Rows need no alignment beyond their elements'; nothing is read or written
// outside the elements named. Inputs and outputs do not overlap. Every value is computed by the same operations on
// every instruction set.
#pragma once

#include <cstdint>

#include "kernels/convert.h"
#include "resize/area_tap.h"

namespace vedette::cpu {

// Where the pixels of an output row lie between two of the input row. Offsets count elements of the row.
struct AcrossTaps {
    const std::uint32_t* left;
    const std::uint32_t* right;
    const float* fraction;  // of the way from left to right
    std::uint32_t width;
    std::uint32_t pixel_elements;  // of the input row
    bool paired;                   // right is left + pixel_elements everywhere
    std::uint32_t channels;        // the first ones of each pixel that are wanted
    std::uint32_t wide;            // so many outputs from the left on: eight elements from `left` on lie in the row
    const void* ahead;             // a row that is read next, to be fetched meanwhile; or NULL
    std::uint32_t pitch;  // 0: interleaved output; else each channel's row begins so many floats after the last
};

// Where eight elements of an output row of eight-bit values lie: element i between row[base[i / 4] + offset[i]] and the
// one `step` elements after it, `fraction` of the way. Sixteen elements from each base on lie in the row, and
// offset + step < 16.
struct AcrossGroup {
    std::uint32_t base[2];
    std::uint8_t offset[8];
    float fraction[8];
};

// Weighted sums of what output pixels cover.
using imaging::AreaTap;

// The same for an output row's interleaved elements in groups of eight, each with the same number of taps: element i of
// group g is the sum over k < taps of sums[first[8 g + i] + k * step] * weight[8 (g * taps + k) + i]. Weights may be 0,
// but all elements named can be read. Every result is below 2^31.
struct AreaGroups {
    const std::uint32_t* first;
    const std::uint32_t* weight;
    std::uint32_t count, taps, step;
};

struct ResizeKernels {
    // out = a + (b - a) * fraction for the two pixels of each tap, in single precision.
    void (*across8)(const std::uint8_t* row, const AcrossTaps& taps, float* out);
    void (*across16)(const std::uint16_t* row, const AcrossTaps& taps, float* out);
    void (*across_f32)(const float* row, const AcrossTaps& taps, float* out);

    // The same for whole groups of eight interleaved elements.
    void (*across_groups8)(const std::uint8_t* row, const AcrossGroup* groups, std::uint32_t count, std::uint32_t step,
                           float* out);

    // The same between two rows; rounded half up into integers, or times `scale` plus `offset`.
    void (*down8)(const float* above, const float* below, float fraction, std::uint32_t count, std::uint8_t* out);
    void (*down16)(const float* above, const float* below, float fraction, std::uint32_t count, std::uint16_t* out);
    void (*down_f32)(const float* above, const float* below, float fraction, std::uint32_t count, float scale,
                     float offset, float* out);

    // Means of two pixels by two, rounded half up: `width` of them, of 1, 3 or 4 interleaved channels.
    void (*halve8)(const std::uint8_t* above, const std::uint8_t* below, std::uint32_t width, std::uint32_t channels,
                   std::uint8_t* out);

    // sums[i] += row[i] * weight. Integers: exact, the weights of all rows are at most 65535 together.
    void (*cover8)(const std::uint8_t* row, std::uint32_t weight, std::uint32_t count, std::uint32_t* sums);
    void (*cover16)(const std::uint16_t* row, std::uint32_t weight, std::uint32_t count, std::uint32_t* sums);
    void (*cover_f32)(const float* row, std::uint32_t weight, std::uint32_t count, double* sums);
    // Weighted sums of the pixels that each tap covers, channels interleaved. Exact for integers.
    void (*area_u32)(const std::uint32_t* sums, const AreaTap* taps, std::uint32_t width, std::uint32_t channels,
                     std::uint32_t full_weight, double* out);
    void (*area_groups)(const std::uint32_t* sums, const AreaGroups& groups, double* out);
    void (*area_f64)(const double* sums, const AreaTap* taps, std::uint32_t width, std::uint32_t channels,
                     std::uint32_t full_weight, double* out);
    // sums / total: rounded half up exactly, total and sums being whole numbers; or times `scale` plus `offset`.
    void (*mean8)(const double* sums, double total, std::uint32_t count, std::uint8_t* out);
    void (*mean16)(const double* sums, double total, std::uint32_t count, std::uint16_t* out);
    void (*mean_f32)(const double* sums, double total, double scale, double offset, std::uint32_t count,
                     std::uint32_t step, float* out);  // every step-th sum
};

}  // namespace vedette::cpu
