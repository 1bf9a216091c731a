// Roots of unity for transforms of fft2 and restore.
#pragma once

#include <cstdint>

namespace vedette::cuda {

// exp(-2 pi i k / side) for k = 0 ... side - 1, real and imaginary parts in turn, each rounded once.
void make_roots(std::uint32_t side, float* roots);

}  // namespace vedette::cuda
