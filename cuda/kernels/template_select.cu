// A thread owns a position. Every score is read once from memory and, for local maxima, eight times from caches: the
// floor is 8 bytes a position over bandwidth.
#include "kernels/template_offer.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int tile_columns = 32;
constexpr int tile_rows = 8;

// Whether no neighbour is better, or equal and earlier.
__device__ __forceinline__ bool is_local_maximum(const double* scores, int columns, int rows, int x, int y) {
    const auto at = [&](int u, int v) {
        return scores[static_cast<std::size_t>(v) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(u)];
    };
    const double own = at(x, y);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int u = x + dx;
            const int v = y + dy;
            if ((dx == 0 && dy == 0) || u < 0 || v < 0 || u >= columns || v >= rows) continue;
            const double other = at(u, v);
            const bool earlier = dy < 0 || (dy == 0 && dx < 0);
            if (other > own || (earlier && other == own)) return false;
        }
    return true;
}

__global__ void __launch_bounds__(tile_columns* tile_rows)
    select_kernel(const double* scores, int columns, int rows, bool local_maxima, HitTest test) {
    const int x = static_cast<int>(blockIdx.x * tile_columns + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * tile_rows + threadIdx.y);
    const bool inside = x < columns && y < rows;
    const double score =
        inside ? scores[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)]
               : no_score;
    bool take = score >= test.threshold;
    if (take && local_maxima) take = is_local_maximum(scores, columns, rows, x, y);
    offer(test, take, x, y, score);
}

}  // namespace

void select_hits(const double* scores, int columns, int rows, bool local_maxima, const HitTest& test,
                 cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(tile_columns, tile_rows);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(columns), tile_columns),
                      blocks_for(static_cast<std::size_t>(rows), tile_rows));
    launch(select_kernel, shape, stream, scores, columns, rows, local_maxima, test);
}

}  // namespace vedette::cuda
