// What comes before and after the search for neighbours: packing, ratio test, list of pairs.
#include "kernels/feature_match.h"

#include "device/warp.cuh"
#include "kernels/feature_match_split.h"
#include "runtime/launch.h"

#include <algorithm>
#include <climits>
#include <limits>

namespace vedette::cuda {

namespace {

constexpr int warps = 8;
constexpr int row_bytes = longest_byte_descriptor;
constexpr int row_words = row_bytes / 4;

// A warp packs a row, four values a lane, and sums their squares; eight rows a block. 10,000 + 10,000 rows: 10 MB read,
// 2.6 MB written. Rows beyond the sets become zeros whose keys are never least.
__global__ void __launch_bounds__(32 * warps)
    pack_kernel(View<const float> queries, View<const float> train, unsigned padded_queries, unsigned padded_train,
                int chunk, MatchMemory memory) {
    const int lane = static_cast<int>(lane_index());
    const unsigned place = blockIdx.x * warps + threadIdx.x / 32;
    const bool is_query = place < padded_queries;
    const unsigned row = is_query ? place : place - padded_queries;
    if (!is_query && row >= padded_train) return;
    const View<const float> from = is_query ? queries : train;
    unsigned word = 0;
    const bool real = row < static_cast<unsigned>(from.height);
    if (real) {
        const float* const values = from.row(static_cast<int>(row));
        bool finite = true, whole = from.width <= row_bytes;
        for (int x = 4 * lane; x < from.width; x += 128) {
            const float4 four = *reinterpret_cast<const float4*>(values + x);
            const float value[4] = {four.x, four.y, four.z, four.w};
            word = 0;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (x + k >= from.width) continue;
                const unsigned number = __float2uint_rz(min(value[k], 255.0f));  // below 0 it becomes 0
                whole = whole && static_cast<float>(number) == value[k];
                finite = finite && fabsf(value[k]) <= std::numeric_limits<float>::max();
                word |= number << (8 * k);
            }
        }
        const bool all_whole = __all_sync(all_lanes, whole), all_finite = __all_sync(all_lanes, finite);
        if (lane == 0 && !all_whole) memory.state->fractional = 1;
        if (lane == 0 && !all_finite) atomicMin(is_query ? &memory.state->bad_query : &memory.state->bad_train, row);
    }
    const std::size_t at = std::size_t{row} * row_words + static_cast<unsigned>(lane);
    reinterpret_cast<unsigned*>(is_query ? memory.query_bytes : memory.train_bytes)[at] = word;
    const int norm = static_cast<int>(warp_sum(__dp4a(word, word, 0u)));
    if (lane != 0) return;
    if (is_query) {
        memory.query_norms[row] = norm;
    } else {
        const int column = static_cast<int>(row % static_cast<unsigned>(chunk));
        // As feature_match_bytes.cu has it. Longer descriptors have sums that mean nothing; nobody reads them.
        memory.train_keys[row] = real ? static_cast<int>(static_cast<unsigned>(norm) * 256u +
                                                         static_cast<unsigned>(column / 8 * 2 + column % 2))
                                      : INT_MAX;
    }
}

struct Two {
    double first, second;  // squared distances
    unsigned train;
};

constexpr int lanes_of_query = 8;

template <class T>
__device__ __forceinline__ T sum_of_query(T value) {
    for (int step = 1; step < lanes_of_query; step *= 2) value += __shfl_xor_sync(all_lanes, value, step);
    return value;
}

// The two nearest of a query from the chunks' candidates, in each of its eight lanes.
__device__ Two merge_bytes(const MatchMemory& memory, const MatchSplit& split, unsigned query, int member) {
    const auto* const partials = reinterpret_cast<const int4*>(memory.partials);
    long long first = LLONG_MAX;  // distance without the query's norm, then the column
    int second = INT_MAX;
    const auto merge = [&](long long other, int other_second) {
        const long long greater = max(first, other);
        second = min(min(second, other_second), static_cast<int>(greater >> 32));
        first = min(first, other);
    };
    for (unsigned chunk = static_cast<unsigned>(member); chunk < split.chunks; chunk += lanes_of_query) {
        const int4 part = partials[std::size_t{chunk} * split.padded_queries + query];
        merge(static_cast<long long>(part.x) * (1ll << 32) + part.y, part.z);
    }
    for (int step = 1; step < lanes_of_query; step *= 2) {
        const long long other = __shfl_xor_sync(all_lanes, first, step);
        const int other_second = __shfl_xor_sync(all_lanes, second, step);
        merge(other, other_second);
    }
    // The other three of the nearest one's group: chunks begin at multiples of 64, groups lie within 16 columns.
    const auto nearest = static_cast<unsigned>(first & 0xffffffff);
    const auto* const query_words =
        reinterpret_cast<const uint4*>(memory.query_bytes + std::size_t{query} * row_bytes) + member;
    const uint4 q = *query_words;
    for (unsigned other = 0; other < 4; ++other) {
        const unsigned column = (nearest & ~9u) + (other / 2 * 8 + other % 2);
        const uint4 t = reinterpret_cast<const uint4*>(memory.train_bytes + std::size_t{column} * row_bytes)[member];
        const unsigned product =
            sum_of_query(__dp4a(q.x, t.x, __dp4a(q.y, t.y, __dp4a(q.z, t.z, __dp4a(q.w, t.w, 0u)))));
        const int distance = (memory.train_keys[column] >> 8) - 2 * static_cast<int>(product);
        if (column != nearest && column < split.train) second = min(second, distance);
    }
    const int norm = memory.query_norms[query];
    return {static_cast<double>(static_cast<int>(first >> 32) + norm), static_cast<double>(second + norm), nearest};
}

__device__ Two merge_floats(const MatchMemory& memory, const MatchSplit& split, unsigned query, int member) {
    const auto* const partials = reinterpret_cast<const NearestFloats*>(memory.partials);
    constexpr double never = std::numeric_limits<double>::infinity();
    Two two{never, never, 0xffffffff};
    const auto merge = [&](const Two& other) {
        const bool nearer = other.first < two.first || (other.first == two.first && other.train < two.train);
        two.second = min(min(two.second, other.second), nearer ? two.first : other.first);
        if (!nearer) return;
        two.first = other.first;
        two.train = other.train;
    };
    for (unsigned chunk = static_cast<unsigned>(member); chunk < split.float_chunks; chunk += lanes_of_query) {
        const NearestFloats part = partials[std::size_t{chunk} * split.padded_queries + query];
        merge({part.first, part.second, part.train});
    }
    for (int step = 1; step < lanes_of_query; step *= 2) {
        const Two other{__shfl_xor_sync(all_lanes, two.first, step), __shfl_xor_sync(all_lanes, two.second, step),
                        __shfl_xor_sync(all_lanes, two.train, step)};
        merge(other);
    }
    return two;
}

constexpr int queries_of_block = 32 * warps / lanes_of_query;
static_assert(queries_of_block == 32, "a block writes one word of passed");
constexpr int most_words = 65536 / queries_of_block;

// The list of pairs in order of queries, by the block that is done last. `passed` has `words` words.
__device__ void write_pairs(const MatchMemory& memory, unsigned queries, int words) {
    __shared__ unsigned before[most_words];  // pairs of the words before
    __shared__ unsigned of_warp[warps];
    const int thread = static_cast<int>(threadIdx.x), each = (words + 32 * warps - 1) / (32 * warps);
    const int begin = min(thread * each, words), end = min(begin + each, words);
    unsigned own = 0;
    for (int word = begin; word < end; ++word) own += static_cast<unsigned>(__popc(__ldcg(memory.passed + word)));
    unsigned next = warp_scan(own);
    if (thread % 32 == 31) of_warp[thread / 32] = next;
    __syncthreads();
    next -= own;
    for (int warp = 0; warp < thread / 32; ++warp) next += of_warp[warp];
    for (int word = begin; word < end; ++word) {
        before[word] = next;
        next += static_cast<unsigned>(__popc(__ldcg(memory.passed + word)));
    }
    if (thread == 32 * warps - 1) memory.state->pairs = next;
    __syncthreads();
    for (unsigned query = threadIdx.x; query < queries; query += 32 * warps) {
        const unsigned word = __ldcg(memory.passed + query / 32), bit = query % 32;
        if ((word >> bit & 1u) == 0) continue;
        const unsigned place = before[query / 32] + static_cast<unsigned>(__popc(word & ((1u << bit) - 1u)));
        const uint2 nearest = __ldcg(memory.nearest + query);
        const float2 from = memory.query_places[query], to = memory.train_places[nearest.x];
        memory.pairs[place] = uint4{query, nearest.x, nearest.y, 0};
        memory.pair_places[place] = float4{from.x, from.y, to.x, to.y};
    }
}

// Eight lanes own a query, a block 32: they merge the chunks' candidates, at most 64 of 16 bytes, and compare. The last
// block to be done writes the list.
template <bool bytes>
__global__ void __launch_bounds__(32 * warps) choose_kernel(MatchMemory memory, MatchSplit split, double ratio) {
    __shared__ unsigned passed[warps];
    __shared__ bool last;
    if (bytes && memory.state->fractional != 0) return;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, member = lane % lanes_of_query;
    const unsigned query = blockIdx.x * queries_of_block + threadIdx.x / lanes_of_query;
    const Two two = bytes ? merge_bytes(memory, split, query, member) : merge_floats(memory, split, query, member);
    const double distance = sqrt(two.first);
    const bool pass = query < split.queries && distance < ratio * sqrt(two.second);
    if (member == 0) memory.nearest[query] = uint2{two.train, __float_as_uint(static_cast<float>(distance))};
    const unsigned votes = __ballot_sync(all_lanes, pass);
    // A bit of each query's eight.
    if (lane == 0) passed[thread / 32] = (votes & 1u) | (votes >> 7 & 2u) | (votes >> 14 & 4u) | (votes >> 21 & 8u);
    __threadfence();
    __syncthreads();
    if (thread == 0) {
        unsigned word = 0;
        for (int warp = 0; warp < warps; ++warp) word |= passed[warp] << (4 * warp);
        memory.passed[blockIdx.x] = word;
        __threadfence();
        last = atomicAdd(&memory.state->blocks_done, 1u) + 1 == gridDim.x;
        __threadfence();
    }
    __syncthreads();
    if (last) write_pairs(memory, split.queries, static_cast<int>(gridDim.x));
}

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

// Blocks of nearest_bytes are started in waves of two a multiprocessor; the number of chunks is that for which waves
// times their length is least. A block's start and end cost about as much as a tile (estimate).
MatchSplit match_split(const DeviceLimits& limits, std::uint32_t queries, std::uint32_t train) {
    MatchSplit split;
    split.queries = queries;
    split.train = train;
    split.padded_queries = rounded_up(queries, byte_rows);
    split.padded_train = rounded_up(train, byte_tile);
    const std::uint64_t places = 2 * static_cast<std::uint64_t>(std::max(limits.multiprocessors, 1));
    const std::uint32_t tiles = split.padded_train / byte_tile, row_blocks = split.padded_queries / byte_rows;
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t chunk = 1; chunk <= std::min(tiles, longest_chunk / byte_tile); ++chunk) {
        const std::uint32_t chunks = (tiles + chunk - 1) / chunk;
        const std::uint64_t waves = (std::uint64_t{chunks} * row_blocks + places - 1) / places;
        const std::uint64_t time = waves * (chunk + 1);
        if (time > least) continue;
        least = time;
        split.chunk = chunk * byte_tile;
        split.chunks = chunks;
    }
    // Four blocks of nearest_floats a multiprocessor in two waves (estimate).
    const std::uint32_t float_tiles = (train + float_tile - 1) / float_tile;
    const std::uint32_t float_rows = (queries + float_tile - 1) / float_tile;
    const auto wanted = static_cast<std::uint32_t>(4 * places / float_rows + 1);
    const std::uint32_t tiles_of_chunk = (float_tiles + wanted - 1) / wanted;
    split.float_chunk = tiles_of_chunk * float_tile;
    split.float_chunks = (float_tiles + tiles_of_chunk - 1) / tiles_of_chunk;
    return split;
}

MatchSizes match_sizes(const MatchSplit& split) {
    MatchSizes sizes{};
    sizes.query_rows = split.padded_queries;
    sizes.train_rows = split.padded_train;
    sizes.partial_bytes =
        split.padded_queries * std::max(split.chunks * sizeof(int4), split.float_chunks * sizeof(NearestFloats));
    sizes.passed_words = split.padded_queries / queries_of_block;
    return sizes;
}

void pack_descriptors(const View<const float>& queries, const View<const float>& train, const MatchSplit& split,
                      const MatchMemory& memory, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(blocks_for(std::size_t{split.padded_queries} + split.padded_train, warps));
    shape.block = dim3(32 * warps);
    launch(pack_kernel, shape, stream, queries, train, split.padded_queries, split.padded_train,
           static_cast<int>(split.chunk), memory);
}

void choose_pairs(bool bytes, double ratio, const MatchSplit& split, const MatchMemory& memory, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(blocks_for(split.queries, queries_of_block));
    shape.block = dim3(32 * warps);
    launch(bytes ? choose_kernel<true> : choose_kernel<false>, shape, stream, memory, split, ratio);
}

}  // namespace vedette::cuda
