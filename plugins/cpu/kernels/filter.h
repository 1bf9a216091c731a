// Kernels of filter: stretches of rows as single floats. Every value is computed by the same operations in the same
// order on every instruction set. Inputs and outputs do not overlap.
#pragma once

#include <cstdint>

#include "filter/lines.h"

namespace vedette::cpu {

// Scratch rows are readable and writable so many floats beyond their end.
constexpr std::uint32_t filter_padding = 64;

using imaging::LineWeights;

struct FilterKernels {
    // Every step-th element as a float.
    void (*read8)(const std::uint8_t* in, std::uint32_t step, std::uint32_t count, float* out);
    void (*read16)(const std::uint16_t* in, std::uint32_t step, std::uint32_t count, float* out);
    void (*read_f32)(const float* in, std::uint32_t step, std::uint32_t count, float* out);
    // To every step-th element; integers rounded half to even and saturated, what is not a number becomes 0.
    void (*write8)(const float* in, std::uint32_t count, std::uint32_t step, std::uint8_t* out);
    void (*write16)(const float* in, std::uint32_t count, std::uint32_t step, std::uint16_t* out);
    void (*write_f32)(const float* in, std::uint32_t count, std::uint32_t step, float* out);

    // out[x] = sum of weight[i] in[x + i step]. Both are scratch rows.
    void (*along)(const float* in, const LineWeights& weights, std::uint32_t step, std::uint32_t count, float* out);
    // outs[r][x] = sum of weight[i] rows[r + i][x], plus delta, for `out_rows` rows at once: what they share is read
    // from the first-level cache. The rows are scratch rows; nothing is written beyond `count`. `past_caches`: outputs
    // are not read again soon.
    void (*down)(const float* const* rows, const LineWeights& weights, float delta, std::uint32_t count,
                 float* const* outs, std::uint32_t out_rows, bool past_caches);
    // out[x] = sum of weights[j * taps + i] rows[j][x + i step], plus delta, summed along each row first. The rows are
    // scratch rows; nothing is written beyond `count`.
    void (*general)(const float* const* rows, const float* weights, std::uint32_t taps, std::uint32_t row_count,
                    std::uint32_t step, float delta, std::uint32_t count, float* out);
};

}  // namespace vedette::cpu
