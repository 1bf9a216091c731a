#include "kernels/fft_roots.h"

#include <cmath>
#include <numbers>

namespace vedette::cuda {

void make_roots(std::uint32_t side, float* roots) {
    for (std::uint32_t k = 0; k < side; ++k) {
        const double angle = -2 * std::numbers::pi * k / side;
        roots[2 * k] = static_cast<float>(std::cos(angle));
        roots[2 * k + 1] = static_cast<float>(std::sin(angle));
    }
}

}  // namespace vedette::cuda
