// Weights along one dimension, as kernels take them. Without functions, so that sources compiled for several
// instruction sets may include it.
#pragma once

#include <cstdint>

namespace vedette::imaging {

// `symmetric`: weight[i] == weight[taps - 1 - i].
struct LineWeights {
    const float* weight;
    std::uint32_t taps;
    bool symmetric;
};

// Bytes under a line of weights that add up to one, in fixed point: down the columns first, then along the rows.
// Weights are whole numbers of 2^-15, none below 0, together 2^15: sums of products of bytes stay below 2^23, sums of
// products of words below 2^30.
constexpr unsigned byte_weight_bits = 15;
// Words that lie between the two directions have so many bits behind the point: two of them still fit 16 bits.
constexpr unsigned byte_word_bits = 6;
// Beyond this the error of the weights nears half a gray level, and real arithmetic is as fast.
constexpr std::uint32_t byte_most_taps = 31;

}  // namespace vedette::imaging
