// gemm_kernel: D = A B with A the screen and B the pattern. Row m of A begins 16 m pixels along the screen's row and
// column n of B is the pattern moved by n pixels, so that D[m][n] belongs to position 16 m + n: the rows of A are
// 16-byte pieces of the image tile as it is, which ldmatrix reads without copies [gpu-notes: the image tile is the
// im2col]. A block owns 256 x 32 positions, a warp 256 x 8 of them: for each row of the pattern and 32 bytes along it
// one ldmatrix, since the fragments of eight image rows stay in registers, 4 words of B from the first-level cache, and
// 16 products of 16 x 8 x 32. The floor is (width + 15 pixels, rounded up to 32 bytes) * height (to 8) * positions over
// the rate of the tensor cores.
#include "kernels/template_gemm.h"

#include "device/matrix.cuh"
#include "device/shared.cuh"
#include "device/warp.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

#include <algorithm>

namespace vedette::cuda {

namespace {

constexpr int shifts = 16;
constexpr int warps = 4;
constexpr int warp_rows = 8;
constexpr int tile_rows = warps * warp_rows;
// Of a block; fits compute capability 7.5 (estimate).
constexpr int most_tile_bytes = 60 * 1024;

struct Accumulators {
    std::int32_t at[warp_rows][2][4] = {};  // output row, columns 0-7 and 8-15 of B, registers of the fragment
};

// Column of the first of two neighbouring positions that registers 2 * half and + 1 of product `part` hold.
__device__ __forceinline__ int column_of(int part, int half) {
    const int lane = static_cast<int>(lane_index());
    return shifts * (lane / 4 + 8 * half) + 8 * part + 2 * (lane % 4);
}

struct CandidateStore {
    PositionPlane thresholds;
    Candidates candidates;
    Progress* progress;

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
        // Four rows at a time: all thresholds are on their way before the first is compared, and one branch serves 32
        // comparisons.
#pragma unroll
        for (int first = 0; first < warp_rows; first += 4) {
            unsigned reached = 0;
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                if (y + first + r >= rows) continue;
                const std::int32_t* const row = thresholds.values + static_cast<std::size_t>(y + first + r) *
                                                                        static_cast<std::size_t>(thresholds.stride);
#pragma unroll
                for (int part = 0; part < 2; ++part)
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        const int2 limit = *reinterpret_cast<const int2*>(row + x + column_of(part, half));
                        const std::int32_t* const sum = &sums.at[first + r][part][2 * half];
                        const int bit = 8 * r + 4 * part + 2 * half;
                        reached |= (sum[0] >= limit.x ? 1u : 0u) << bit | (sum[1] >= limit.y ? 2u : 0u) << bit;
                    }
            }
            if (__ballot_sync(all_lanes, reached != 0) == 0) continue;
            for (int bit = 0; bit < 32; ++bit) {
                const bool take = (reached >> bit & 1u) != 0;
                if (__ballot_sync(all_lanes, take) == 0) continue;
                const unsigned place = warp_append(&progress->candidates, take);
                if (!take || place >= candidates.capacity) continue;
                const int column = x + column_of(bit >> 2 & 1, bit >> 1 & 1) + (bit & 1);
                candidates.places[place] =
                    static_cast<std::uint32_t>(y + first + bit / 8) << 16 | static_cast<std::uint32_t>(column);
            }
        }
    }
};

struct SumStore {
    PositionPlane plane;

    __device__ __forceinline__ void operator()(const Accumulators& sums, int x, int y, int rows) const {
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            if (y + r >= rows) continue;
            std::int32_t* const row =
                plane.values + static_cast<std::size_t>(y + r) * static_cast<std::size_t>(plane.stride);
#pragma unroll
            for (int part = 0; part < 2; ++part)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    *reinterpret_cast<int2*>(row + x + column_of(part, half)) =
                        int2{sums.at[r][part][2 * half], sums.at[r][part][2 * half + 1]};
        }
    }
};

// Words before the first of a copy, for the largest shift.
constexpr int words_before(int channels) {
    return (shifts - 1) * channels / 4;
}

