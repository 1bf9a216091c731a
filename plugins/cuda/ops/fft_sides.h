// What fft2 and restore share: the sides they know, and roots of unity on the device.
#pragma once

#include "backend.h"

namespace vedette::cuda_plugin {

// Throws Failure VDT_E_SIZE unless `side` is 32, 64, 128, 256 or 512.
void check_fft_side(const char* operation, std::uint32_t side);

// Elementary operations on each number of a line of `side` complex numbers that is transformed: six for each of the
// log2(side) / 2 butterflies it meets.
double fft_operations_of_number(std::uint32_t side) noexcept;

// exp(-2 pi i k / side) for all k into `roots`, 2 * side floats; done at return.
void upload_roots(const cuda::Block<float>& roots, std::uint32_t side);

}  // namespace vedette::cuda_plugin
