#include "fft.h"

#include <cmath>
#include <numbers>

namespace vedette::host {

Fft::Fft(std::size_t n) : n_(n), cosine_(n), sine_(n) {
    for (std::size_t k = 0; k < n; ++k) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        cosine_[k] = static_cast<float>(std::cos(angle));
        sine_[k] = static_cast<float>(std::sin(angle));
    }
}

Fft::Parts Fft::run(float* re, float* im, float* re_scratch, float* im_scratch) const noexcept {
    const bool in_scratch = find_kernels().fft(n_, cosine_.data(), sine_.data(), re, im, re_scratch, im_scratch);
    return in_scratch ? Parts{re_scratch, im_scratch} : Parts{re, im};
}

}  // namespace vedette::host
