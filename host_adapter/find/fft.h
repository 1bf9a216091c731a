// Fast Fourier transform of several sequences at once.
#pragma once

#include "kernels/kernels.h"

#include <cstddef>
#include <vector>

namespace vedette::host {

// Forward complex transform of length `n`, a power of two, of kFftLanes sequences side by side. Stockham's radix-4
// steps: no reordering, and the lanes are contiguous. Constant after construction; any thread with scratch of its own.
class Fft {
public:
    explicit Fft(std::size_t n);
    std::size_t length() const noexcept { return n_; }

    // In: element i of lane j at re[i * kFftLanes + j], im alike. Out: the same, frequency i, in the arrays that the
    // result points to: either (re, im) or (re_scratch, im_scratch). All four hold n * kFftLanes floats.
    struct Parts {
        float* re;
        float* im;
    };
    Parts run(float* re, float* im, float* re_scratch, float* im_scratch) const noexcept;

private:
    std::size_t n_;
    std::vector<float> cosine_, sine_;  // exp(-2 pi i k / n)
};

}  // namespace vedette::host
