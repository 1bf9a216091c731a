// Sums and sums of squares of floats, in doubles, one kernel for whole tables.
#include "kernels/integral_tiles.cuh"

#include "runtime/launch.h"

namespace vedette::cuda::detail {

namespace {

constexpr int tile_rows = float_tile_rows;
constexpr int warp_rows = tile_rows / integral_warps;
constexpr int column_groups = tile_columns / 32;  // of 32 columns or rows, a warp's share of the look back
constexpr int row_groups = tile_rows / 32;

template <int quantities>
struct Shared {
    double columns[quantities][integral_warps][tile_columns];  // of the warps above, in this tile
    double above[quantities][tile_columns];                    // of the tiles above
    double rows[quantities][tile_rows];                        // of this tile
    double left[quantities][tile_rows];                        // of the tiles to the left
    double corner[quantities][row_groups];                     // above and to the left
    double own[quantities][tile_columns];                      // columns of this tile
    TileNumber tile;
};

// What quantity `q` adds up. `with_sum`: the first quantity is the sum.
template <bool with_sum>
__device__ __forceinline__ double quantity_of(float pixel, int q) {
    const auto value = static_cast<double>(pixel);
    return with_sum && q == 0 ? value : value * value;
}

// A block: a tile of 128 x 64. A warp: 8 of its rows; a lane four columns. The look back as in integral_bytes.cu, with
// two words for a double, and in an order of additions that depends on nothing but the tile's place.
//
// Bytes: four a pixel, eight an output and quantity (4K, both: 33 + 133 MB). About 8 double additions a pixel and
// quantity: on GPUs with few double units these are the floor (1/64 rate: 4K, both, about 0.2 ms; estimate).
template <bool with_sum, bool with_squares>
__global__ __launch_bounds__(integral_threads, 2) void integrate_floats_kernel(View<const float> in, View<double> sum,
                                                                               View<double> squares, TileWords words) {
    constexpr int quantities = (with_sum ? 1 : 0) + (with_squares ? 1 : 0);
    __shared__ Shared<quantities> shared;

    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    if (thread == 0) shared.tile = take_tile(words);
    __syncthreads();
    const TileNumber tile = shared.tile;
    const int x = tile.x * tile_columns + 4 * lane;
    const int y = tile.y * tile_rows + warp * warp_rows;

    // Past the right edge zeros: what the padding of a row holds may be no number.
    float pixels[warp_rows][4];
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
        float4 four{0, 0, 0, 0};
        if (x < in.width && y + r < in.height) four = *reinterpret_cast<const float4*>(in.row(y + r) + x);
        pixels[r][0] = four.x;
        pixels[r][1] = x + 1 < in.width ? four.y : 0;
        pixels[r][2] = x + 2 < in.width ? four.z : 0;
        pixels[r][3] = x + 3 < in.width ? four.w : 0;
    }

