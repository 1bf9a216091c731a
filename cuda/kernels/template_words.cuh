// Sums over words of four pixels' bytes.
#pragma once

#include <cuda_runtime.h>

namespace vedette::cuda {

// Ones in the bytes of word `word` of a row that belong to channel `channel`.
template <int channels>
__device__ __forceinline__ constexpr unsigned bytes_of_channel(int word, int channel) {
    unsigned ones = 0;
    for (int b = 0; b < 4; ++b)
        if ((4 * word + b) % channels == channel) ones |= 1u << (8 * b);
    return ones;
}

template <int channels>
__device__ __forceinline__ void add_word(unsigned window, unsigned pixels, int word, unsigned& product,
                                         unsigned& square, unsigned (&sum)[channels]) {
    product = __dp4a(window, pixels, product);
    square = __dp4a(window, window, square);
#pragma unroll
    for (int c = 0; c < channels; ++c) sum[c] = __dp4a(window, bytes_of_channel<channels>(word, c), sum[c]);
}

}  // namespace vedette::cuda
