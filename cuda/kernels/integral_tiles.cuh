// What the kernels that sum in one pass share: tiles numbered by a ticket, words that are flag and value in one, and
// the look back at the tiles before.
//
// The outputs (width + 1) x (height + 1) are cut into tiles. A tile adds up the columns and rows of its own pixels,
// publishes those sums, and asks the tiles above for the sums of its columns and the tiles to its left for the sums of
// its rows. A predecessor answers with the sum of its own pixels (an aggregate), upon which one looks further back, or
// with the sum of everything before and itself (inclusive).
//
// No block waits for one that has not started: tiles are numbered by a ticket in the order in which blocks start, row
// by row, and a tile waits only for smaller numbers, after it has published its own aggregates. So the kernels finish
// on every device, however few blocks it holds.
//
// Every call writes every word that is read, hence a word is always of this call or of the one before.
#pragma once

#include "device/look_back.cuh"
#include "device/memory.cuh"
#include "device/warp.cuh"
#include "kernels/integral.h"

#include <type_traits>

namespace vedette::cuda {

inline constexpr int tile_columns = 128;  // a warp across, four columns a lane
inline constexpr int integral_warps = 8;
inline constexpr int integral_threads = 32 * integral_warps;
// H200, 4K: 16 rows a warp were the fastest for sums of bytes alone. A float takes four times the registers.
inline constexpr int byte_tile_rows = 16 * integral_warps;
inline constexpr int float_tile_rows = 8 * integral_warps;

// Where a kernel finds its words; `across` x `down` tiles.
struct TileWords {
    unsigned long long* ticket;
    std::byte* columns;  // [tile][column]; floats: [tile][quantity][column]
    std::byte* rows;     // [tile][row]; floats: [tile][quantity][row]
    std::byte* corners;  // [tile][quantity][32 rows]
    int across, down;
};

struct TileNumber {
    int x, y;
    std::size_t index;
    unsigned call;  // counts from 1; truncated by the words
};

// Gives the block its tile. One thread calls it.
__device__ __forceinline__ TileNumber take_tile(const TileWords& words) {
    const unsigned long long tiles = static_cast<unsigned long long>(words.across) * words.down;
    const unsigned long long ticket = atomicAdd(words.ticket, 1ull);
    const unsigned long long call = ticket / tiles;
    const auto index = static_cast<unsigned>(ticket - call * tiles);
    TileNumber tile;
    tile.x = static_cast<int>(index % static_cast<unsigned>(words.across));
    tile.y = static_cast<int>(index / static_cast<unsigned>(words.across));
    tile.index = index;
    tile.call = static_cast<unsigned>(call + 1);
    return tile;
}

// Writes columns x .. x + 3 of a row of an output, as far as they lie below `width`. All lanes take part; x is four
// times the lane's number more than a multiple of 128. Past the caches' usual order: outputs are not read again here.
template <class T>
__device__ __forceinline__ void store_four(T* row, int x, int width, const T (&value)[4]) {
    if constexpr (sizeof(T) == 4) {
        if (x + 4 <= width) {
            store_streaming(reinterpret_cast<uint4*>(row + x),
                            uint4{static_cast<unsigned>(value[0]), static_cast<unsigned>(value[1]),
                                  static_cast<unsigned>(value[2]), static_cast<unsigned>(value[3])});
            return;
        }
        for (int k = 0; k < 4; ++k)
            if (x + k < width) row[x + k] = value[k];
    } else {
        // Neighbouring lanes trade pairs, so that each store of the warp fills whole sectors of 32 bytes.
        const bool odd = (lane_index() & 1) != 0;
        const T send[2] = {odd ? value[0] : value[2], odd ? value[1] : value[3]};
        const T taken[2] = {__shfl_xor_sync(all_lanes, send[0], 1), __shfl_xor_sync(all_lanes, send[1], 1)};
        const T pair[2][2] = {{odd ? taken[0] : value[0], odd ? taken[1] : value[1]},
                              {odd ? value[2] : taken[0], odd ? value[3] : taken[1]}};
        const int first = (x & ~7) + (odd ? 2 : 0);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int at = first + 4 * k;
            if (at + 2 <= width) {
                using Pair = std::conditional_t<std::is_same_v<T, double>, double2, ulonglong2>;
                store_streaming(reinterpret_cast<Pair*>(row + at), Pair{pair[k][0], pair[k][1]});
            } else if (at < width) {
                row[at] = pair[k][0];
            }
        }
    }
}

namespace detail {
void integrate_bytes(const IntegralShape& shape, const IntegralImages& images, const TileWords& words,
                     cudaStream_t stream);
void integrate_floats(const IntegralShape& shape, const IntegralImages& images, const TileWords& words,
                      cudaStream_t stream);
}  // namespace detail

}  // namespace vedette::cuda
