// Exact correlation sums by Fourier transform.
//
// All inputs are integers: pixels and patterns within +-2^7, squares within 2^14 (three channels: 2^15.6) against masks
// of 0 and 1. A transform of n x n values in double has a relative error in the 2-norm below 7 eps log2(n^2), eps =
// 2^-53, with correctly rounded roots of unity [Higham, Accuracy and Stability of Numerical Algorithms, 24.1], so a
// correlation (three transforms) errs by less than 22 log2(n^2) eps ||I|| ||T||. With n <= 4096: ||I|| <= 2^7 n, ||T||
// <= 2^7 n, together 2^38 (squares against masks: 2^15.6 n * n < 2^40), times 528 eps < 2^-3: rounding to the nearest
// integer is exact.
#pragma once

#include <vector>

#include "kernels.h"
#include "pattern.h"
#include "scene.h"

namespace vedette::cpu::find {

// Transform of a pattern (and its mask) for tiles of n x n.
class PatternSpectrum {
public:
    PatternSpectrum(const Kernels& kernels, const Pattern& pattern, int n);
    int n() const { return n_; }

private:
    friend class FftCorrelator;
    struct Storage {
        std::vector<double> re, im;
    };
    int n_;
    std::vector<double> roots_;
    std::vector<Storage> spectra_;  // channels, then the mask
};

// Tile side and cost of correlating columns x rows positions, nanoseconds in all on one core; n = 0: no tile is large
// enough.
struct FftChoice {
    int n = 0;
    double cost = 0;
};
FftChoice choose_fft(const Pattern& pattern, int columns, int rows);

// Positions of one transform: 2 tiles side by side, each (n - w + 1) x (n - h + 1).
struct FftBlock {
    int columns, rows;
};
FftBlock fft_block(const Pattern& pattern, int n);

// Scratch and results of one worker.
class FftCorrelator {
public:
    // Correlates the positions [x, x + columns) x [y, y + rows), at most one block.
    void run(const Kernels& kernels, const Scene& scene, const Pattern& pattern, const PatternSpectrum& spectrum, int x,
             int y, int columns, int rows);

    // Exact sums of row `y` of the block, by column: of I'T', and of masked patterns of I' per channel and of I'^2.
    const double* product(int y) const { return row(0, y); }
    const double* sum(int channel, int y) const { return row(1 + channel, y); }
    const double* square(int y) const { return row(1 + max_channels, y); }

private:
    const double* row(int plane, int y) const { return planes_[plane].data() + static_cast<std::size_t>(y) * stride_; }
    std::vector<double> tile_[2], panel_, planes_[2 + max_channels];
    std::size_t stride_ = 0;
};

}  // namespace vedette::cpu::find
