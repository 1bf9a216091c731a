// Keypoints in order of strength, by a bitonic sort [Batcher 1968] of records that hold what mostly decides.
//
// A block of 512 threads sorts 1024 records in shared memory; longer distances are compared through the last cache, two
// records a thread. 131,072 records: 2 MB, 28 steps in memory of about 2 us and eight in shared memory (estimate).
#include "kernels/sift.h"

#include "runtime/launch.h"

#include <algorithm>

namespace vedette::cuda {

namespace {

constexpr unsigned piece = 1024;
constexpr unsigned none = 0xffffffff;

// Response, turned round, then y, x, and which keypoint: floats that are not negative have the order of their bits.
__device__ __forceinline__ uint4 record_of(const SiftKeypoint& key, unsigned index) {
    return {~__float_as_uint(key.response), __float_as_uint(key.y), __float_as_uint(key.x), index};
}

__device__ __forceinline__ bool before(const uint4& a, const uint4& b, const SiftKeypoint* keypoints) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    if (a.w == none || b.w == none || a.w == b.w) return a.w < b.w;
    const SiftKeypoint &first = keypoints[a.w], &second = keypoints[b.w];
    if (first.size != second.size) return first.size > second.size;
    if (first.angle != second.angle) return first.angle < second.angle;
    return first.octave < second.octave;
}

__device__ __forceinline__ void exchange(uint4& low, uint4& high, bool ascending, const SiftKeypoint* keypoints) {
    if (before(high, low, keypoints) != ascending) return;
    const uint4 held = low;
    low = high;
    high = held;
}

// Record `i` of the pairs that lie `distance` apart.
__device__ __forceinline__ unsigned lower_of(unsigned i, unsigned distance) {
    return 2 * i - (i & (distance - 1));
}

// Runs of `from` records become runs of `to`, as far as distances lie inside a piece. With `make` the records are made
// from the keypoints first.
__global__ void __launch_bounds__(piece / 2)
    sort_piece_kernel(SiftLists lists, unsigned found, unsigned from, unsigned to, bool make) {
    __shared__ uint4 records[piece];
    const unsigned base = blockIdx.x * piece;
    for (unsigned i = threadIdx.x; i < piece; i += piece / 2) {
        const unsigned index = base + i;
        if (!make)
            records[i] = lists.order[index];
        else
            records[i] = index < found ? record_of(lists.keypoints[index], index) : uint4{none, none, none, none};
    }
    for (unsigned run = 2 * from; run <= to; run *= 2)
        for (unsigned distance = min(run, piece) / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const unsigned low = lower_of(threadIdx.x, distance);
            exchange(records[low], records[low + distance], ((base + low) & run) == 0, lists.keypoints);
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < piece; i += piece / 2) lists.order[base + i] = records[i];
}

__global__ void sort_far_kernel(SiftLists lists, unsigned run, unsigned distance) {
    const unsigned low = lower_of(blockIdx.x * blockDim.x + threadIdx.x, distance);
    exchange(lists.order[low], lists.order[low + distance], (low & run) == 0, lists.keypoints);
}

__global__ void rank_kernel(SiftLists lists, unsigned found, unsigned wanted) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= found) return;
    const unsigned index = lists.order[i].w;
    lists.rank[index] = i;
    if (i < wanted) lists.ordered[i] = lists.keypoints[index];
}

}  // namespace

void order_sift_keypoints(const SiftLists& lists, std::uint32_t found, std::uint32_t wanted, cudaStream_t stream) {
    std::uint32_t records = piece;
    while (records < found) records *= 2;
    LaunchShape pieces;
    pieces.grid = dim3(records / piece);
    pieces.block = dim3(piece / 2);
    launch(sort_piece_kernel, pieces, stream, lists, found, 1u, std::uint32_t{piece}, true);
    LaunchShape pairs;
    pairs.block = dim3(256);
    pairs.grid = dim3(records / 2 / 256);
    for (std::uint32_t run = 2 * piece; run <= records; run *= 2) {
        for (std::uint32_t distance = run / 2; distance >= piece; distance /= 2)
            launch(sort_far_kernel, pairs, stream, lists, run, distance);
        launch(sort_piece_kernel, pieces, stream, lists, found, run / 2, run, false);
    }
    LaunchShape all;
    all.block = dim3(256);
    all.grid = dim3(blocks_for(found, 256));
    launch(rank_kernel, all, stream, lists, found, wanted);
}

}  // namespace vedette::cuda
