// gemm_kernel: D = A B with A the screen and B the pattern. Row m of A begins 16 m pixels along the screen's row and
// column n of B is the pattern moved by n pixels, so that D[m][n] belongs to position 16 m + n: the rows of A are
// 16-byte pieces of the image tile as it is, which ldmatrix reads without copies [gpu-notes: the image tile is the
// im2col]. A block owns 256 x 32 positions, a warp 256 x 8 of them: for each row of the pattern and 32 bytes along it
// one ldmatrix, since the fragments of eight image rows stay in registers, 4 words of B from shared memory, and 16
// products of 16 x 8 x 32. Where 16 bytes are left at the end of the rows, two rows share a product. The floor is
// (width + 15 pixels, rounded up to 16 bytes) * height (to 8) * positions over the rate of the tensor cores.
#pragma once

#include "kernels/template_gemm_operand.h"
#include "kernels/template_hits.h"

#include "device/matrix.cuh"
#include "device/memory.cuh"
#include "device/previous.cuh"
#include "device/shared.cuh"
#include "device/warp.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

#include <algorithm>

namespace vedette::cuda::gemm {

// How the warps of a block share its tile: `groups` of eight rows of positions, and for each of them `parts` warps that
// take the pattern's rows by turns and add up what they have in the end. Parts make a block that much faster where
// there are not blocks enough for the device; without them a row of the image is read less often.
template <int groups_of_rows, int parts_of_pattern>
struct Team {
    static constexpr int groups = groups_of_rows;
    static constexpr int parts = parts_of_pattern;
    static constexpr int warps = groups * parts;
    static constexpr int threads = 32 * warps;
    static constexpr int tile_rows = gemm_rows * groups;
    static constexpr int blocks = 512 / threads;  // of a multiprocessor of compute capability 9.0, by registers
    // Shared memory of a block: so that as many, or of colour three quarters of them, fit there.
    static constexpr std::size_t most_shared_bytes(int channels) {
        return (std::size_t{channels == 3 ? 74u : 55u} << 10) * static_cast<std::size_t>(4 / blocks);
    }
    static constexpr int sums_bytes = groups * (parts / 2) * 32 * gemm_rows * 8 * 4;  // to be added up
};
using WholeTeam = Team<4, 1>;

struct Accumulators {
    std::int32_t at[gemm_rows][2][4] = {};  // output row, columns 0-7 and 8-15 of B, registers of the fragment
};

// Column of the first of two neighbouring positions that registers 2 * half and + 1 of product `part` hold.
__device__ __forceinline__ int column_of(int part, int half) {
    const int lane = static_cast<int>(lane_index());
    return gemm_shifts * (lane / 4 + 8 * half) + 8 * part + 2 * (lane % 4);
}

// Appends the positions of the bits in `reached`: 8 * row + 4 * part + 2 * half + which of two neighbours. Those
// outside the searched part are left out.
__device__ __forceinline__ void append_candidates(unsigned reached, int x, int y, int columns, int rows,
                                                  const Candidates& candidates, Progress* progress) {
    for (unsigned left = reached; left != 0; left &= left - 1) {
        const int bit = __ffs(static_cast<int>(left)) - 1;
        const int column = x + column_of(bit >> 2 & 1, bit >> 1 & 1) + (bit & 1);
        if (column >= columns || y + bit / 8 >= rows) reached &= ~(1u << bit);
    }
    unsigned place = warp_reserve(&progress->candidates, static_cast<unsigned>(__popc(reached)));
    while (reached != 0 && place < candidates.capacity) {
        const int bit = __ffs(static_cast<int>(reached)) - 1;
        reached &= reached - 1;
        const int column = x + column_of(bit >> 2 & 1, bit >> 1 & 1) + (bit & 1);
        candidates.places[place++] = static_cast<std::uint32_t>(y + bit / 8) << 16 | static_cast<std::uint32_t>(column);
    }
}

// Sums from `least` to least + room.
struct SumRange {
    int least;
    unsigned room;
};

// Appends the positions of a warp's eight rows whose sums are in the range that `range_of` makes of their quad's
// threshold.
template <class RangeOf>
__device__ __forceinline__ void append_in_quad_range(const Accumulators& sums, const QuadPlane& thresholds, int x,
                                                     int y, int columns, int rows, const Candidates& candidates,
                                                     Progress* progress, const RangeOf& range_of) {
#pragma unroll
    for (int first = 0; first < gemm_rows; first += 4) {
        unsigned reached = 0;
#pragma unroll
        for (int r = 0; r < 4; r += 2) {
            if (y + first + r >= rows) continue;
            const std::int32_t* const row = thresholds.values + static_cast<std::size_t>((y + first + r) / 2) *
                                                                    static_cast<std::size_t>(thresholds.stride);
#pragma unroll
            for (int part = 0; part < 2; ++part)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const SumRange range = range_of(row[(x + column_of(part, half)) / 2]);
#pragma unroll
                    for (int second = 0; second < 2; ++second) {
                        const std::int32_t* const sum = &sums.at[first + r + second][part][2 * half];
                        const int bit = 8 * (r + second) + 4 * part + 2 * half;
                        reached |= (static_cast<unsigned>(sum[0] - range.least) <= range.room ? 1u : 0u) << bit |
                                   (static_cast<unsigned>(sum[1] - range.least) <= range.room ? 2u : 0u) << bit;
                    }
                }
        }
        if (__ballot_sync(all_lanes, reached != 0) == 0) continue;
        append_candidates(reached, x, y + first, columns, rows, candidates, progress);
    }
}

