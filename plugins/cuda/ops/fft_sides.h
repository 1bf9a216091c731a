// What fft2 and restore share: counts of operations, and roots of unity on the device.
#pragma once

#include "backend.h"

namespace vedette::cuda_plugin {

// Elementary operations on each number of a line of `side` complex numbers that is transformed: six for each of the
// log2(side) / 2 butterflies it meets.
double fft_operations_of_number(std::uint32_t side) noexcept;

// exp(-2 pi i k / side) for all k into `roots`, 2 * side floats; done at return.
void upload_roots(const cuda::Block<float>& roots, std::uint32_t side);

}  // namespace vedette::cuda_plugin
