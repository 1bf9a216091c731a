// The two nearest for descriptors of any floats and any length. A float distance rules most train descriptors out;
// those that it cannot are compared in double, so that the result is that of doubles.
//
// A block of 256 threads owns 64 queries and a chunk of the train set, 64 descriptors at a time: a thread sums 4 x 4
// distances, 32 values of the 128 being in shared memory. Then each warp looks at the distances of its eight queries,
// and takes those within reach of the second nearest so far again in double, all lanes on one descriptor. 10,000 x
// 10,000 x 128: 25.6 G operations of a subtraction and a multiply-add each, 0.9 ms on an H200 by its datasheet.
#include "kernels/feature_match.h"

#include "device/warp.cuh"
#include "kernels/feature_match_split.h"
#include "runtime/launch.h"

#include <limits>

namespace vedette::cuda {

namespace {

constexpr int warps = 8;
constexpr int tile = float_tile;
constexpr int depth = 32;  // values in shared memory at a time
constexpr int pitch = tile + 4;
constexpr int side = 4;  // of a thread's square
constexpr int queries_of_warp = tile / warps;

// Values [k, k + depth) of `tile` rows from `first` on, values along the first index; zeros where there is nothing.
__device__ void load_values(const View<const float>& from, int first, int k, float (*to)[pitch]) {
    const int row = first + static_cast<int>(threadIdx.x) / 4, begin = static_cast<int>(threadIdx.x) % 4 * 8;
#pragma unroll
    for (int part = 0; part < 8; part += 4) {
        float4 value{0, 0, 0, 0};
        const int x = k + begin + part;
        if (row < from.height && x < from.width) {
            value = *reinterpret_cast<const float4*>(from.row(row) + x);
            if (x + 1 >= from.width) value.y = 0;
            if (x + 2 >= from.width) value.z = 0;
            if (x + 3 >= from.width) value.w = 0;
        }
        float* const column = &to[begin + part][row - first];
        column[0] = value.x;
        column[pitch] = value.y;
        column[2 * pitch] = value.z;
        column[3 * pitch] = value.w;
    }
}

// In every lane.
__device__ double exact_distance(const float* a, const float* b, int length) {
    double sum = 0;
    for (int k = static_cast<int>(lane_index()); k < length; k += 32) {
        const double difference = static_cast<double>(a[k]) - static_cast<double>(b[k]);
        sum = fma(difference, difference, sum);
    }
    return warp_sum(sum);
}

__global__ void __launch_bounds__(32 * warps)
    nearest_floats_kernel(View<const float> queries, View<const float> train, int chunk, unsigned padded_queries,
                          double slack, NearestFloats* partials) {
    __shared__ __align__(16) float query_values[depth][pitch];
    __shared__ __align__(16) float train_values[depth][pitch];
    __shared__ float rough[tile][tile + 1];
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    const int left = thread % 16 * side, top = thread / 16 * side;  // of this thread's square
    const int first_query = static_cast<int>(blockIdx.x) * tile;
    const int begin = static_cast<int>(blockIdx.y) * chunk, end = min(begin + chunk, train.height);
    constexpr double never = std::numeric_limits<double>::infinity();
    double first[queries_of_warp], second[queries_of_warp];
    unsigned index[queries_of_warp];
#pragma unroll
    for (int q = 0; q < queries_of_warp; ++q) {
        first[q] = second[q] = never;
        index[q] = static_cast<unsigned>(begin);
    }
    for (int first_train = begin; first_train < end; first_train += tile) {
        float sum[side][side] = {};
        for (int k = 0; k < queries.width; k += depth) {
            load_values(queries, first_query, k, query_values);
            load_values(train, first_train, k, train_values);
            __syncthreads();
#pragma unroll 8
            for (int step = 0; step < depth; ++step) {
                const float4 down = *reinterpret_cast<const float4*>(&query_values[step][top]);
                const float4 across = *reinterpret_cast<const float4*>(&train_values[step][left]);
                const float a[side] = {down.x, down.y, down.z, down.w};
                const float b[side] = {across.x, across.y, across.z, across.w};
#pragma unroll
                for (int i = 0; i < side; ++i)
#pragma unroll
                    for (int j = 0; j < side; ++j) {
                        const float difference = a[i] - b[j];
                        sum[i][j] = __fmaf_rn(difference, difference, sum[i][j]);
                    }
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < side; ++i)
#pragma unroll
            for (int j = 0; j < side; ++j) rough[top + i][left + j] = sum[i][j];
        __syncthreads();
#pragma unroll
        for (int q = 0; q < queries_of_warp; ++q) {
            const int query = warp * queries_of_warp + q;
            if (first_query + query >= queries.height) continue;
            for (int part = 0; part < tile; part += 32) {
                const float estimate = rough[query][part + lane];
                // A sum that overflows float rules nothing out, nor does what rounding below the normal floats adds.
                const auto within_reach = [&](float value) {
                    return !(static_cast<double>(value) > second[q] * slack + 1e-40 &&
                             value <= std::numeric_limits<float>::max());
                };
                const bool look = first_train + part + lane < end && within_reach(estimate);
                for (unsigned left_over = __ballot_sync(all_lanes, look); left_over != 0; left_over &= left_over - 1) {
                    const int place = __ffs(static_cast<int>(left_over)) - 1;
                    // The second nearest may have come nearer since.
                    if (!within_reach(__shfl_sync(all_lanes, estimate, place))) continue;
                    const int candidate = first_train + part + place;
                    const double distance =
                        exact_distance(queries.row(first_query + query), train.row(candidate), queries.width);
                    if (distance < first[q]) {
                        second[q] = first[q];
                        first[q] = distance;
                        index[q] = static_cast<unsigned>(candidate);
                    } else if (distance < second[q]) {
                        second[q] = distance;
                    }
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < queries_of_warp; ++q)
        if (lane == 0)
            partials[std::size_t{blockIdx.y} * padded_queries +
                     static_cast<unsigned>(first_query + warp * queries_of_warp + q)] =
                NearestFloats{first[q], second[q], index[q], 0};
}

}  // namespace

void nearest_floats(const View<const float>& queries, const View<const float>& train, const MatchSplit& split,
                    const MatchMemory& memory, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(blocks_for(split.queries, float_tile), split.float_chunks);
    shape.block = dim3(32 * warps);
    // A float sum of n squares is within n + 2 roundings of 2^-24 of the exact one, here on either side.
    const double slack = 1 + 2 * (queries.width + 8) * 1.2e-7;
    launch(nearest_floats_kernel, shape, stream, queries, train, static_cast<int>(split.float_chunk),
           split.padded_queries, slack, reinterpret_cast<NearestFloats*>(memory.partials));
}

}  // namespace vedette::cuda
