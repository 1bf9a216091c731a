// many_kernel: D = A B with A the screen and B the patterns. Row m of A begins at pixel x + m of a screen's row, column
// n of B is a row of pattern n, so that D[m][n] belongs to position x + m and pattern n. A block keeps all patterns in
// shared memory and goes from tile to tile of 32 columns of positions and 16 rows, twice as many with one half of
// patterns, half as many where two blocks share a multiprocessor; a warp owns 32 x 4 positions and 32 patterns, 128
// sums a lane. Words of A begin at any byte: the tile lies in shared memory as four copies that are moved by 0 to 3
// bytes. For each row of the patterns and 32 bytes along it a lane reads 8 words of one image row (three more are held)
// and 8 of B for 32 products of 16 x 8 x 32; the next tile's pixels are on their way meanwhile. Sums over the windows,
// which all patterns share, are made from the tile: a thread adds up pieces of rows, then a lane its column of them.
// Sums are exact; what reaches a threshold in single precision waits in shared memory until a warp has many, and is
// then judged a lane a position. The floor is (width rounded up to 32) * height * positions * patterns over the rate of
// the tensor cores.
#include "kernels/template_many.h"

#include "device/matrix.cuh"
#include "device/shared.cuh"
#include "kernels/template_gemm.h"
#include "kernels/template_many_judge.cuh"
#include "kernels/template_many_tile.cuh"
#include "kernels/template_many_wide.h"
#include "runtime/launch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vedette::cuda {

