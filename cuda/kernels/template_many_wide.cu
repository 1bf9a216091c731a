// wide_kernel: the products of many_kernel by warpgroups, D (64 x 64) = A (64 x 32) B (32 x 64) a product. All 64
// patterns lie in a block's shared memory; each of its two warpgroups goes from tile to tile of 64 columns of positions
// and 16 rows for itself, so that one multiplies while the other loads, sums up or judges. A group owns 64 x 4 positions
// and all patterns at a time, a warp 16 columns of them, 128 sums a lane. For each row of the patterns and 32 bytes
// along it a lane reads 4 words of one image row, which serves four products. Groups take tiles from a counter: what
// tiles take depends on what is on the screen. Bytes: the image rows of a tile, 47 of 128 bytes at 32 x 32, from the
// second-level cache. The floor is (width rounded up to 32) * height * positions * 64 over the rate of the tensor
// cores: 0.55 ms for 32 x 32 at 4K on H200, where it takes twice that since two warps of a scheduler cannot hide all
// that is done between products (tiles of 8 rows took 0.18 ms more).
#include "kernels/template_many_wide.h"

#include "device/shared.cuh"
#include "device/warpgroup.cuh"
#include "kernels/template_gemm.h"
#include "kernels/template_many_judge.cuh"
#include "kernels/template_many_tile.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <cstddef>

namespace vedette::cuda {

namespace {

using namespace many;

constexpr int tile_columns = 64;
constexpr int passes = 4;  // over a tile, warp_rows rows of positions each
constexpr int octets = many_most / 8;
constexpr int group_warps = 4;
constexpr int group_threads = 32 * group_warps;
constexpr int groups = 2;  // of a block
// Held image rows of a warp: those of the products under way and those of the next ones.
constexpr int held_rows = 8;

__host__ __device__ ManyTile tile_of(int width, int height) {
    return make_tile(tile_columns, passes * warp_rows, width, height);
}

constexpr int flag_words = passes * group_warps + 4;  // whether a warp has work in a pass; the next tile

// Words of a group's own shared memory.
__host__ __device__ int group_words(const ManyTile& tile) {
    return tile.copies_words() + tile.image_rows * tile.raw_bytes / 4 + tile.sums_words() +
           group_warps * most_waiting * 4 + flag_words;
}

__host__ __device__ int operand_words(int width, int height) {
    return height * steps_of(width) * (GroupOperand::bytes / 4);
}

std::size_t shared_bytes_of(int width, int height) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(operand_words(width, height) + 2 * many_most +
                                                            groups * group_words(tile_of(width, height)));
}

// A lane's words of an image row; `from`: its first one.
__device__ __forceinline__ void load_row(unsigned (&to)[4], const std::uint32_t* from) {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = load_own(from + 2 * i);
}

// Adds the products of all rows of the patterns with a warp's four rows of positions; `image`: the lane's first word,
// `image_row`: words from one image row to the next.
__device__ __forceinline__ void multiply(Accumulators<1, octets>& sums, const std::uint32_t* image, int image_row,
                                         const std::uint32_t* patterns, int height, int steps) {
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
#pragma unroll
        for (int o = 0; o < octets; ++o)
#pragma unroll
            for (int i = 0; i < 4; ++i) sums.at[r][0][o][i] = 0;
    const auto hold = [&] {
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) hold_sums(sums.at[r][0]);
    };
    hold();
    for (int step = 0; step < steps; ++step) {
        const std::uint32_t* a = image + 8 * step;
        GroupOperand b(patterns + step * (GroupOperand::bytes / 4));
        unsigned held[held_rows][4];
#pragma unroll
        for (int r = 0; r < warp_rows - 1; ++r) load_row(held[r], a + r * image_row);
        a += (warp_rows - 1) * image_row;
        int j = 0;
        for (; j + held_rows <= height; j += held_rows) {
#pragma unroll
            for (int u = 0; u < held_rows; ++u) {
                load_row(held[(u + warp_rows - 1) % held_rows], a);
                a += image_row;
                begin_products();
#pragma unroll
                for (int r = 0; r < warp_rows; ++r) begin_multiply_u8_s8(sums.at[r][0], held[(u + r) % held_rows], b);
                commit_products();
                b.advance(steps);
                wait_products<1>();
            }
        }
        wait_products<0>();
        // The rows that are left, each for itself.
        a -= (warp_rows - 1) * image_row;
        for (; j < height; ++j) {
#pragma unroll
            for (int r = 0; r < warp_rows; ++r) load_row(held[r], a + r * image_row);
            a += image_row;
            begin_products();
#pragma unroll
            for (int r = 0; r < warp_rows; ++r) begin_multiply_u8_s8(sums.at[r][0], held[r], b);
            commit_products();
            b.advance(steps);
            wait_products<0>();
        }
    }
    hold();
}

