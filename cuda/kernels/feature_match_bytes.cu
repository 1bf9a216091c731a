// The two nearest by eight-bit tensor products: |a - b|^2 = |a|^2 + |b|^2 - 2 a b, exact in 32 bits for 128 bytes.
//
// A block owns 256 queries and a chunk of at most 1024 train descriptors, a warp 32 of the queries: their bytes stay in
// its registers as fragments (32 words a thread), the train descriptors come by in tiles of 64 through shared memory.
// Each product is used once, for the selection below, so no matrix of distances exists. 10,000 x 10,000: 12.8 G
// products, 21 us at the rate measured for mma.sync (622 T products a second, H200); 60 MB from the last cache.
//
// Selection. A product becomes a key: 256 * (|b|^2 - 2 a b) + slot with one multiply-add, `slot` being one of the 256
// columns that a thread sees of its chunk; |b|^2 - 2 a b lies within +-8,323,200, so that a key fits in 32 bits. Of
// every four columns only the least key takes part: two nearest groups of four are kept, 6 operations for four products
// instead of 12. The second nearest descriptor is the least of the second group or one of the first group's other
// three, whose distances choose_pairs works out again.
#include "kernels/feature_match.h"

#include "device/matrix.cuh"
#include "device/memory.cuh"
#include "device/warp.cuh"
#include "kernels/feature_match_split.h"
#include "runtime/launch.h"

#include <climits>

namespace vedette::cuda {

namespace {

constexpr int warps = 8;
constexpr int rows_of_warp = 32;
static_assert(warps * rows_of_warp == static_cast<int>(byte_rows));
constexpr int row_bytes = longest_byte_descriptor;
constexpr int tile = byte_tile;
constexpr int stages = 4;  // estimate
constexpr int steps = row_bytes / 32;

struct Stage {
    uint4 values[tile * row_bytes / 16];  // chunk c of row r lies at place c ^ (r % 8), so that eight rows' differ
    std::int32_t keys[tile];
};

// Merges the two least of another set of groups.
__device__ __forceinline__ void merge(long long& first, int& second, long long other_first, int other_second) {
    const long long greater = max(first, other_first);
    second = min(min(second, other_second), static_cast<int>(greater >> 32));
    first = min(first, other_first);
}

__global__ void __launch_bounds__(32 * warps, 2)
    nearest_bytes_kernel(const std::uint8_t* queries, const std::uint8_t* train, const std::int32_t* keys,
                         const MatchState* state, int chunk_tiles, int tiles, unsigned padded_queries, int4* partials) {
    __shared__ __align__(128) Stage stage[stages];
    if (state->fractional != 0) return;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32, group = lane / 4, member = lane % 4;
    const int first_tile = static_cast<int>(blockIdx.y) * chunk_tiles;
    const int count = min(chunk_tiles, tiles - first_tile);
    const unsigned first_row = blockIdx.x * byte_rows + static_cast<unsigned>(thread / 32 * rows_of_warp);

    const auto fetch = [&](int index) {
        if (index < count) {
            Stage& to = stage[index % stages];
            const std::size_t row = static_cast<std::size_t>(first_tile + index) * tile;
            const uint4* const from = reinterpret_cast<const uint4*>(train + row * row_bytes);
#pragma unroll
            for (int part = 0; part < tile * row_bytes / 16 / (32 * warps); ++part) {
                const int place = part * 32 * warps + thread;
                copy_16_async(&to.values[(place & ~7) | ((place ^ (place / 8)) & 7)], from + place);
            }
            if (thread < tile / 4) copy_16_async(to.keys + 4 * thread, keys + row + 4 * thread);
        }
        commit_copies();
    };
#pragma unroll
    for (int index = 0; index + 1 < stages; ++index) fetch(index);

    unsigned a[2][steps][4];
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int step = 0; step < steps; ++step)
#pragma unroll
            for (int part = 0; part < 4; ++part) {
                const std::size_t row = first_row + static_cast<unsigned>(16 * half + group + part % 2 * 8);
                a[half][step][part] =
                    reinterpret_cast<const unsigned*>(queries + row * row_bytes)[step * 8 + part / 2 * 4 + member];
            }