namespace {

using namespace many;

constexpr int tile_columns = 32;
constexpr int parts = tile_columns / 16;  // of a row of positions, a product each
constexpr int octets = many_half / 8;     // of patterns, a product each

__host__ __device__ ManyTile tile_of(int width, int height, int halves, int warps) {
    return make_tile(tile_columns, warp_rows * warps / halves, width, height);
}

std::size_t shared_bytes_of(int width, int height, int halves, int warps) {
    const ManyTile tile = tile_of(width, height, halves, warps);
    const auto operand = static_cast<std::size_t>(height) * static_cast<std::size_t>(steps_of(width)) *
                         static_cast<std::size_t>(halves) * 1024;
    const std::size_t waiting = static_cast<std::size_t>(warps) * most_waiting * sizeof(uint4);
    const std::size_t limits = 2 * static_cast<std::size_t>(halves) * many_half * sizeof(float);
    return operand + waiting + limits + 4 * static_cast<std::size_t>(tile.copies_words() + tile.sums_words()) +
           static_cast<std::size_t>(tile.image_rows) * static_cast<std::size_t>(tile.raw_bytes);
}

int halves_of(int patterns) {
    return patterns > many_half ? 2 : 1;
}

// Warps of a block: with half of them two blocks share a multiprocessor, and one multiplies while the other judges, if
// there is memory for both.
constexpr int most_warps = 8;

int warps_of(int width, int height, int halves, const DeviceLimits& limits) {
    constexpr std::size_t taken = 1024;  // of a block by the device itself
    const bool two =
        2 * (shared_bytes_of(width, height, halves, most_warps / 2) + taken) <= limits.shared_bytes + taken;
    return two ? most_warps / 2 : most_warps;
}

// A lane's words of an image row for both parts of a row of positions; `from`: its first one.
__device__ __forceinline__ void load_row(unsigned (&to)[parts][4], const std::uint32_t* from) {
#pragma unroll
    for (int part = 0; part < parts; ++part)
#pragma unroll
        for (int i = 0; i < 4; ++i) to[part][i] = load_own(from + 4 * part + 2 * i);
}

template <int halves, int warps>
__global__ void __launch_bounds__(32 * warps, most_warps / warps)
    many_kernel(TemplateScene scene, ManyOperand operand, int tiles_across, int tiles, float slack, ManyTests given) {
    const int lane = static_cast<int>(lane_index());
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int half = warp % halves;
    const int warp_row = warp / halves * warp_rows;
    const Team team{static_cast<int>(threadIdx.x), 32 * warps};
    const ManyTile tile = tile_of(operand.width, operand.height, halves, warps);
    const int steps = steps_of(operand.width);
    auto* const b_words = dynamic_shared<std::uint32_t>();
    const int row_words_of_b = steps * halves * octets * 64;
    std::uint32_t* const copies = b_words + operand.height * row_words_of_b;
    auto* const raw = reinterpret_cast<unsigned char*>(copies + tile.copies_words());
    auto* const row_sums = reinterpret_cast<unsigned*>(raw + tile.image_rows * tile.raw_bytes);
    auto* const waiting = reinterpret_cast<uint4*>(row_sums + tile.sums_words());
    auto* const means = reinterpret_cast<float*>(waiting + warps * most_waiting);
    constexpr int patterns = halves * many_half;
    for (int p = static_cast<int>(threadIdx.x); p < patterns; p += 32 * warps) {
        means[p] = given.mean[p];
        means[patterns + p] = given.share[p];
    }
    for (int i = 4 * static_cast<int>(threadIdx.x); i < operand.height * row_words_of_b; i += 4 * 32 * warps)
        copy_16_async(b_words + i, operand.words + i);
    const auto begin_load = [&](int of) {
        if (of < tiles)
            load_raw(scene, tile, of % tiles_across * tile_columns, of / tiles_across * tile.rows, team, raw);
    };
    int number = static_cast<int>(blockIdx.x);
    begin_load(number);
    const int moved = scene.left % 16;  // tiles begin at multiples of 32
    for (; number < tiles; number += static_cast<int>(gridDim.x)) {
        const int x = number % tiles_across * tile_columns;
        const int y = number / tiles_across * tile.rows;
        wait_copies<0>();
        __syncthreads();
        spread(tile, raw, moved, team, copies);
        __syncthreads();
        begin_load(number + static_cast<int>(gridDim.x));
        sum_rows<tile_columns>(tile, operand.width, copies, team, row_sums);
        __syncthreads();
        Windows windows;
        windows.make<tile_columns>(row_sums + warp_row * 2 * tile_columns + lane, operand.width, operand.height,
                                   x + lane < scene.columns, scene.rows - y - warp_row, false);
        // Windows of a single value score 0, and a quarter of a desktop is such.
        if (__ballot_sync(all_lanes, windows.any()) == 0) continue;
        Accumulators<parts, octets> sums;
#pragma unroll
        for (int r = 0; r < warp_rows; ++r)
#pragma unroll
            for (int part = 0; part < parts; ++part)
#pragma unroll
                for (int o = 0; o < octets; ++o)
#pragma unroll
                    for (int i = 0; i < 4; ++i) sums.at[r][part][o][i] = 0;
        const int own = lane / 4;  // a lane's first byte is own + 4 * (lane % 4)
        const std::uint32_t* const image = copies + (warp_row * 4 + own % 4) * tile.stride + own / 4 + lane % 4;
        const int image_row = 4 * tile.stride;
        for (int step = 0; step < steps; ++step) {
            unsigned held[warp_rows][parts][4];
            const std::uint32_t* a = image + 8 * step;
#pragma unroll
            for (int r = 0; r < warp_rows - 1; ++r) load_row(held[r], a + r * image_row);
            a += (warp_rows - 1) * image_row;
            const std::uint32_t* b = b_words + (step * halves + half) * octets * 64 + 2 * lane;
            const auto multiply_row = [&](int u) {
                load_row(held[(u + warp_rows - 1) % warp_rows], a);
                a += image_row;
                unsigned pattern[octets][2];
#pragma unroll
                for (int o = 0; o < octets; ++o) {
                    const uint2 two = *reinterpret_cast<const uint2*>(b + 64 * o);
                    pattern[o][0] = two.x;
                    pattern[o][1] = two.y;
                }
                b += row_words_of_b;
#pragma unroll
                for (int r = 0; r < warp_rows; ++r)
#pragma unroll
                    for (int part = 0; part < parts; ++part)
#pragma unroll
                        for (int o = 0; o < octets; ++o)
                            multiply_u8_s8(sums.at[r][part][o], held[(u + r) % warp_rows][part], pattern[o]);
            };
            int j = 0;
            for (; j + warp_rows <= operand.height; j += warp_rows) {
#pragma unroll
                for (int u = 0; u < warp_rows; ++u) multiply_row(u);
            }
            // The rows that are left, in the same order of registers.
#pragma unroll
            for (int u = 0; u < warp_rows - 1; ++u)
                if (j + u < operand.height) multiply_row(u);
        }
        judge(sums, windows, Limits(means + half * many_half, patterns, slack), {waiting + warp * most_waiting},
              given.tests, x, y, warp_row, half * many_half);
    }
    wait_copies<0>();
}

}  // namespace

