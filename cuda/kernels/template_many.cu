// many_kernel: D = A B with A the screen and B the patterns. Row m of A begins at pixel x + m of a screen's row, column
// n of B is a row of pattern n, so that D[m][n] belongs to position x + m and pattern n. A block keeps all patterns in
// shared memory and goes from tile to tile of 32 x 16 positions (32 x 32 with one half of patterns); a warp owns 32 x 4
// positions and 32 patterns, 128 sums a lane. Words of A begin at any byte: the tile lies in shared memory as four
// copies that are moved by 0 to 3 bytes. For each row of the patterns and 32 bytes along it a lane reads 8 words of one
// image row (three more are held) and 8 of B for 32 products of 16 x 8 x 32; the next tile's pixels are on their way
// meanwhile. The floor is (width rounded up to 32) * height * positions * patterns over the rate of the tensor cores.
#include "kernels/template_many.h"

#include "device/matrix.cuh"
#include "device/memory.cuh"
#include "device/shared.cuh"
#include "device/warp.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <cstddef>

namespace vedette::cuda {

namespace {

constexpr int warps = 8;
constexpr int threads = 32 * warps;
constexpr int tile_columns = 32;
constexpr int warp_rows = 4;
constexpr int parts = tile_columns / 16;  // of a row of positions, a product each
constexpr int octets = many_half / 8;     // of patterns, a product each

__host__ __device__ constexpr int steps_of(int width) {
    return (width + 31) / 32;
}

// The image tile of a block in shared memory.
struct ManyTile {
    int rows;        // of positions
    int image_rows;  // that they cover
    int words;       // of a copy's row that are read
    int stride;      // words of a copy's row: copies lie 8 or 24 banks apart
    int raw_bytes;   // of a row as it is loaded, 16-byte pieces
    __host__ __device__ int copies_words() const { return image_rows * 4 * stride; }
};

__host__ __device__ ManyTile tile_of(int width, int height, int halves) {
    ManyTile tile{};
    tile.rows = warp_rows * warps / halves;
    tile.image_rows = tile.rows + height - 1;
    tile.words = 8 * steps_of(width) + tile_columns / 4;
    tile.stride = tile.words <= 24 ? 24 : 40;
    tile.raw_bytes = (15 + 4 * tile.words + 4 + 15) / 16 * 16;
    return tile;
}

std::size_t shared_bytes_of(int width, int height, int halves) {
    const ManyTile tile = tile_of(width, height, halves);
    const auto operand = static_cast<std::size_t>(height) * static_cast<std::size_t>(steps_of(width)) *
                         static_cast<std::size_t>(halves) * 1024;
    return operand + 4 * static_cast<std::size_t>(tile.copies_words()) +
           static_cast<std::size_t>(tile.image_rows) * static_cast<std::size_t>(tile.raw_bytes);
}

int halves_of(int patterns) {
    return patterns > many_half ? 2 : 1;
}

// Sums of a warp: output row, part, octet of patterns, registers of the fragment.
struct Accumulators {
    std::int32_t at[warp_rows][parts][octets][4];
};

// Thresholds of a warp's positions: rows of quads, every eighth column from a lane's own on.
struct Limits {
    std::int32_t at[warp_rows / 2][2 * parts];

