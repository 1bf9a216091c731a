// Kernels of filter for bytes under a symmetric line of weights that add up to one: fixed point, so every instruction
// set gives the same values. Inputs and outputs do not overlap.
#pragma once

#include <cstdint>

namespace vedette::cpu {

// Weights are whole numbers of 2^-15, none below 0, together 2^15: sums of products of bytes stay below 2^23, sums of
// products of words below 2^30.
constexpr unsigned byte_weight_bits = 15;
// Words that lie between the two directions have so many bits behind the point: two of them still fit 16 bits.
constexpr unsigned byte_word_bits = 6;
// Beyond this the error of the weights nears half a gray level, and real arithmetic is as fast.
constexpr std::uint32_t byte_most_taps = 31;
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