__global__ void __launch_bounds__(groups* group_threads, 1)
    wide_kernel(TemplateScene scene, ManyOperand operand, int tiles_across, int tiles, float slack, ManyTests given) {
    const int lane = static_cast<int>(lane_index());
    const int group = static_cast<int>(threadIdx.x) / group_threads;
    const Team team{static_cast<int>(threadIdx.x) % group_threads, group_threads};
    const int warp = team.thread / 32;
    const ManyTile tile = tile_of(operand.width, operand.height);
    const int steps = steps_of(operand.width);
    const int patterns_words = operand_words(operand.width, operand.height);
    auto* const patterns = dynamic_shared<std::uint32_t>();
    auto* const means = reinterpret_cast<float*>(patterns + patterns_words);
    std::uint32_t* const copies = patterns + patterns_words + 2 * many_most + group * group_words(tile);
    auto* const raw = reinterpret_cast<unsigned char*>(copies + tile.copies_words());
    auto* const row_sums = reinterpret_cast<unsigned*>(raw + tile.image_rows * tile.raw_bytes);
    auto* const waiting = reinterpret_cast<uint4*>(row_sums + tile.sums_words());
    auto* const flags = reinterpret_cast<unsigned*>(waiting + group_warps * most_waiting);
    unsigned* const next_tile = flags + passes * group_warps;
    for (int p = static_cast<int>(threadIdx.x); p < many_most; p += groups * group_threads) {
        means[p] = given.mean[p];
        means[many_most + p] = given.share[p];
    }
    for (int i = 4 * static_cast<int>(threadIdx.x); i < patterns_words; i += 4 * groups * group_threads)
        copy_16_async(patterns + i, operand.words + i);
    commit_copies();
    const auto workers = static_cast<int>(gridDim.x) * groups;
    int number = static_cast<int>(blockIdx.x) * groups + group;
    if (team.thread == 0) *next_tile = static_cast<unsigned>(number + workers);
    wait_copies<0>();
    show_to_products();
    __syncthreads();
    const auto meet = [&] { meet_at(1 + static_cast<unsigned>(group), group_threads); };
    const auto begin_load = [&](int of) {
        if (of < tiles)
            load_raw(scene, tile, of % tiles_across * tile_columns, of / tiles_across * tile.rows, team, raw);
    };
    begin_load(number);
    const int moved = scene.left % 16;  // tiles begin at multiples of 64
    while (number < tiles) {
        const int x = number % tiles_across * tile_columns;
        const int y = number / tiles_across * tile.rows;
        unsigned later = 0;  // the tile after the next, which is waited for at the end
        if (team.thread == 0) later = atomicAdd(given.taken, 1u);
        wait_copies<0>();
        meet();
        const auto next = static_cast<int>(*next_tile);
        spread(tile, raw, moved, team, copies);
        meet();
        begin_load(next);
        sum_rows<tile_columns>(tile, operand.width, copies, team, row_sums);
        meet();
        Windows windows;
        for (int pass = 0; pass < passes; ++pass) {
            const int pass_row = pass * warp_rows;
            const int column = 16 * warp + lane % 16;
            windows.make<tile_columns>(row_sums + pass_row * 2 * tile_columns + column, operand.width, operand.height,
                                       x + column<scene.columns, scene.rows - y - pass_row, pass> 0);
            // Windows of a single value score 0, and a quarter of a desktop is such. The group decides as one.
            unsigned* const some = flags + pass * group_warps;
            const bool own = __ballot_sync(all_lanes, windows.any()) != 0;
            if (lane == 0) some[warp] = own ? 1 : 0;
            meet();
            if ((some[0] | some[1] | some[2] | some[3]) == 0) continue;
            Accumulators<1, octets> sums;
            const int first = lane / 4;  // a lane's first byte is first + 4 * (lane % 4)
            multiply(sums, copies + (pass_row * 4 + first % 4) * tile.stride + first / 4 + lane % 4 + 4 * warp,
                     4 * tile.stride, patterns, operand.height, steps);
            if (own)
                judge(sums, windows, Limits(means, many_most, slack), {waiting + warp * most_waiting}, given.tests,
                      x + 16 * warp, y, pass_row, 0);
        }
        if (team.thread == 0) *next_tile = static_cast<unsigned>(2 * workers) + later;
        number = next;
    }
    wait_copies<0>();
}

}  // namespace

bool many_wide_takes(int width, int height, int patterns, const DeviceLimits& limits) {
    constexpr int most_steps = 3;  // a copy's row has 40 words at most
    return limits.capability == 90 && patterns > many_half && patterns <= many_most && gemm_takes(width, height, 1) &&
           steps_of(width) <= most_steps && shared_bytes_of(width, height) <= limits.shared_bytes;
}

std::vector<std::uint32_t> many_wide_words(const std::vector<std::vector<std::int8_t>>& pixels, int width, int height) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(operand_words(width, height)), 0);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const std::int8_t* value = pixels[p].data();
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x, ++value) {
                // As GroupOperand says.
                const auto operand = static_cast<std::size_t>(y * steps_of(width) + x / 32);
                const auto k = static_cast<std::size_t>(x % 32);
                const std::size_t at = operand * GroupOperand::bytes + p / 8 * 256 + k / 16 * 128 + p % 8 * 16 + k % 16;
                words[at / 4] |= std::uint32_t{static_cast<std::uint8_t>(*value)} << (8 * (at % 4));
            }
    }
    return words;
}

void many_wide_prepare(const DeviceLimits& limits) {
    if (limits.capability == 90) allow_shared(wide_kernel, limits.shared_bytes);
}

void many_wide_hits(const TemplateScene& scene, const ManyOperand& operand, const ManyTests& tests, float slack,
                    const DeviceLimits& limits, cudaStream_t stream) {
    const ManyTile tile = tile_of(operand.width, operand.height);
    const auto across = static_cast<int>(blocks_for(static_cast<std::size_t>(scene.columns), tile_columns));
    const int tiles = across * static_cast<int>(blocks_for(static_cast<std::size_t>(scene.rows),
                                                           static_cast<std::size_t>(tile.rows)));
    LaunchShape shape;
    shape.block = dim3(groups * group_threads);
    shape.grid = dim3(static_cast<unsigned>(std::min((tiles + groups - 1) / groups, limits.multiprocessors)));
    shape.shared_bytes = shared_bytes_of(operand.width, operand.height);
    launch(wide_kernel, shape, stream, scene, operand, across, tiles, slack, tests);
}

}  // namespace vedette::cuda