    // On their way while the products are made.
    __device__ __forceinline__ void load(const QuadPlane& plane, int rows, int column, int y) {
#pragma unroll
        for (int r = 0; r < warp_rows / 2; ++r)
#pragma unroll
            for (int i = 0; i < 2 * parts; ++i)
                at[r][i] = y + 2 * r < rows
                               ? __ldg(plane.values +
                                       static_cast<std::size_t>(y / 2 + r) * static_cast<std::size_t>(plane.stride) +
                                       static_cast<std::size_t>((column + 8 * i) / 2))
                               : INT_MAX;
    }
};

// Whether any sum of any pattern reaches its threshold: most warps have none.
__device__ __forceinline__ bool any_reached(const Accumulators& sums, const Limits& limits) {
    bool some = false;
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
#pragma unroll
        for (int i = 0; i < 2 * parts; ++i) {
            int most = INT_MIN;
#pragma unroll
            for (int o = 0; o < octets; ++o)
                most = max(most, max(sums.at[r][i / 2][o][i % 2 * 2], sums.at[r][i / 2][o][i % 2 * 2 + 1]));
            some = some || most >= limits.at[r / 2][i];
        }
    return __ballot_sync(all_lanes, some) != 0;
}

// Appends the candidates of patterns `first_pattern` + 32 among the positions of the warp; the lane's first one is at
// (column, y).
__device__ __forceinline__ void store(const Accumulators& sums, const Limits& limits, const TemplateScene& scene,
                                      const ManyCandidates& to, int column, int y, int first_pattern) {
    const int lane = static_cast<int>(lane_index());
    unsigned reached[2 * octets];  // of a pattern; bit 4 * row + i
    unsigned through[2 * octets];
    unsigned place[2 * octets];
    const auto pattern_of = [&](int n) { return first_pattern + 8 * (n / 2) + 2 * (lane % 4) + n % 2; };
    // All atomics are on their way before the first is waited for; one for the eight lanes that share a pattern.
#pragma unroll
    for (int n = 0; n < 2 * octets; ++n) {
        const QuadRoom rooms = to.room[pattern_of(n)];
        reached[n] = 0;
#pragma unroll
        for (int r = 0; r < warp_rows; ++r)
#pragma unroll
            for (int i = 0; i < 2 * parts; ++i) {
                const int threshold = limits.at[r / 2][i];
                const unsigned room = rooms.above(threshold);
                const int sum = sums.at[r][i / 2][n / 2][i % 2 * 2 + n % 2];
                const bool inside = column + 8 * i < scene.columns && y + r < scene.rows;
                if (inside && static_cast<unsigned>(sum - threshold) <= room) reached[n] |= 1u << (4 * r + i);
            }
        through[n] = static_cast<unsigned>(__popc(reached[n]));
        place[n] = 0;
        if (__ballot_sync(all_lanes, reached[n] != 0) == 0) continue;
#pragma unroll
        for (int far = 4; far < 32; far *= 2) {
            const unsigned other = __shfl_up_sync(all_lanes, through[n], static_cast<unsigned>(far));
            if (lane >= far) through[n] += other;
        }
        if (lane >= 28 && through[n] != 0)
            place[n] = atomicAdd(&to.progress[to.slot[pattern_of(n)]].candidates, through[n]);
    }
#pragma unroll
    for (int n = 0; n < 2 * octets; ++n) {
        unsigned next =
            __shfl_sync(all_lanes, place[n], 28 + lane % 4) + through[n] - static_cast<unsigned>(__popc(reached[n]));
        std::uint32_t* const places = to.places + static_cast<std::size_t>(pattern_of(n)) * to.capacity;
        while (reached[n] != 0 && next < to.capacity) {
            const int bit = __ffs(static_cast<int>(reached[n])) - 1;
            reached[n] &= reached[n] - 1;
            places[next++] =
                static_cast<std::uint32_t>(y + bit / 4) << 16 | static_cast<std::uint32_t>(column + 8 * (bit % 4));
        }
    }
}

// Begins to copy the rows of a tile's pixels as they lie in memory, from the 16-byte piece of the first one on.
__device__ __forceinline__ void load_raw(const TemplateScene& scene, const ManyTile& tile, int x, int y,
                                         unsigned char* raw) {
    const int last = last_word(scene);
    const int first_word = (scene.left + x) / 16 * 4;
    const int pieces = tile.raw_bytes / 16;
    for (int i = static_cast<int>(threadIdx.x); i < tile.image_rows * pieces; i += threads) {
        const int row = i / pieces;
        const int piece = i % pieces;
        const std::uint32_t* const from = row_words(scene, min(scene.top + y + row, scene.bytes.height - 1));
        copy_16_async(raw + 16 * i, from + min(first_word + 4 * piece, last - 3));
    }
    commit_copies();
}

// Makes the four copies.
__device__ __forceinline__ void spread(const ManyTile& tile, const unsigned char* raw, int moved,
                                       std::uint32_t* copies) {
    for (int i = static_cast<int>(threadIdx.x); i < tile.image_rows * tile.words; i += threads) {
        const int row = i / tile.words;
        const int word = i % tile.words;
        const auto* const from = reinterpret_cast<const std::uint32_t*>(raw + row * tile.raw_bytes) + word + moved / 4;
        const std::uint32_t three[3] = {from[0], from[1], from[2]};
        std::uint32_t* const to = copies + row * 4 * tile.stride + word;
#pragma unroll
        for (int copy = 0; copy < 4; ++copy) {
            const int byte = moved % 4 + copy;  // 0 to 6
            const bool far = byte >= 4;
            to[copy * tile.stride] = __funnelshift_r(far ? three[1] : three[0], far ? three[2] : three[1],
                                                     static_cast<unsigned>(8 * (byte & 3)));
        }
    }
}

// A lane's words of an image row for both parts of a row of positions; `from`: its first one.
__device__ __forceinline__ void load_row(unsigned (&to)[parts][4], const std::uint32_t* from) {
#pragma unroll
    for (int part = 0; part < parts; ++part)
#pragma unroll
        for (int i = 0; i < 4; ++i) to[part][i] = load_own(from + 4 * part + 2 * i);
}

template <int halves>
__global__ void __launch_bounds__(threads, 1) many_kernel(TemplateScene scene, ManyOperand operand, int tiles_across,
                                                          int tiles, QuadPlane thresholds, ManyCandidates to) {
    const int lane = static_cast<int>(lane_index());
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int half = warp % halves;
    const int warp_row = warp / halves * warp_rows;
    const ManyTile tile = tile_of(operand.width, operand.height, halves);
    const int steps = steps_of(operand.width);
    auto* const b_words = dynamic_shared<std::uint32_t>();
    const int row_words_of_b = steps * halves * octets * 64;
    std::uint32_t* const copies = b_words + operand.height * row_words_of_b;
    auto* const raw = reinterpret_cast<unsigned char*>(copies + tile.copies_words());
    for (int i = 4 * static_cast<int>(threadIdx.x); i < operand.height * row_words_of_b; i += 4 * threads)
        copy_16_async(b_words + i, operand.words + i);
    const auto begin_load = [&](int of) {
        if (of < tiles) load_raw(scene, tile, of % tiles_across * tile_columns, of / tiles_across * tile.rows, raw);
    };
    int number = static_cast<int>(blockIdx.x);
    begin_load(number);
    const int moved = scene.left % 16;  // tiles begin at multiples of 32
    for (; number < tiles; number += static_cast<int>(gridDim.x)) {
        const int x = number % tiles_across * tile_columns;
        const int y = number / tiles_across * tile.rows;
        wait_copies<0>();
        __syncthreads();
        spread(tile, raw, moved, copies);
        __syncthreads();
        begin_load(number + static_cast<int>(gridDim.x));
        Limits limits;
        limits.load(thresholds, scene.rows, x + lane / 4, y + warp_row);
        Accumulators sums;
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
        if (any_reached(sums, limits)) store(sums, limits, scene, to, x + lane / 4, y + warp_row, half * many_half);
    }
    wait_copies<0>();
}

}  // namespace

bool many_takes(int width, int height, int patterns, const DeviceLimits& limits) {
    constexpr int most_steps = 3;  // a copy's row has 40 words at most
    return patterns >= many_least && patterns <= many_most && gemm_takes(width, height, 1) &&
           steps_of(width) <= most_steps && shared_bytes_of(width, height, halves_of(patterns)) <= limits.shared_bytes;
}

std::vector<std::uint32_t> many_words(const std::vector<const std::vector<std::int8_t>*>& coefficients, int width,
                                      int height) {
    const int halves = halves_of(static_cast<int>(coefficients.size()));
    const int steps = steps_of(width);
    const auto groups = static_cast<std::size_t>(steps * halves * octets);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(height) * groups * 64, 0);
    for (std::size_t p = 0; p < coefficients.size(); ++p) {
        const std::int8_t* value = coefficients[p]->data();
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
    allow_shared(many_kernel<1>, limits.shared_bytes);
    allow_shared(many_kernel<2>, limits.shared_bytes);
}

void many_candidates(const TemplateScene& scene, const ManyOperand& operand, const QuadPlane& thresholds,
                     const ManyCandidates& candidates, const DeviceLimits& limits, cudaStream_t stream) {
    const int halves = halves_of(operand.patterns);
    const ManyTile tile = tile_of(operand.width, operand.height, halves);
    const auto across = static_cast<int>(blocks_for(static_cast<std::size_t>(scene.columns), tile_columns));
    const int tiles = across * static_cast<int>(blocks_for(static_cast<std::size_t>(scene.rows),
                                                           static_cast<std::size_t>(tile.rows)));
    LaunchShape shape;
    shape.block = dim3(threads);
    shape.grid = dim3(static_cast<unsigned>(std::min(tiles, limits.multiprocessors)));
    shape.shared_bytes = shared_bytes_of(operand.width, operand.height, halves);
    launch(halves == 2 ? many_kernel<2> : many_kernel<1>, shape, stream, scene, operand, across, tiles, thresholds,
           candidates);
}

}  // namespace vedette::cuda