// How a pattern passes through the shared memory of a block: in stages of a few rows, one of which is worked on while
// the next one is on its way. Image rows live in a ring, since neighbouring stages share most of them; rows of B in two
// buffers by turns.
struct TileShape {
    int tile_rows;
    int stage_rows;  // of the pattern, a multiple of eight times the team's parts
    int steps;       // of 32 bytes along them that pass at a time; the half step goes with the last ones
    int pitch;       // bytes of a row of the image
    int stride;      // words of a copy of B
    __host__ __device__ int ring_rows() const { return tile_rows + 2 * stage_rows; }
    __host__ __device__ int stage_words() const { return 4 * stride * stage_rows; }
    __host__ __device__ int shared_bytes() const { return ring_rows() * pitch + 2 * 4 * stage_words(); }
};

// A block's place on the screen and in its shared memory.
struct Tile {
    int x, y;
    unsigned char* ring;
    std::uint32_t* words;
};

// Copies the image rows [begin, end), counted from the tile's first, from the step `first_step` on, to the ring from
// its row `slot` on. Waits for nothing.
template <int channels, int warps>
__device__ __forceinline__ void load_image(const TemplateScene& scene, const TileShape& shape, const Tile& tile,
                                           int begin, int end, int slot, int first_step) {
    const int lane = static_cast<int>(lane_index());
    const int last = last_word(scene);
    const int first_byte = channels * (scene.left + tile.x) + 32 * first_step;
    const bool aligned = (first_byte & 15) == 0;
    for (int r = static_cast<int>(threadIdx.x / 32); r < end - begin; r += warps) {
        const int y = min(scene.top + tile.y + begin + r, scene.bytes.height - 1);
        const std::uint32_t* const from = row_words(scene, y);
        const int row = slot + r < shape.ring_rows() ? slot + r : slot + r - shape.ring_rows();
        for (int i = 16 * lane; i < shape.pitch; i += 16 * 32) {
            const int byte = first_byte + i;
            unsigned char* const to = tile.ring + row * shape.pitch + i;
            if (aligned) {
                copy_16_async(to, from + min(byte / 4, last - 3));
            } else {
                uint4 piece;
                piece.x = unaligned_word(from, byte, last);
                piece.y = unaligned_word(from, byte + 4, last);
                piece.z = unaligned_word(from, byte + 8, last);
                piece.w = unaligned_word(from, byte + 12, last);
                *reinterpret_cast<uint4*>(to) = piece;
            }
        }
    }
}