template <int channels, class Store>
__global__ void __launch_bounds__(32 * warps, 4)
    gemm_kernel(TemplateScene scene, GemmOperand operand, int chunk, int pitch, Store store) {
    unsigned char* const tile = dynamic_shared<unsigned char>();
    const int lane = static_cast<int>(lane_index());
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int tile_x = static_cast<int>(blockIdx.x) * gemm_tile_columns;
    const int tile_y = static_cast<int>(blockIdx.y) * tile_rows;
    const int last = last_word(scene);
    const int first_byte = channels * (scene.left + tile_x);
    // Word of column n = lane / 4 of B; that of n + 8 lies 2 * channels words before.
    const int moved = channels * (lane / 4);
    const int word = moved % 4 * operand.stride + lane % 4 - moved / 4 + words_before(channels);
    const int row_words_of_b = 4 * operand.stride;
    Accumulators sums;
    for (int first = 0; first < operand.rows; first += chunk) {
        const int rows = min(chunk, operand.rows - first);
        __syncthreads();
        const int pieces = pitch / 16;
        for (int i = static_cast<int>(threadIdx.x); i < (tile_rows + rows - 1) * pieces; i += 32 * warps) {
            const int y = min(scene.top + tile_y + first + i / pieces, scene.bytes.height - 1);
            const std::uint32_t* const from = row_words(scene, y);
            const int byte = first_byte + 16 * (i % pieces);
            uint4 piece;
            if ((first_byte & 15) == 0) {
                piece = *reinterpret_cast<const uint4*>(from + min(byte / 4, last - 3));
            } else {
                piece.x = unaligned_word(from, byte, last);
                piece.y = unaligned_word(from, byte + 4, last);
                piece.z = unaligned_word(from, byte + 8, last);
                piece.w = unaligned_word(from, byte + 12, last);
            }
            *reinterpret_cast<uint4*>(tile + i / pieces * pitch + 16 * (i % pieces)) = piece;
        }
        __syncthreads();
        const unsigned char* const rows_of_a =
            tile + warp * warp_rows * pitch + 16 * channels * (lane % 16) + 16 * (lane / 16);
        for (int step = 0; step < operand.steps; ++step) {
            const std::uint32_t* b = operand.words +
                                     static_cast<std::size_t>(first) * static_cast<std::size_t>(row_words_of_b) + word +
                                     8 * step;
            const unsigned char* a = rows_of_a + 32 * step;
            unsigned held[warp_rows][4];
#pragma unroll
            for (int r = 0; r < warp_rows - 1; ++r) load_matrices(held[r], a + r * pitch);
            for (int j = 0; j < rows; j += warp_rows) {
#pragma unroll
                for (int u = 0; u < warp_rows; ++u) {
                    load_matrices(held[(u + warp_rows - 1) % warp_rows], a + (j + u + warp_rows - 1) * pitch);
                    const unsigned near[2] = {b[0], b[4]};
                    const unsigned far[2] = {b[-2 * channels], b[4 - 2 * channels]};
                    b += row_words_of_b;
#pragma unroll
                    for (int r = 0; r < warp_rows; ++r) {
                        multiply_u8_s8(sums.at[r][0], held[(u + r) % warp_rows], near);
                        multiply_u8_s8(sums.at[r][1], held[(u + r) % warp_rows], far);
                    }
                }
            }
        }
    }
    store(sums, tile_x, tile_y + warp * warp_rows, scene.rows);
}

// Rows of the pattern that pass at a time, and bytes of a row of the tile.
struct TileShape {
    int chunk;
    int pitch;
    std::size_t bytes() const {
        return static_cast<std::size_t>(tile_rows + chunk - 1) * static_cast<std::size_t>(pitch);
    }
};

TileShape tile_shape(const GemmOperand& operand, int channels) {
    const int pitch = channels * (gemm_tile_columns - shifts) + 32 * operand.steps;
    // Eight rows of the widest colour pattern still fit. Chunks of about one size, in eights.
    const int most = (most_tile_bytes / pitch - tile_rows + 1) / 8 * 8;
    const int chunks = (operand.rows + most - 1) / most;
    return {((operand.rows + chunks - 1) / chunks + 7) / 8 * 8, pitch};
}

template <class Store>
void start(const TemplateScene& scene, const GemmOperand& operand, const Store& store, cudaStream_t stream) {
    const TileShape tile = tile_shape(operand, scene.channels);
    LaunchShape shape;
    shape.block = dim3(32 * warps);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(scene.columns), gemm_tile_columns),
                      blocks_for(static_cast<std::size_t>(scene.rows), tile_rows));
    shape.shared_bytes = tile.bytes();
    if (scene.channels == 3)
        launch(gemm_kernel<3, Store>, shape, stream, scene, operand, tile.chunk, tile.pitch, store);
    else
        launch(gemm_kernel<1, Store>, shape, stream, scene, operand, tile.chunk, tile.pitch, store);
}

}  // namespace

GemmOperand gemm_shape(int width, int height, int channels) {
    GemmOperand operand;
    operand.rows = (height + warp_rows - 1) / warp_rows * warp_rows;
    operand.steps = ((width + shifts - 1) * channels + 31) / 32;
    // Copies eight banks apart, so that the lanes of a warp meet no other lane's bank.
    const int words = 8 * operand.steps + words_before(channels);
    operand.stride = (words + 7) / 16 * 16 + 8;
    return operand;
}

std::vector<std::uint32_t> gemm_words(const std::vector<std::int8_t>& coefficients, int width, int height,
                                      int channels) {
    const GemmOperand operand = gemm_shape(width, height, channels);
    const auto stride = static_cast<std::size_t>(operand.stride);
    const int row_bytes = width * channels;
    std::vector<std::uint32_t> words(4 * stride * static_cast<std::size_t>(operand.rows), 0);
    for (int y = 0; y < height; ++y)
        for (int copy = 0; copy < 4; ++copy)
            for (int i = 0; i < row_bytes; ++i) {
                const int byte = 4 * words_before(channels) + i + copy;
                const auto value = static_cast<std::uint8_t>(
                    coefficients[static_cast<std::size_t>(y) * static_cast<std::size_t>(row_bytes) +
                                 static_cast<std::size_t>(i)]);
                words[(4 * static_cast<std::size_t>(y) + static_cast<std::size_t>(copy)) * stride +
                      static_cast<std::size_t>(byte / 4)] |= std::uint32_t{value} << (8 * (byte % 4));
            }
    return words;
}

void gemm_prepare() {
    allow_shared(gemm_kernel<1, CandidateStore>, most_tile_bytes);
    allow_shared(gemm_kernel<3, CandidateStore>, most_tile_bytes);
    allow_shared(gemm_kernel<1, SumStore>, most_tile_bytes);
    allow_shared(gemm_kernel<3, SumStore>, most_tile_bytes);
}

void gemm_candidates(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& thresholds,
                     const Candidates& candidates, Progress* progress, cudaStream_t stream) {
    start(scene, operand, CandidateStore{thresholds, candidates, progress}, stream);
}

void gemm_sums(const TemplateScene& scene, const GemmOperand& operand, const PositionPlane& sums, cudaStream_t stream) {
    start(scene, operand, SumStore{sums}, stream);
}

}  // namespace vedette::cuda