bool many_takes(int width, int height, int patterns, const DeviceLimits& limits) {
    constexpr int most_steps = 3;  // a copy's row has 40 words at most
    return patterns >= many_least && patterns <= many_most && gemm_takes(width, height, 1) &&
           steps_of(width) <= most_steps &&
           shared_bytes_of(width, height, halves_of(patterns), most_warps) <= limits.shared_bytes;
}

std::vector<std::uint32_t> many_words(const std::vector<std::vector<std::int8_t>>& pixels, int width, int height,
                                      const DeviceLimits& limits) {
    if (many_wide_takes(width, height, static_cast<int>(pixels.size()), limits))
        return many_wide_words(pixels, width, height);
    const int halves = halves_of(static_cast<int>(pixels.size()));
    const int steps = steps_of(width);
    const auto groups = static_cast<std::size_t>(steps * halves * octets);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(height) * groups * 64, 0);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const std::int8_t* value = pixels[p].data();
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x, ++value) {
                // Lane 4 * (pattern % 8) + member holds bytes 4 * member of both halves of 32.
                const int k = x % 32;
                const auto octet = static_cast<std::size_t>((x / 32 * halves) * octets) + p / 8;
                const auto lane = 4 * (p % 8) + static_cast<std::size_t>(k % 16 / 4);
                const std::size_t at =
                    (static_cast<std::size_t>(y) * groups + octet) * 64 + 2 * lane + static_cast<std::size_t>(k / 16);
                words[at] |= std::uint32_t{static_cast<std::uint8_t>(*value)} << (8 * (k % 4));
            }
    }
    return words;
}

void many_prepare(const DeviceLimits& limits) {
    many_wide_prepare(limits);
    allow_shared(many_kernel<1, most_warps>, limits.shared_bytes);
    allow_shared(many_kernel<2, most_warps>, limits.shared_bytes);
    allow_shared(many_kernel<1, most_warps / 2>, limits.shared_bytes);
    allow_shared(many_kernel<2, most_warps / 2>, limits.shared_bytes);
    // So that two blocks do share a multiprocessor.
    for (const auto kernel : {many_kernel<1, most_warps / 2>, many_kernel<2, most_warps / 2>})
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
              "preferring shared memory");
}

void ManyTests::set(int p, const PlaceTest& test) {
    const auto area = static_cast<double>(test.sums.area);
    mean[p] = static_cast<float>(static_cast<double>(test.sums.sum[0]) / area - 128);
    // Roots and products are off by less than this.
    constexpr double room = 1 - 1e-5;
    share[p] = static_cast<float>(room * test.test.threshold * std::sqrt(test.sums.variance) / area);
}

void many_hits(const TemplateScene& scene, const ManyOperand& operand, const ManyTests& tests,
               const DeviceLimits& limits, cudaStream_t stream) {
    // D and mean S are at most 128 * 255 * pixels, and four roundings of them are off by 2^-24 of that each.
    const float slack = static_cast<float>(operand.width * operand.height) / 64;
    if (many_wide_takes(operand.width, operand.height, operand.patterns, limits)) {
        many_wide_hits(scene, operand, tests, slack, limits, stream);
        return;
    }
    const int halves = halves_of(operand.patterns);
    const int warps = warps_of(operand.width, operand.height, halves, limits);
    const ManyTile tile = tile_of(operand.width, operand.height, halves, warps);
    const auto across = static_cast<int>(blocks_for(static_cast<std::size_t>(scene.columns), tile_columns));
    const int tiles = across * static_cast<int>(blocks_for(static_cast<std::size_t>(scene.rows),
                                                           static_cast<std::size_t>(tile.rows)));
    LaunchShape shape;
    shape.block = dim3(static_cast<unsigned>(32 * warps));
    shape.grid = dim3(static_cast<unsigned>(std::min(tiles, limits.multiprocessors * (most_warps / warps))));
    shape.shared_bytes = shared_bytes_of(operand.width, operand.height, halves, warps);
    const auto kernel = warps == most_warps ? halves == 2 ? many_kernel<2, most_warps> : many_kernel<1, most_warps>
                        : halves == 2 ? many_kernel<2, most_warps / 2>
                                            : many_kernel<1, most_warps / 2>;
    launch(kernel, shape, stream, scene, operand, across, tiles, slack, tests);
}

}  // namespace vedette::cuda