// Copies `rows` rows of the pattern from `first` on.
template <int warps>
__device__ __forceinline__ void load_pattern(const GemmOperand& operand, const TileShape& shape, int first, int rows,
                                             int first_step, std::uint32_t* to) {
    const std::uint32_t* const from =
        operand.words + 4 * static_cast<std::size_t>(first) * static_cast<std::size_t>(operand.stride);
    if (shape.stride == operand.stride) {
        for (int i = 4 * static_cast<int>(threadIdx.x); i < 4 * rows * operand.stride; i += 4 * 32 * warps)
            copy_16_async(to + i, from + i);
    } else {
        const int words = min(shape.stride, operand.stride - 8 * first_step);
        for (int copy = static_cast<int>(threadIdx.x / 32); copy < 4 * rows; copy += warps)
            for (int i = 4 * static_cast<int>(lane_index()); i < words; i += 4 * 32)
                copy_16_async(to + copy * shape.stride + i, from + copy * operand.stride + 8 * first_step + i);
    }
}

// A lane's way through the ring, eight rows after eight.
struct RingWalk {
    const unsigned char* start;  // of the ring, and this lane's place in a row
    int eight;                   // which
    int eights;                  // of the ring
    __device__ __forceinline__ const unsigned char* here(int pitch) const { return start + 8 * eight * pitch; }
    __device__ __forceinline__ void advance() { eight = eight + 1 < eights ? eight + 1 : 0; }
};

// Adds the products of 32 bytes along the rows. `walk`: this lane's pieces, from the warp's first image row on; `b`:
// its word of the pattern's first row.
template <int channels>
__device__ __forceinline__ void multiply_step(RingWalk walk, int pitch, const std::uint32_t* b, int words, int rows,
                                              Accumulators& sums) {
    unsigned held[gemm_rows][4];
    const unsigned char* a = walk.here(pitch);
#pragma unroll
    for (int r = 0; r < gemm_rows - 1; ++r) load_matrices(held[r], a + r * pitch);
    for (int j = 0; j < rows; j += gemm_rows) {
        load_matrices(held[gemm_rows - 1], a + (gemm_rows - 1) * pitch);
        walk.advance();
        a = walk.here(pitch);
#pragma unroll
        for (int u = 0; u < gemm_rows; ++u) {
            if (u > 0) load_matrices(held[u - 1], a + (u - 1) * pitch);
            const unsigned near[2] = {b[0], b[4]};
            const unsigned far[2] = {b[-2 * channels], b[4 - 2 * channels]};
            b += words;
#pragma unroll
            for (int r = 0; r < gemm_rows; ++r) {
                multiply_u8_s8(sums.at[r][0], held[(u + r) % gemm_rows], near);
                multiply_u8_s8(sums.at[r][1], held[(u + r) % gemm_rows], far);
            }
        }
    }
}

// The same of 16 bytes: the second half of a product takes the next row of image and pattern. The pieces of the upper
// half of the lanes belong to the second row. Every pair of neighbouring rows is read for itself, since a product wants
// its four registers side by side.
template <int channels>
__device__ __forceinline__ void multiply_half_step(RingWalk walk, int pitch, const std::uint32_t* b, int words,
                                                   int rows, Accumulators& sums) {
    const bool second = lane_index() >= 16;
    const int own = second ? pitch : 0;
    unsigned held[gemm_rows][4];
    const unsigned char* a = walk.here(pitch);
#pragma unroll
    for (int r = 0; r < gemm_rows - 2; ++r) load_matrices(held[r], a + r * pitch + own);
    for (int j = 0; j < rows; j += gemm_rows) {
        load_matrices(held[gemm_rows - 2], a + (gemm_rows - 2) * pitch + own);
        const unsigned char* const last = a + (gemm_rows - 1) * pitch;
        walk.advance();
        a = walk.here(pitch);
        load_matrices(held[gemm_rows - 1], second ? a : last);
#pragma unroll
        for (int u = 0; u < gemm_rows; u += 2) {
            if (u > 0) {
                load_matrices(held[u - 2], a + (u - 2) * pitch + own);
                load_matrices(held[u - 1], a + (u - 1) * pitch + own);
            }
            const unsigned near[2] = {b[0], b[words]};
            const unsigned far[2] = {b[-2 * channels], b[words - 2 * channels]};
            b += 2 * words;
#pragma unroll
            for (int r = 0; r < gemm_rows; ++r) {
                multiply_u8_s8(sums.at[r][0], held[(u + r) % gemm_rows], near);
                multiply_u8_s8(sums.at[r][1], held[(u + r) % gemm_rows], far);
            }
        }
    }
}