    double before[quantities][warp_rows];  // in the row, to the left of this lane
#pragma unroll
    for (int q = 0; q < quantities; ++q) {
        double column[4] = {};
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            double own = 0;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const double value = quantity_of<with_sum>(pixels[r][k], q);
                column[k] += value;
                own += value;
            }
            const double scan = warp_scan(own);
            const double left = __shfl_up_sync(all_lanes, scan, 1);
            before[q][r] = lane == 0 ? 0 : left;
            if (lane == 31) shared.rows[q][warp * warp_rows + r] = scan;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) shared.columns[q][warp][4 * lane + k] = column[k];
    }
    __syncthreads();

    auto* const column_words = reinterpret_cast<RealWord*>(words.columns) + tile.index * quantities * tile_columns;
    auto* const row_words = reinterpret_cast<RealWord*>(words.rows) + tile.index * quantities * tile_rows;
    auto* const corner_words = reinterpret_cast<RealWord*>(words.corners) + tile.index * quantities * row_groups;
    // Everything is published before anything is waited for.
    for (int index = thread; index < quantities * tile_columns; index += integral_threads) {
        const int q = index / tile_columns;
        const int column = index % tile_columns;
        double total = 0;
#pragma unroll
        for (int w = 0; w < integral_warps; ++w) {
            const double here = shared.columns[q][w][column];
            shared.columns[q][w][column] = total;
            total += here;
        }
        shared.own[q][column] = total;
        RealWord::publish(column_words + index, total, tile.y == 0, tile.call);
    }
    for (int index = thread; index < quantities * tile_rows; index += integral_threads)
        RealWord::publish(row_words + index, shared.rows[index / tile_rows][index % tile_rows], tile.x == 0, tile.call);
    __syncthreads();
    // Rows first: the corners of the tiles below wait for them.
    for (int group = warp; group < quantities * (row_groups + column_groups); group += integral_warps) {
        if (group < quantities * row_groups) {
            const int q = group / row_groups;
            const int part = group % row_groups;
            const int row = 32 * part + lane;
            RealWord* const word = row_words + q * tile_rows + row;
            const double left = RealWord::look_back(word, std::size_t{quantities} * tile_rows, tile.x, tile.call);
            if (tile.x != 0) RealWord::publish(word, left + shared.rows[q][row], true, tile.call);
            shared.left[q][row] = left;
            const double of_rows = warp_sum(left);
            RealWord* const corner = corner_words + q * row_groups + part;
            if (lane == 0) RealWord::publish(corner, of_rows, true, tile.call);
            double above = 0;
            const std::size_t pitch = std::size_t{quantities} * row_groups * words.across;
            for (int back = 1 + lane; back <= tile.y; back += 32)
                above += RealWord::wait_for(corner - pitch * back, tile.call);
            above = warp_sum(above);
            if (lane == 0) shared.corner[q][part] = above;
        } else {
            const int q = (group - quantities * row_groups) / column_groups;
            const int column = (group - quantities * row_groups) % column_groups * 32 + lane;
            RealWord* const word = column_words + q * tile_columns + column;
            const double above =
                RealWord::look_back(word, std::size_t{quantities} * tile_columns * words.across, tile.y, tile.call);
            if (tile.y != 0) RealWord::publish(word, above + shared.own[q][column], true, tile.call);
            shared.above[q][column] = above;
        }
    }
    __syncthreads();

#pragma unroll
    for (int q = 0; q < quantities; ++q) {
        double column[4];
        double own = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            column[k] = shared.above[q][4 * lane + k] + shared.columns[q][warp][4 * lane + k];
            own += column[k];
        }
        const double scan = __shfl_up_sync(all_lanes, warp_scan(own), 1);
        double start = lane == 0 ? 0 : scan;
        double left = 0;
        for (int row = lane; row < warp * warp_rows; row += 32) left += shared.left[q][row];
        start += warp_sum(left);
#pragma unroll
        for (int part = 0; part < row_groups; ++part) start += shared.corner[q][part];
        double at[4] = {start, 0, 0, 0};
#pragma unroll
        for (int k = 1; k < 4; ++k) at[k] = at[k - 1] + column[k - 1];
        const View<double>& out = with_sum && q == 0 ? sum : squares;
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            if (y + r > in.height) break;
            store_four(out.row(y + r), x, in.width + 1, at);
            double row = shared.left[q][warp * warp_rows + r] + before[q][r];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                at[k] += row;
                row += quantity_of<with_sum>(pixels[r][k], q);
            }
        }
    }
}

template <bool with_sum, bool with_squares>
void start(const IntegralShape& shape, const IntegralImages& images, const TileWords& words, cudaStream_t stream) {
    LaunchShape launch_shape;
    launch_shape.grid = dim3(static_cast<unsigned>(words.across) * static_cast<unsigned>(words.down));
    launch_shape.block = dim3(integral_threads);
    launch(integrate_floats_kernel<with_sum, with_squares>, launch_shape, stream,
           images.in.as<const float>(shape.width), images.sum.as<double>(shape.width + 1),
           images.squares.as<double>(shape.width + 1), words);
}

}  // namespace

void integrate_floats(const IntegralShape& shape, const IntegralImages& images, const TileWords& words,
                      cudaStream_t stream) {
    if (shape.squares == SumType::none) return start<true, false>(shape, images, words, stream);
    if (shape.sum == SumType::none) return start<false, true>(shape, images, words, stream);
    return start<true, true>(shape, images, words, stream);
}

}  // namespace vedette::cuda::detail
