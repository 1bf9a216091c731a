#include "kernels/template_gemm_operand.h"

#include <cmath>

namespace vedette::cuda {

GemmOperand gemm_shape(int width, int height, int channels) {
    GemmOperand operand;
    operand.rows = (height + gemm_rows - 1) / gemm_rows * gemm_rows;
    const int halves = ((width + gemm_shifts - 1) * channels + 15) / 16;
    operand.steps = halves / 2;
    operand.half_step = halves % 2 != 0;
    operand.stride = gemm_stride(halves, channels);
    return operand;
}

std::vector<std::uint32_t> gemm_words(const std::vector<std::int8_t>& coefficients, int width, int height,
                                      int channels) {
    const GemmOperand operand = gemm_shape(width, height, channels);
    const auto stride = static_cast<std::size_t>(operand.stride);
    const int row_bytes = width * channels;
    std::vector<std::uint32_t> words(4 * stride * static_cast<std::size_t>(operand.rows), 0);
    for (int y = 0; y < height; ++y)
        for (int copy = 0; copy < 4; ++copy)
            for (int i = 0; i < row_bytes; ++i) {
                const int byte = 4 * gemm_words_before(channels) + i + copy;
                const auto value = static_cast<std::uint8_t>(
                    coefficients[static_cast<std::size_t>(y) * static_cast<std::size_t>(row_bytes) +
                                 static_cast<std::size_t>(i)]);
                words[(4 * static_cast<std::size_t>(y) + static_cast<std::size_t>(copy)) * stride +
                      static_cast<std::size_t>(byte / 4)] |= std::uint32_t{value} << (8 * (byte % 4));
            }
    return words;
}

QuadRoom quad_room(float ratio) {
    // A threshold t is a product rounded down, so sums reach to ratio (t + 1): t + (ratio - 1) t + ratio at most.
    const auto step = static_cast<unsigned>(std::ceil(16 * (ratio - 1) * (1 + 1e-5f)));
    return {step, step + static_cast<unsigned>(std::ceil(ratio)) + 1};
}

}  // namespace vedette::cuda
