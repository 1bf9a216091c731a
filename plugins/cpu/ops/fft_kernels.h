// The transforms' kernels, for the operations that use them.
#pragma once

#include "kernels/fft.h"
#include "op.h"

namespace vedette::cpu {

const FftKernels& fft_kernels_of(Isa isa) noexcept;

}  // namespace vedette::cpu
