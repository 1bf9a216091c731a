// Sums and sums of squares of bytes, one kernel for whole tables.
#include "kernels/integral_tiles.cuh"

#include "runtime/launch.h"

namespace vedette::cuda::detail {

namespace {

constexpr int tile_rows = byte_tile_rows;
constexpr int warp_rows = tile_rows / integral_warps;
constexpr int row_warps = tile_rows / 32;  // those that look back along rows
static_assert(32 * (tile_columns / 32 + row_warps) == integral_threads, "a thread looks back along one column or row");

struct Nothing {};

template <class T>
constexpr bool is_asked = !std::is_same_v<T, Nothing>;

// A column or row of the widest image sums to less than 2^24, of squares to less than 2^32.
constexpr int sum_bits = 24;
constexpr int square_bits = 32;
template <bool with_squares>
using Word = std::conditional_t<with_squares, PackedWord<unsigned long long, sum_bits + square_bits>,
                                PackedWord<unsigned, sum_bits>>;
// Sums of whole tiles, rows of 32: below 2^29 and 2^38 a tile, below 2^40 with all to the left of it.
using Corner = PackedWord<unsigned long long, 48>;

__device__ __forceinline__ unsigned byte_of(unsigned word, int index) {
    return word >> 8 * index & 0xffu;
}

template <bool with_squares>
struct Shared {
    alignas(16) unsigned columns[1 + with_squares][integral_warps][tile_columns];  // of the warps above, in this tile
    alignas(16) unsigned above[1 + with_squares][tile_columns];                    // of the tiles above
    unsigned rows[1 + with_squares][tile_rows];                                    // of this tile
    unsigned left[1 + with_squares][tile_rows];                                    // of the tiles to the left
    unsigned long long corner[1 + with_squares][row_warps];                        // above and to the left
    TileNumber tile;
};

// Sums at four neighbouring columns, going down: starts with the sum above and to the left of the warp's first row.
// `Sum`: unsigned (modulo 2^32) or unsigned long long.
template <class Sum, bool with_squares>
__device__ __forceinline__ void start_columns(const Shared<with_squares>& shared, int quantity, int warp, int lane,
                                              Sum (&at)[4]) {
    const uint4 above = *reinterpret_cast<const uint4*>(&shared.above[quantity][4 * lane]);
    const uint4 before = *reinterpret_cast<const uint4*>(&shared.columns[quantity][warp][4 * lane]);
    const Sum column[4] = {Sum{above.x} + before.x, Sum{above.y} + before.y, Sum{above.z} + before.z,
                           Sum{above.w} + before.w};
    const Sum own = column[0] + column[1] + column[2] + column[3];
    Sum start = warp_scan(own) - own;
    Sum left = 0;
    for (int row = lane; row < warp * warp_rows; row += 32) left += shared.left[quantity][row];
    start += warp_sum(left);
#pragma unroll
    for (int part = 0; part < row_warps; ++part) start += static_cast<Sum>(shared.corner[quantity][part]);
    at[0] = start;
    at[1] = at[0] + column[0];
    at[2] = at[1] + column[1];
    at[3] = at[2] + column[2];
}

// A block: a tile of 128 x 128. A warp: 16 of its rows, in registers. A lane: four columns, one word a row. Rows are
// summed across the warp, two sums of at most 32640 in a word; squares in words of their own. Thread c < 128 looks back
// up column c, the other threads along one row each; the corner is added from what lies left of the tiles above, which
// waits for no chain. Three barriers.
//
// Bytes: the pixels once, the outputs once (4K: 8.3 + 33.2, with 64-bit squares 8.3 + 99.6 MB); words about 1 % of
// that. Floor: bandwidth. About 5 integer operations a pixel and output.
template <class SumOut, class SquareOut>
__global__ __launch_bounds__(integral_threads, is_asked<SquareOut> ? 3 : 4) void integrate_bytes_kernel(
    View<const std::uint8_t> in, View<SumOut> sum, View<SquareOut> squares, TileWords words) {
    constexpr bool with_squares = is_asked<SquareOut>;
    constexpr int quantities = 1 + with_squares;
    using Packed = Word<with_squares>;
    using Value = typename Packed::Value;
    // Doubles are made from exact sums of 64 bits.
    using Sum = std::conditional_t<std::is_same_v<SumOut, double>, unsigned long long, unsigned>;
    __shared__ Shared<with_squares> shared;

    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    if (thread == 0) shared.tile = take_tile(words);
    __syncthreads();
    const TileNumber tile = shared.tile;
    const int x = tile.x * tile_columns + 4 * lane;
    const int y = tile.y * tile_rows + warp * warp_rows;

    // What lies past the right edge is added to columns and rows that nobody reads.
    unsigned pixels[warp_rows];
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
        pixels[r] = x < in.width && y + r < in.height ? *reinterpret_cast<const unsigned*>(in.row(y + r) + x) : 0;

    // Columns of the warp's rows.
    {
        unsigned even = 0;
        unsigned odd = 0;
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            even += pixels[r] & 0x00ff00ffu;
            odd += pixels[r] >> 8 & 0x00ff00ffu;
        }
        *reinterpret_cast<uint4*>(&shared.columns[0][warp][4 * lane]) =
            uint4{even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16};
        if constexpr (with_squares) {
            unsigned column[4] = {};
#pragma unroll
            for (int r = 0; r < warp_rows; ++r)
#pragma unroll
                for (int k = 0; k < 4; ++k) column[k] += byte_of(pixels[r], k) * byte_of(pixels[r], k);
            *reinterpret_cast<uint4*>(&shared.columns[1][warp][4 * lane]) =
                uint4{column[0], column[1], column[2], column[3]};
        }
    }

