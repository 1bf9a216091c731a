#include "fft_sides.h"

#include <kernels/fft_roots.h>
#include <runtime/stream.h>

#include <bit>
#include <vector>

namespace vedette::cuda_plugin {

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
