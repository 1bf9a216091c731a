// Correlation of a pattern with every position as an eight-bit matrix product on the tensor cores: exact integer sums.
// Used in two ways. With a zero-sum pattern (Pattern::zero_sum) and one threshold for each position it names
// candidates, a superset of the positions that reach a score; with the pattern's pixels less 128 it gives the sums that
// exact scores and maps are made of.
#pragma once

#include "kernels/template_direct.h"
#include "kernels/template_pattern.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

namespace vedette::cuda {

// Bytes of a window, all channels, whose sums fit 32 bits: 255 * 128 * bytes < 2^31; also 255^2 * bytes < 2^32.
inline constexpr int gemm_most_bytes = 65536;
// Widest pattern: a strip of window sums (template_windows.h) has 512 columns.
inline constexpr int gemm_most_width = 256;

inline bool gemm_takes(int width, int height, int channels) {
    return width <= gemm_most_width && static_cast<std::int64_t>(width) * height * channels <= gemm_most_bytes;
}

// Coefficients as the kernel reads them. Column n of the matrix is the pattern moved by n pixels; words of it are read
// from copies of each pattern row that are moved by 0 to 3 bytes.
struct GemmOperand {
    const std::uint32_t* words = nullptr;  // device memory
    int rows = 0;                          // a multiple of eight, the last ones may be zeros
    int steps = 0;                         // of 32 bytes along a row
    bool half_step = false;                // and 16 more
    int stride = 0;                        // words of a copy
};

// The shape of the operand of a pattern; `words` stays NULL.
GemmOperand gemm_shape(int width, int height, int channels);
// `coefficients`: height rows of width * channels.
std::vector<std::uint32_t> gemm_words(const std::vector<std::int8_t>& coefficients, int width, int height,
                                      int channels);

// One value for each position: `stride` is a multiple of gemm_tile_columns, and the values beyond the last column
// exist.
inline constexpr int gemm_tile_columns = 256;
struct PositionPlane {
    std::int32_t* values = nullptr;
    int stride = 0;  // values
};
constexpr int position_stride(int columns) {
    return (columns + gemm_tile_columns - 1) / gemm_tile_columns * gemm_tile_columns;
}

// One value for each 2 x 2 positions, the first of them at even columns and rows; sizes as PositionPlane's.
struct QuadPlane {
    std::int32_t* values = nullptr;
    int stride = 0;  // values
};
constexpr int quad_stride(int columns) {
    return position_stride(columns) / 2;
}
constexpr int quad_rows(int rows) {
    return (rows + 1) / 2;
}

// Allows the kernels the shared memory that they need; when a plan is made.
void gemm_prepare(const DeviceLimits& limits);

// Queues: positions whose sum is at least their threshold (INT32_MAX beyond the last column) become candidates, counted
// in `progress`.
void gemm_candidates(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& thresholds,
                     const Candidates& candidates, Progress* progress, const DeviceLimits& limits, cudaStream_t stream);

// The same with a threshold for each quad. A position becomes a candidate when its sum is also at most about `ratio`
// times the threshold, 1 to quad_most_ratio; ZeroSumPattern says why.
inline constexpr float quad_most_ratio = 16;
// What that comes to for a threshold t: sums t ... t + above(t).
struct QuadRoom {
    unsigned step = 0;
    unsigned least = 0;
    // No sum is above 2^30, so that larger thresholds need no more room than 2^28, and 32 bits hold it.
    VEDETTE_CUDA_BOTH unsigned above(int threshold) const {
        const unsigned sixteenths = static_cast<unsigned>(threshold) >> 4;
        return (sixteenths < 1u << 24 ? sixteenths : 1u << 24) * step + least;
    }
};
QuadRoom quad_room(float ratio);
void gemm_candidates(const TemplateScene& scene, const GemmOperand& operand, const QuadPlane& thresholds, float ratio,
                     const Candidates& candidates, Progress* progress, const DeviceLimits& limits, cudaStream_t stream);

// Queues: the sum of every position.
void gemm_sums(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& sums,
               const DeviceLimits& limits, cudaStream_t stream);

}  // namespace vedette::cuda
