#include <algorithm>

#include "ops/integral_sums.h"
#include "parallel.h"

namespace vedette::cpu {

namespace {

// Rows of a block stay in the caches between the loop along them and the loop down the columns.
constexpr std::uint64_t block_bytes = 1u << 20;
constexpr std::uint32_t fewest_block_rows = 16;
constexpr std::uint32_t fewest_columns = 256;  // of a piece of the second loop

}  // namespace

void integrate_reals(const Device& device, const vdt_image& in, const IntegralTarget* targets, std::uint32_t count,
                     vdt_token* token) {
    const IntegralKernels& kernels = integral_kernels_of(device.isa);
    const std::uint64_t output_row = sizeof(double) * count * (std::uint64_t{in.width} + 1);
    const std::uint32_t block = std::max(
        fewest_block_rows, static_cast<std::uint32_t>(block_bytes / output_row / device.workers * device.workers));
    const std::uint32_t columns = std::max(fewest_columns, (in.width + device.workers - 1) / device.workers);
    for (std::uint32_t index = 0; index < count; ++index) targets[index].clear_first_row();
    for (std::uint32_t first = 0; first < in.height; first += std::min(block, in.height - first)) {
        const std::uint32_t last = first + std::min(block, in.height - first);
        parallel_for(device, token, first, last, 0, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            for (std::uint32_t y = begin; y < end; ++y) {
                for (std::uint32_t index = 0; index < count; ++index) {
                    auto* const out = targets[index].row<double>(y + 1);
                    out[0] = 0;
                    kernels.prefix_f32(row_of<const float>(in, 0, y), in.width, targets[index].is_squared(), out + 1);
                }
            }
        });
        parallel_for(device, token, 0, in.width, columns, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            const std::uint64_t at = std::uint64_t{begin} + 1;
            for (std::uint32_t index = 0; index < count; ++index)
                for (std::uint32_t y = first; y < last; ++y)
                    kernels.add_f64(targets[index].row<double>(y) + at, end - begin,
                                    targets[index].row<double>(y + 1) + at);
        });
    }
}

}  // namespace vedette::cpu
