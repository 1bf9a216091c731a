// Kernels of filter for bytes under a symmetric line of weights that add up to one: fixed point, so every instruction
// set gives the same values. Inputs and outputs do not overlap.
#pragma once

#include <cstdint>

#include "filter/lines.h"

namespace vedette::cpu {

using imaging::byte_most_taps;
using imaging::byte_weight_bits;
using imaging::byte_word_bits;

// Rows of words are readable so many words beyond their end.
constexpr std::uint32_t byte_filter_padding = 32;

// weight[i] is that of the taps i and taps - 1 - i; the middle one comes last.
struct ByteWeights {
    const std::int16_t* weight;
    std::uint32_t taps;  // odd, at most byte_most_taps
};

struct ByteFilterKernels {
    // out[x] = sum of weight[i] rows[i][x], rounded half up to byte_word_bits. Nothing is written beyond `count`.
    void (*down)(const std::uint8_t* const* rows, const ByteWeights& weights, std::uint32_t count, std::int16_t* out);
    // out[x] = sum of weight[i] in[x + i step], rounded half up to whole numbers. Nothing is written beyond `count`.
    // `past_caches`: the output is not read again soon.
    void (*along)(const std::int16_t* in, const ByteWeights& weights, std::uint32_t step, std::uint32_t count,
                  std::uint8_t* out, bool past_caches);
};

}  // namespace vedette::cpu
