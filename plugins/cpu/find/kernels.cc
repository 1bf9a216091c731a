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
#include "score_kernels.h"
#include "sum_kernels.h"

static std::int64_t dot_rows(Rows rows, std::int64_t x, const int* order, const std::int16_t* coefficient, int stride,
                             int w, int count) {
    vi sum = zero();
    for (int k = 0; k < count; ++k) {
        const std::uint8_t* row = rows[order[k]] + x;
        const std::int16_t* factor = coefficient + static_cast<std::ptrdiff_t>(k) * stride;
        for (int i = 0; i < w; i += lanes16) sum = dot(sum, load_u8_16(row + i), load(factor + i));
    }
    return sum32(sum);
}

static std::int64_t dot8_rows(Rows rows, std::int64_t x, const int* order, const std::int8_t* coefficient, int stride,
                              int w, int count) {
    Dot8 sum;
    for (int k = 0; k < count; ++k) {
        const std::uint8_t* row = rows[order[k]] + x;
        const std::int8_t* factor = coefficient + static_cast<std::ptrdiff_t>(k) * stride;
        for (int i = 0; i < w; i += 32) sum.add(row + i, factor + i);
    }
    return sum.total();
}

static void split_row(const std::uint8_t* in, std::uint8_t* const* out, int count) {
    int x = 0;
    for (; x + 16 <= count; x += 16) split_16(in + 3 * x, out, x);
    for (; x < count; ++x)
        for (int c = 0; c < 3; ++c) out[c][x] = in[3 * x + c];
}

const Kernels kernels = {group_size,   packed_rows,   column_step, block_step,        window_sum,     block_row,
                         test_row,     correlate_row, pack_rows,   packed_difference, correlate_rows, masked_row,
                         hits_row,     map_row,       dot_rows,    dot8_rows,         masked_sums,    fft_forward,
                         fft_multiply, fft_inverse,   split_row};

}  // namespace vedette::cpu::find::VEDETTE_FIND_ISA
