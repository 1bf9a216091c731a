// select_kernel, count_kernel: a thread owns a position, or one in every tile of its block. Every score is read once
// from memory and, for local maxima, eight times from caches: the floor is 8 bytes a position over bandwidth. Where
// only the best are wanted, scores are counted by class before, so that a low threshold makes no list of half the
// screen.
#include "kernels/template_offer.cuh"
#include "runtime/launch.h"

#include <algorithm>

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

__device__ __forceinline__ int class_of(double score) {
    return min(score_classes - 1, static_cast<int>((score + 1) * (score_classes / 2)));
}

struct Scores {
    const double* values;
    int columns;
    int rows;
    bool local_maxima;

    // The score at (x, y), or no_score where it is not to be a hit.
    __device__ __forceinline__ double at(int x, int y, double threshold) const {
        if (x >= columns || y >= rows) return no_score;
        const double score =
            values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)];
        if (!(score >= threshold)) return no_score;
        return local_maxima && !is_local_maximum(values, columns, rows, x, y) ? no_score : score;
    }
};

// Counts scores by class, in shared memory first: most fall into a few classes.
__global__ void __launch_bounds__(tile_columns* tile_rows)
    count_kernel(Scores scores, double threshold, int tiles_across, int tiles, std::uint32_t* counts) {
    __shared__ unsigned own[score_classes];
    const int thread = static_cast<int>(threadIdx.y * tile_columns + threadIdx.x);
    for (int i = thread; i < score_classes; i += tile_columns * tile_rows) own[i] = 0;
    __syncthreads();
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
        const int x = tile % tiles_across * tile_columns + static_cast<int>(threadIdx.x);
        const int y = tile / tiles_across * tile_rows + static_cast<int>(threadIdx.y);
        const double score = scores.at(x, y, threshold);
        if (score != no_score) atomicAdd(&own[class_of(score)], 1u);
    }
    __syncthreads();
    for (int i = thread; i < score_classes; i += tile_columns * tile_rows)
        if (own[i] != 0) atomicAdd(&counts[i], own[i]);
}

constexpr int cut_threads = 512;

// Finds the highest class that, with those above it, holds as many as are wanted. One block; thread 0 has the highest
// classes.
__global__ void __launch_bounds__(cut_threads)
    cut_kernel(const std::uint32_t* counts, std::uint32_t wanted, Progress* progress) {
    constexpr int classes = score_classes / cut_threads;  // of a thread
    __shared__ unsigned totals[cut_threads / 32];
    const int thread = static_cast<int>(threadIdx.x);
    const int highest = score_classes - 1 - thread * classes;
    unsigned own = 0;
    for (int i = 0; i < classes; ++i) own += counts[highest - i];
    const unsigned through = warp_scan(own);
    if (lane_index() == 31) totals[thread / 32] = through;
    __syncthreads();
    unsigned above = through - own;
    for (int warp = 0; warp < thread / 32; ++warp) above += totals[warp];
    if (above < wanted && above + own >= wanted) {
        int i = 0;
        for (unsigned sum = above + counts[highest]; sum < wanted; sum += counts[highest - i]) ++i;
        progress->cut = static_cast<std::uint32_t>(highest - i);
    }
    if (thread == cut_threads - 1) progress->found = above + own;
}

__global__ void __launch_bounds__(tile_columns* tile_rows) select_kernel(Scores scores, bool cut, HitTest test) {
    const int x = static_cast<int>(blockIdx.x * tile_columns + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * tile_rows + threadIdx.y);
    // A little below the class, so that rounding loses nothing; what is in a lower class is left out below.
    const int lowest = cut ? static_cast<int>(test.progress->cut) : 0;
    const double least = max(test.threshold, lowest * (2.0 / score_classes) - 1 - 1e-9);
    const double score = scores.at(x, y, least);
    offer(test, score != no_score && class_of(score) >= lowest, x, y, score);
}

}  // namespace

void select_hits(const double* scores, int columns, int rows, const Selection& selection, const HitTest& test,
                 const DeviceLimits& limits, cudaStream_t stream) {
    const Scores all{scores, columns, rows, selection.local_maxima};
    LaunchShape shape;
    shape.block = dim3(tile_columns, tile_rows);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(columns), tile_columns),
                      blocks_for(static_cast<std::size_t>(rows), tile_rows));
    const bool cut = selection.wanted > 0 && !test.best_only;
    if (cut) {
        check(cudaMemsetAsync(selection.counts, 0, score_classes * sizeof(std::uint32_t), stream), "clearing counters");
        const unsigned tiles = shape.grid.x * shape.grid.y;
        LaunchShape counting;
        counting.block = shape.block;
        counting.grid = dim3(std::min(tiles, static_cast<unsigned>(8 * limits.multiprocessors)));
        launch(count_kernel, counting, stream, all, test.threshold, static_cast<int>(shape.grid.x),
               static_cast<int>(tiles), selection.counts);
        LaunchShape one;
        one.block = dim3(cut_threads);
        one.grid = dim3(1);
        launch(cut_kernel, one, stream, selection.counts, selection.wanted, test.progress);
    }
    launch(select_kernel, shape, stream, all, cut, test);
}

}  // namespace vedette::cuda
