// The tile of a screen that many patterns are compared with, in shared memory: the pixels as they are loaded, four
// copies that are moved by 0 to 3 bytes, so that words begin at any byte, and sums over pieces of rows.
#pragma once

#include "device/memory.cuh"
#include "device/warp.cuh"
#include "kernels/template_scene.cuh"

#include <cstdint>

namespace vedette::cuda::many {

__host__ __device__ constexpr int steps_of(int width) {
    return (width + 31) / 32;
}

struct ManyTile {
    int columns;  // of positions, a multiple of 32
    int rows;
    int image_rows;  // that they cover
    int words;       // of a copy's row that are read
    int stride;      // words of a copy's row: copies lie 8 or 24 banks apart
    int raw_bytes;   // of a row as it is loaded, 16-byte pieces
    __host__ __device__ int copies_words() const { return image_rows * 4 * stride; }
    // Sums and squares over pieces of rows, for each column of positions.
    __host__ __device__ int sums_words() const { return image_rows * 2 * columns; }
};

__host__ __device__ inline ManyTile make_tile(int columns, int rows, int width, int height) {
    ManyTile tile{};
    tile.columns = columns;
    tile.rows = rows;
    tile.image_rows = rows + height - 1;
    tile.words = 8 * steps_of(width) + columns / 4;
    tile.stride = tile.words <= 24 ? 24 : 40;
    tile.raw_bytes = (15 + 4 * tile.words + 4 + 15) / 16 * 16;
    return tile;
}

// The threads that work on a tile together; a multiple of 32.
struct Team {
    int thread;
    int threads;
};

// Begins to copy the rows of a tile's pixels as they lie in memory, from the 16-byte piece of the first one on.
__device__ __forceinline__ void load_raw(const TemplateScene& scene, const ManyTile& tile, int x, int y,
                                         const Team& team, unsigned char* raw) {
    const int last = last_word(scene);
    const int first_word = (scene.left + x) / 16 * 4;
    const int pieces = tile.raw_bytes / 16;
    for (int i = team.thread; i < tile.image_rows * pieces; i += team.threads) {
        const int row = i / pieces;
        const int piece = i % pieces;
        const std::uint32_t* const from = row_words(scene, min(scene.top + y + row, scene.bytes.height - 1));
        copy_16_async(raw + 16 * i, from + min(first_word + 4 * piece, last - 3));
    }
    commit_copies();
}

// Makes the four copies.
__device__ __forceinline__ void spread(const ManyTile& tile, const unsigned char* raw, int moved, const Team& team,
                                       std::uint32_t* copies) {
    for (int i = team.thread; i < tile.image_rows * tile.words; i += team.threads) {
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

// The bytes of word `word` that belong to the `width` bytes from `first` on.
__device__ __forceinline__ unsigned bytes_of_piece(int word, int first, int width) {
    const int begin = max(first - 4 * word, 0);
    const int end = min(first + width - 4 * word, 4);
    if (begin >= end) return 0;
    return (~0u << (8 * begin)) & (~0u >> (8 * (4 - end)));
}

// Sums over pieces of `width` pixels of the image's rows that begin at the tile's columns, and their squares behind
// them. A lane has four columns, which share all words but those at the ends.
template <int columns>
__device__ __forceinline__ void sum_rows(const ManyTile& tile, int width, const std::uint32_t* copies, const Team& team,
                                         unsigned* to) {
    constexpr int across = columns / 4;
    constexpr unsigned ones = 0x01010101u;
    const int whole = max(width / 4, 1);  // words before are whole ones of all four columns, but for the first
    for (int piece = team.thread; piece < tile.image_rows * across; piece += team.threads) {
        const int row = piece / across;
        const int column = 4 * (piece % across);
        const std::uint32_t* const from = copies + row * 4 * tile.stride + column / 4;
        unsigned sum = 0;
        unsigned square = 0;
#pragma unroll 8
        for (int k = 1; k < whole; ++k) {
            sum = __dp4a(from[k], ones, sum);
            square = __dp4a(from[k], from[k], square);
        }
        unsigned sums[4];
        unsigned squares[4];
        const unsigned first = from[0];
        const unsigned last = from[whole];
        const unsigned past = width % 4 == 0 ? 0 : from[whole + 1];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sums[k] = sum;
            squares[k] = square;
            const auto add = [&](unsigned four) {
                sums[k] = __dp4a(four, ones, sums[k]);
                squares[k] = __dp4a(four, four, squares[k]);
            };
            if (width % 4 == 0) {  // what the end adds is as much as the beginning lacks
                add((first & ~0u << (8 * k)) | (last & ~(~0u << (8 * k))));
            } else {
                add(first & bytes_of_piece(0, k, width));
                add(last & bytes_of_piece(whole, k, width));
                add(past & bytes_of_piece(whole + 1, k, width));
            }
        }
        auto* const out = reinterpret_cast<uint4*>(to + row * 2 * columns + column);
        out[0] = uint4{sums[0], sums[1], sums[2], sums[3]};
        out[columns / 4] = uint4{squares[0], squares[1], squares[2], squares[3]};
    }
}

}  // namespace vedette::cuda::many
