// The kernels of one instruction set; compiled once for each, with that set's flags.
#include "kernels.h"

// The compiler's own AVX-512 header starts from undefined registers on purpose; g++ 12 warns of them.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "simd.h"

namespace vedette::cpu::find::VEDETTE_FIND_ISA {

#include "bound_kernels.h"
#include "dense_kernels.h"
#include "fft_kernels.h"
#include "masked_kernels.h"
#include "product_kernels.h"
#include "score_kernels.h"
#include "sum_kernels.h"

static void split_row(const std::uint8_t* in, std::uint8_t* const* out, int count) {
    int x = 0;
    for (; x + 16 <= count; x += 16) split_16(in + 3 * x, out, x);
    for (; x < count; ++x)
        for (int c = 0; c < 3; ++c) out[c][x] = in[3 * x + c];
}

const Kernels kernels = {group_size,   packed_rows,   column_step, block_step,        window_sum,     block_row,
                         test_row,     correlate_row, pack_rows,   packed_difference, correlate_rows, masked_row,
                         hits_row,     map_row,       dots,        small_dots,        masked_sums,    fft_forward,
                         fft_multiply, fft_inverse,   split_row};

}  // namespace vedette::cpu::find::VEDETTE_FIND_ISA