// What most stores begin with: every block works on the scene that was given, and needs nothing of earlier kernels
// before its products are there.
struct WholeScene {
    using Warps = WholeTeam;
    __device__ __forceinline__ bool begin(TemplateScene&) const { return true; }
};

// Adds up the parts' sums in those of each group's first warp. All threads of the block call it.
template <class Warps>
__device__ __forceinline__ void add_parts(Accumulators& sums, std::int32_t* shared, int group, int part) {
    constexpr int count = gemm_rows * 8;
    std::int32_t(&own)[count] = *reinterpret_cast<std::int32_t(*)[count]>(&sums);
#pragma unroll
    for (int half = Warps::parts / 2; half > 0; half /= 2) {
        std::int32_t* const place =
            shared + (group * (Warps::parts / 2) + part % half) * 32 * count + static_cast<int>(lane_index());
        __syncthreads();
        if (part >= half && part < 2 * half) {
#pragma unroll
            for (int i = 0; i < count; ++i) place[32 * i] = own[i];
        }
        __syncthreads();
        if (part < half) {
#pragma unroll
            for (int i = 0; i < count; ++i) own[i] += place[32 * i];
        }
    }
}

// `store` gets the sums of each group's rows. Before, begin() may turn to another scene; where it returns false there
// is nothing for this block to do. All threads of a block call it.
template <int channels, class Store>
__global__ void __launch_bounds__(Store::Warps::threads, Store::Warps::blocks)
    gemm_kernel(TemplateScene scene, GemmOperand operand, TileShape shape, Store store) {
    using Warps = typename Store::Warps;
    let_next_begin();
    if (!store.begin(scene)) return;
    const int lane = static_cast<int>(lane_index());
    const int group = static_cast<int>(threadIdx.x / 32) / Warps::parts;
    const int part = static_cast<int>(threadIdx.x / 32) % Warps::parts;
    Tile tile;
    tile.x = static_cast<int>(blockIdx.x) * gemm_tile_columns;
    tile.y = static_cast<int>(blockIdx.y) * Warps::tile_rows;
    tile.ring = dynamic_shared<unsigned char>();
    tile.words = reinterpret_cast<std::uint32_t*>(tile.ring + shape.ring_rows() * shape.pitch);
    // Word of column n = lane / 4 of B; that of n + 8 lies 2 * channels words before.
    const int moved = channels * (lane / 4);
    const int own_word = moved % 4 * shape.stride + lane % 4 - moved / 4 + gemm_words_before(channels);
    const int words = 4 * shape.stride;
    const unsigned char* const own_bytes = tile.ring + 16 * channels * (lane % 16);
    Accumulators sums;
    int first_step = 0;
    do {
        const int steps = min(shape.steps, operand.steps - first_step);
        const bool half_step = operand.half_step && first_step + steps == operand.steps;
        const int begin = min(shape.stage_rows, operand.rows);
        __syncthreads();
        load_image<channels, Warps::warps>(scene, shape, tile, 0, Warps::tile_rows + begin, 0, first_step);
        load_pattern<Warps::warps>(operand, shape, 0, begin, first_step, tile.words);
        commit_copies();
        RingWalk walk{own_bytes, group, shape.ring_rows() / 8};
        int slot = Warps::tile_rows + begin;  // of the next image row
        int turn = 0;
        for (int first = 0; first < operand.rows; first += shape.stage_rows) {
            wait_copies<0>();
            __syncthreads();
            const int rows = min(shape.stage_rows, operand.rows - first);
            const int next = first + rows;
            if (next < operand.rows) {
                const int next_rows = min(shape.stage_rows, operand.rows - next);
                load_image<channels, Warps::warps>(scene, shape, tile, Warps::tile_rows + next,
                                                   Warps::tile_rows + next + next_rows, slot, first_step);
                slot += next_rows;
                if (slot >= shape.ring_rows()) slot -= shape.ring_rows();
                load_pattern<Warps::warps>(operand, shape, next, next_rows, first_step,
                                           tile.words + (turn ^ 1) * shape.stage_words());
            }
            commit_copies();
            // A warp's own rows: all of them, or eight.
            const int own_first = Warps::parts == 1 ? 0 : gemm_rows * part;
            const int own_rows = Warps::parts == 1 ? rows : min(gemm_rows, rows - own_first);
            const std::uint32_t* const b = tile.words + turn * shape.stage_words() + own_word + own_first * words;
            turn ^= 1;
            RingWalk own = walk;
            if (Warps::parts > 1)
                for (int i = 0; i < part; ++i) own.advance();
            RingWalk half = own;
            own.start += 16 * (lane / 16);
            if (own_rows > 0) {
                for (int step = 0; step < steps; ++step) {
                    multiply_step<channels>(own, shape.pitch, b + 8 * step, words, own_rows, sums);
                    own.start += 32;
                }
                half.start += 32 * steps;
                if (half_step) multiply_half_step<channels>(half, shape.pitch, b + 8 * steps, words, own_rows, sums);
            }
            for (int i = 0; i < rows; i += 8) walk.advance();
        }
        first_step += steps;
    } while (first_step < operand.steps);
    if constexpr (Warps::parts > 1) {
        add_parts<Warps>(sums, dynamic_shared<std::int32_t>(), group, part);
        if (part > 0) return;
    }
    wait_for_previous();  // for the thresholds, and for the readers of the candidates before these
    store(sums, tile.x, tile.y + group * gemm_rows, scene.rows);
}