    int first[4], second[4];  // rows group, + 8, + 16, + 24
#pragma unroll
    for (int row = 0; row < 4; ++row) first[row] = second[row] = INT_MAX;
    const int offset[2] = {(lane % 8) * 8 + ((lane / 8) ^ (lane % 8)), (lane % 8) * 8 + ((lane / 8 + 4) ^ (lane % 8))};

    for (int index = 0; index < count; ++index) {
        wait_copies<stages - 2>();
        __syncthreads();
        fetch(index + stages - 1);
        const Stage& here = stage[index % stages];
#pragma unroll 2
        for (int column = 0; column < tile; column += 16) {
            std::int32_t sum[2][2][4] = {};
            int2 key[2];
#pragma unroll
            for (int part = 0; part < 2; ++part) {
                const int begin = column + 8 * part;
                key[part] = *reinterpret_cast<const int2*>(here.keys + begin + 2 * member);
                unsigned b[2][4];
                load_matrices(b[0], &here.values[begin * 8 + offset[0]]);
                load_matrices(b[1], &here.values[begin * 8 + offset[1]]);
#pragma unroll
                for (int step = 0; step < steps; ++step) {
                    const unsigned right[2] = {b[step / 2][step % 2 * 2], b[step / 2][step % 2 * 2 + 1]};
                    multiply_u8_u8(sum[part][0], a[0][step], right);
                    multiply_u8_u8(sum[part][1], a[1][step], right);
                }
            }
#pragma unroll
            for (int row = 0; row < 4; ++row) {
                const auto key_of = [&](int part, int side) {
                    // The product may pass 32 bits, the difference does not.
                    return static_cast<int>(static_cast<unsigned>(side == 0 ? key[part].x : key[part].y) -
                                            static_cast<unsigned>(sum[part][row / 2][row % 2 * 2 + side]) * 512u);
                };
                const int least = min(min(key_of(0, 0), key_of(0, 1)), min(key_of(1, 0), key_of(1, 1)));
                second[row] = min(second[row], max(first[row], least));
                first[row] = min(first[row], least);
            }
        }
    }

    // The four threads of a row: distances without |a|^2, in the upper half; columns in the lower.
    const int chunk_begin = first_tile * tile;
#pragma unroll
    for (int row = 0; row < 4; ++row) {
        const int slot = first[row] & 255;
        const int column = chunk_begin + slot / 2 * 8 + 2 * member + slot % 2;
        long long nearest = static_cast<long long>(first[row] >> 8) * (1ll << 32) + column;
        int next = second[row] >> 8;
        for (int step = 1; step < 4; step *= 2) {
            const long long other = __shfl_xor_sync(all_lanes, nearest, step);
            const int other_next = __shfl_xor_sync(all_lanes, next, step);
            merge(nearest, next, other, other_next);
        }
        if (member == 0)
            partials[std::size_t{blockIdx.y} * padded_queries + first_row + static_cast<unsigned>(group + 8 * row)] =
                int4{static_cast<int>(nearest >> 32), static_cast<int>(nearest & 0xffffffff), next, 0};
    }
}

}  // namespace

void nearest_bytes(const MatchSplit& split, const MatchMemory& memory, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(split.padded_queries / byte_rows, split.chunks);
    shape.block = dim3(32 * warps);
    launch(nearest_bytes_kernel, shape, stream, memory.query_bytes, memory.train_bytes, memory.train_keys, memory.state,
           static_cast<int>(split.chunk / byte_tile), static_cast<int>(split.padded_train / byte_tile),
           split.padded_queries, reinterpret_cast<int4*>(memory.partials));
}

}  // namespace vedette::cuda