    // Rows: what lies to the left of this lane, two rows in a word.
    unsigned before[warp_rows / 2];
#pragma unroll
    for (int r = 0; r < warp_rows; r += 2) {
        const unsigned own = __dp4a(pixels[r], 0x01010101u, 0u) | __dp4a(pixels[r + 1], 0x01010101u, 0u) << 16;
        const unsigned scan = warp_scan(own);
        before[r / 2] = scan - own;
        if (lane == 31) {
            shared.rows[0][warp * warp_rows + r] = scan & 0xffffu;
            shared.rows[0][warp * warp_rows + r + 1] = scan >> 16;
        }
    }
    unsigned before_squares[warp_rows];
    if constexpr (with_squares) {
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            const unsigned own = __dp4a(pixels[r], pixels[r], 0u);
            const unsigned scan = warp_scan(own);
            before_squares[r] = scan - own;
            if (lane == 31) shared.rows[1][warp * warp_rows + r] = scan;
        }
    }
    __syncthreads();

    const auto pack = [](unsigned of_pixels, unsigned of_squares) {
        if constexpr (with_squares)
            return static_cast<Value>(of_pixels) | static_cast<Value>(of_squares) << sum_bits;
        else
            return of_pixels;
    };
    const auto unpack = [](Value value, int quantity) {
        if constexpr (with_squares)
            return static_cast<unsigned>(quantity == 0 ? value & ((1u << sum_bits) - 1) : value >> sum_bits);
        else
            return value;
    };
    if (thread < tile_columns) {
        unsigned total[2] = {};
#pragma unroll
        for (int q = 0; q < quantities; ++q)
#pragma unroll
            for (int w = 0; w < integral_warps; ++w) {
                const unsigned here = shared.columns[q][w][thread];
                shared.columns[q][w][thread] = total[q];
                total[q] += here;
            }
        Value* const word = reinterpret_cast<Value*>(words.columns) + tile.index * tile_columns + thread;
        const Value own = pack(total[0], total[1]);
        Packed::publish(word, own, tile.y == 0, tile.call);
        const Value above = Packed::look_back(word, std::size_t{tile_columns} * words.across, tile.y, tile.call);
        if (tile.y != 0) Packed::publish(word, above + own, true, tile.call);
#pragma unroll
        for (int q = 0; q < quantities; ++q) shared.above[q][thread] = unpack(above, q);
    } else {
        const int row = thread - tile_columns;
        const int part = row / 32;
        Value* const word = reinterpret_cast<Value*>(words.rows) + tile.index * tile_rows + row;
        const Value own = pack(shared.rows[0][row], with_squares ? shared.rows[quantities - 1][row] : 0);
        Packed::publish(word, own, tile.x == 0, tile.call);
        const Value left = Packed::look_back(word, tile_rows, tile.x, tile.call);
        if (tile.x != 0) Packed::publish(word, left + own, true, tile.call);
#pragma unroll
        for (int q = 0; q < quantities; ++q) {
            shared.left[q][row] = unpack(left, q);
            // Corner: everything left of the tile, in the rows of the tiles above.
            const auto of_rows = warp_sum(static_cast<unsigned long long>(unpack(left, q)));
            unsigned long long* const corner = reinterpret_cast<unsigned long long*>(words.corners) +
                                               (tile.index * quantities + static_cast<unsigned>(q)) * row_warps + part;
            if (lane == 0) Corner::publish(corner, of_rows, true, tile.call);
            unsigned long long above = 0;
            const std::size_t pitch = std::size_t{row_warps} * quantities * words.across;
            for (int back = 1 + lane; back <= tile.y; back += 32)
                above += Corner::wait_for(corner - pitch * back, tile.call);
            above = warp_sum(above);
            if (lane == 0) shared.corner[q][part] = above;
        }
    }
    __syncthreads();

