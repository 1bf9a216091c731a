// Kernels of restore: what happens between the transforms of kernels/fft.h, joined with their neighbouring passes.
// Layouts: kernels/fft_real.h.
//
// Spectra are those of kernels/fft.h, groups transformed along their rows. A lens is what a spectrum is multiplied by:
// laid out as a spectrum, with all factors of the transforms in it (the doubling of spectra and 1 / n^2), and rows 0
// and n / 2, which share lane 0 of group 0, as half their sum there and half their difference beside it: with P(u) =
// R0(u) + i Rn/2(u) and real multipliers' transforms A0, An/2 the shared row becomes
//     Q(u) = P(u) (A0(u) + An/2(u)) / 2 + conj P(-u) (A0(u) - An/2(u)) / 2.
//
// Images are kept as strips: strip s holds row after row its `lanes` pixels of the left half, then of the right half.
#pragma once

#include <cstdint>

#include "fft/radices.h"

namespace vedette::cpu {

// What a step between an inverse and a forward transform reads and writes; strips of the strip that is worked on.
struct RestoreStrip {
    float* estimate;     // replaced by the next one
    const float* given;  // the blurred image, or the numerator
    float epsilon;       // least divisor
};

// Pieces of a lens.
struct Lens {
    const float* spectrum;
    const float* difference;  // n slots, lane 0 only: of the shared row
};

struct RestoreSideKernels {
    // Spectrum to strip, step, and back to the spectrum; with `last` nothing comes back. Steps, with d the inverse
    // transform: estimate *= given / d; given / d (the estimate stays); estimate *= d.
    void (*ratio_step)(const float* roots, float* spectrum, std::uint32_t strip, float* tile, RestoreStrip images,
                       bool last);
    void (*quotient_step)(const float* roots, float* spectrum, std::uint32_t strip, float* tile, RestoreStrip images,
                          bool last);
    void (*product_step)(const float* roots, float* spectrum, std::uint32_t strip, float* tile, RestoreStrip images,
                         bool last);

    // Group of a spectrum as the columns left it: transformed along its rows, multiplied, transformed back.
    void (*through)(const float* roots, float* spectrum, std::uint32_t group, Lens lens);
    void (*through_conjugate)(const float* roots, float* spectrum, std::uint32_t group, Lens lens);
    void (*through_real)(const float* roots, float* spectrum, std::uint32_t group, Lens lens);  // imaginary parts of
                                                                                                // the lens are 0

    // From a group of a point-spread function's spectrum, transformed along its rows (doubled, as it comes): the lens,
    // and that of the squared magnitudes.
    void (*make_lens)(const float* spectrum, std::uint32_t group, float* lens, float* difference);
    void (*make_power_lens)(const float* spectrum, std::uint32_t group, float* lens, float* difference);

    // Blind: with groups F, H and G transformed along their rows, the four products conj(H) G, |H|^2 F, conj(F) G and
    // |F|^2 H with their factors. The second may be F and the fourth H themselves.
    void (*products)(const float* f, const float* h, const float* g, std::uint32_t group, float* h_g, float* hh_f,
                     float* f_g, float* ff_h);
};

struct RestoreKernels {
    RestoreSideKernels sides[fft_side_count];
};

}  // namespace vedette::cpu
