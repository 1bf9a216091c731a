// How a pattern lies in memory for the matrix kernel: what the kernel and the host that packs it must agree on.
#pragma once

#include "kernels/template_gemm.h"

namespace vedette::cuda {

// Columns of B, the pattern moved by 0 to 15 pixels.
inline constexpr int gemm_shifts = 16;
// Rows of positions of a warp, and of the pattern that pass at a time.
inline constexpr int gemm_rows = 8;

// Words before the first of a copy, for the largest shift.
constexpr int gemm_words_before(int channels) {
    return (gemm_shifts - 1) * channels / 4;
}

// Words of a copy of B that cover `halves` times 16 bytes. Copies lie eight banks apart, so that the lanes of a warp
// meet no other lane's bank.
constexpr int gemm_stride(int halves, int channels) {
    return (4 * halves + gemm_words_before(channels) + 7) / 16 * 16 + 8;
}

}  // namespace vedette::cuda
