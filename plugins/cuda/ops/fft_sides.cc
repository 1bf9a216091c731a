#include "fft_sides.h"

#include <kernels/fft_roots.h>
#include <runtime/stream.h>

#include <bit>
#include <string>
#include <vector>

namespace vedette::cuda_plugin {

void check_fft_side(const char* operation, std::uint32_t side) {
    if (std::has_single_bit(side) && side >= 32 && side <= 512) return;
    throw Failure(VDT_E_SIZE, std::string(operation) + ": the side is " + std::to_string(side) +
                                  "; it must be 32, 64, 128, 256 or 512");
}

double fft_operations_of_number(std::uint32_t side) noexcept {
    return 3.0 * (std::bit_width(side) - 1);
}

void upload_roots(const cuda::Block<float>& roots, std::uint32_t side) {
    std::vector<float> values(std::size_t{2} * side);
    cuda::make_roots(side, values.data());
    const cuda::Stream stream = cuda::make_stream();
    cuda::check(cudaMemcpyAsync(roots.data(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice,
                                stream.get()),
                "copying roots of unity");
    cuda::synchronize(stream.get());
}

}  // namespace vedette::cuda_plugin