    Sum at[4] = {};
    unsigned long long squares_at[4] = {};
    if constexpr (is_asked<SumOut>) start_columns(shared, 0, warp, lane, at);
    if constexpr (with_squares) start_columns(shared, 1, warp, lane, squares_at);
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
        if (y + r > in.height) break;
        const int row = warp * warp_rows + r;
        if constexpr (is_asked<SumOut>) {
            const SumOut out[4] = {static_cast<SumOut>(at[0]), static_cast<SumOut>(at[1]), static_cast<SumOut>(at[2]),
                                   static_cast<SumOut>(at[3])};
            store_four(sum.row(y + r), x, in.width + 1, out);
            unsigned left = shared.left[0][row] + (before[r / 2] >> 16 * (r % 2) & 0xffffu);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                at[k] += left;
                left += byte_of(pixels[r], k);
            }
        }
        if constexpr (with_squares) {
            const SquareOut out[4] = {static_cast<SquareOut>(squares_at[0]), static_cast<SquareOut>(squares_at[1]),
                                      static_cast<SquareOut>(squares_at[2]), static_cast<SquareOut>(squares_at[3])};
            store_four(squares.row(y + r), x, in.width + 1, out);
            unsigned left = shared.left[1][row] + before_squares[r];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                squares_at[k] += left;
                left += byte_of(pixels[r], k) * byte_of(pixels[r], k);
            }
        }
    }
}

template <class Out>
View<Out> view_of(const View<std::byte>& image, std::int32_t width) {
    return image.as<Out>(width);
}

template <class SumOut, class SquareOut>
void start(const IntegralShape& shape, const IntegralImages& images, const TileWords& words, cudaStream_t stream) {
    LaunchShape launch_shape;
    launch_shape.grid = dim3(static_cast<unsigned>(words.across) * static_cast<unsigned>(words.down));
    launch_shape.block = dim3(integral_threads);
    launch(integrate_bytes_kernel<SumOut, SquareOut>, launch_shape, stream,
           images.in.as<const std::uint8_t>(shape.width), view_of<SumOut>(images.sum, shape.width + 1),
           view_of<SquareOut>(images.squares, shape.width + 1), words);
}

template <class SumOut>
void start(const IntegralShape& shape, const IntegralImages& images, const TileWords& words, cudaStream_t stream) {
    switch (shape.squares) {
        case SumType::none:
            if constexpr (is_asked<SumOut>) start<SumOut, Nothing>(shape, images, words, stream);
            return;
        case SumType::integer:
            return start<SumOut, unsigned long long>(shape, images, words, stream);
        case SumType::real:
            return start<SumOut, double>(shape, images, words, stream);
    }
}

}  // namespace

void integrate_bytes(const IntegralShape& shape, const IntegralImages& images, const TileWords& words,
                     cudaStream_t stream) {
    switch (shape.sum) {
        case SumType::none:
            return start<Nothing>(shape, images, words, stream);
        case SumType::integer:
            return start<unsigned>(shape, images, words, stream);
        case SumType::real:
            return start<double>(shape, images, words, stream);
    }
}

}  // namespace vedette::cuda::detail
