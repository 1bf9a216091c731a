// Kernels of two-dimensional transforms of squares: a strip of columns or a group of rows at a time. Layouts:
// kernels/fft_real.h. Spectra and tiles are aligned to 64 bytes; images need the alignment of float only. `roots`:
// fft/radices.h. A tile is scratch of tile_floats.
//
// Strips and groups of one image may run side by side, strips in one loop, groups in the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/radices.h"

namespace vedette::cpu {

// Pixels of one image: rows `stride` bytes apart.
struct FftRows {
    float* first;
    std::ptrdiff_t stride;
};

// For one side n. All counts in floats.
struct FftSideKernels {
    std::uint32_t side;
    std::uint32_t tile_floats;
    std::uint32_t real_strips, real_groups;        // of a real square
    std::uint32_t complex_strips, complex_groups;  // of a complex square
    std::uint32_t group_floats;

    // Real: columns x = strip * lanes .. and n / 2 further right, as rows of two pointers. Forward gives the doubled
    // spectrum, inverse takes one that is not doubled and leaves out the factor 1 / n^2.
    void (*real_columns_forward)(const float* roots, const float* left, const float* right, std::ptrdiff_t stride,
                                 float* tile, float* spectrum, std::uint32_t strip);
    void (*real_columns_inverse)(const float* roots, const float* spectrum, std::uint32_t strip, float* tile,
                                 float* left, float* right, std::ptrdiff_t stride);
    // A group in place. The frequencies of a transformed group lie in the order of the passes.
    void (*rows_forward)(const float* roots, float* group);
    void (*rows_inverse)(const float* roots, float* group);

    // A transformed group to (n / 2 + 1) x n complex numbers in natural order, halved; and back, with the factor
    // `scale`. Where columns 0 and n / 2 of the input do not have the symmetry of a real square's transform, the part
    // of them that has it counts.
    void (*write_half)(const float* spectrum, std::uint32_t group, FftRows out);
    void (*read_half)(FftRows in, float scale, float* spectrum, std::uint32_t group);

    // Complex, forward: of the numbers with real and imaginary parts exchanged when `exchange` (done at both ends, that
    // is the inverse transform). Columns go to spectrum in natural order of rows, groups are written in natural order,
    // times `scale`.
    void (*complex_columns)(const float* roots, FftRows in, bool exchange, std::uint32_t strip, float* tile,
                            float* spectrum);
    void (*complex_rows)(const float* roots, float* spectrum, std::uint32_t group, bool exchange, float scale,
                         FftRows out);
};

struct FftKernels {
    std::uint32_t lanes;
    FftSideKernels sides[fft_side_count];
};

}  // namespace vedette::cpu