template <class Warps>
TileShape tile_shape(const GemmOperand& operand, int channels, const DeviceLimits& limits) {
    const int room = static_cast<int>(std::min(Warps::most_shared_bytes(channels), limits.shared_bytes));
    const auto shape_of = [&](int stage_rows, int steps) {
        const int halves = 2 * steps + (operand.half_step ? 1 : 0);
        return TileShape{Warps::tile_rows, stage_rows, steps,
                         channels * (gemm_tile_columns - gemm_shifts) + 16 * halves, gemm_stride(halves, channels)};
    };
    // Of several parts a warp takes eight rows of a stage.
    constexpr int short_rows = gemm_rows * Warps::parts;
    const TileShape long_stages = shape_of(Warps::parts > 1 ? short_rows : std::min(16, operand.rows), operand.steps);
    if (long_stages.shared_bytes() <= room) return long_stages;
    // Wide patterns pass in parts of about one width.
    for (int parts = 1;; ++parts) {
        const TileShape shape = shape_of(short_rows, (operand.steps + parts - 1) / parts);
        if (shape.shared_bytes() <= room || shape.steps <= 1) return shape;
    }
}

// `layers`: of the grid, for stores that tell them apart.
template <int channels, class Store>
void start_with(const TemplateScene& scene, const GemmOperand& operand, const Store& store, const DeviceLimits& limits,
                bool early, cudaStream_t stream, unsigned layers = 1) {
    using Warps = typename Store::Warps;
    const TileShape tile = tile_shape<Warps>(operand, channels, limits);
    LaunchShape shape;
    shape.early = early;
    shape.block = dim3(Warps::threads);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(scene.columns), gemm_tile_columns),
                      blocks_for(static_cast<std::size_t>(scene.rows), Warps::tile_rows), layers);
    shape.shared_bytes = static_cast<std::size_t>(std::max(tile.shared_bytes(), Warps::sums_bytes));
    launch(gemm_kernel<channels, Store>, shape, stream, scene, operand, tile, store);
}

// Lets the kernel have its shared memory; when a plan is made.
template <int channels, class Store>
void allow_gemm_shared(const DeviceLimits& limits) {
    allow_shared(gemm_kernel<channels, Store>,
                 std::min(Store::Warps::most_shared_bytes(channels), limits.shared_bytes));
}

}  // namespace vedette::cuda::gemm
