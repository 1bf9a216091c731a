// A tile's tables in shared memory: sums of its pixels or of their squares, and tilted sums.
//
// A table has a row and a column more than the tile has pixels: element (x, y) is the sum of what lies left of x and
// above y in the tile. With step 2 even columns come first and odd ones after them, so that windows beside each other
// have places beside each other. Modulo 2^32; sums over a window are smaller.
#pragma once

#include "device/warp.cuh"
#include "kernels/cascade.h"

namespace vedette::cuda {

inline constexpr int cascade_threads = 512;
inline constexpr int cascade_warps = cascade_threads / 32;

__device__ __forceinline__ int table_place(const CascadeLayout& layout, int x, int y) {
    return y * layout.pitch + (layout.step == 1 ? x : (x & 1) * layout.half + (x >> 1));
}

// Bytes of a row of pixels in shared memory.
__device__ __forceinline__ int pixel_pitch(const CascadeLayout& layout) {
    return (layout.pixel_width + 3) / 4 * 4;
}

// Pixels from (x, y) of the level on; zeros where it ends. x is a multiple of 16.
__device__ __forceinline__ void load_pixels(const CascadeLayout& layout, const std::uint8_t* image, std::size_t pitch,
                                            int width, int height, int x, int y, std::uint8_t* pixels) {
    const int words = pixel_pitch(layout) / 4;
    for (int row = static_cast<int>(threadIdx.x) / 32; row < layout.pixel_height; row += cascade_warps)
        for (int word = static_cast<int>(lane_index()); word < words; word += 32) {
            unsigned four = 0;
            // Rows may be read up to the next multiple of 16 bytes.
            if (y + row < height && x + 4 * word < width)
                four = *reinterpret_cast<const unsigned*>(image + static_cast<std::size_t>(y + row) * pitch + x +
                                                          4 * word);
            reinterpret_cast<unsigned*>(pixels)[row * words + word] = four;
        }
}

// Fills the table. A warp sums a segment of rows, each row across and all downwards; then every segment gets what the
// ones above it end with. Begins after a barrier that made the pixels visible, ends with one.
template <bool squares>
__device__ __forceinline__ void sum_pixels(const CascadeLayout& layout, const std::uint8_t* pixels, unsigned* table) {
    const int lane = static_cast<int>(lane_index());
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int pitch = pixel_pitch(layout);
    const int segment_rows = (layout.pixel_height + cascade_warps - 1) / cascade_warps;
    const int begin = warp * segment_rows;
    const int end = min(layout.pixel_height, begin + segment_rows);
    for (int x = static_cast<int>(threadIdx.x); x <= layout.pixel_width; x += cascade_threads)
        table[table_place(layout, x, 0)] = 0;
    for (int row = begin; row < end; ++row) {
        unsigned carry = 0;
        for (int base = 0; base <= layout.pixel_width; base += 32) {
            const int x = base + lane;
            unsigned value = x < layout.pixel_width ? pixels[row * pitch + x] : 0;
            if (squares) value *= value;
            const unsigned scan = warp_scan(value);
            if (x <= layout.pixel_width) {
                const unsigned above = row == begin ? 0 : table[table_place(layout, x, row)];
                table[table_place(layout, x, row + 1)] = above + carry + scan - value;
            }
            carry += __shfl_sync(all_lanes, scan, 31);
        }
    }
    __syncthreads();
    // Threads in groups as wide as the table, each with some of the segments.
    const int columns = layout.pixel_width + 1;
    const int groups = max(1, cascade_threads / columns);
    const int group = static_cast<int>(threadIdx.x) / columns;
    const int segments = (layout.pixel_height + segment_rows - 1) / segment_rows;
    const int group_segments = (segments + groups - 1) / groups;
    const auto last_row = [&](int segment) { return min(layout.pixel_height, (segment + 1) * segment_rows); };
    for (int base = 0; base < columns; base += cascade_threads) {  // once, unless the tile is wider than the block
        const int x = base + static_cast<int>(threadIdx.x) - (base == 0 ? group * columns : 0);
        const bool takes_part = (base == 0 ? group < groups : true) && x < columns;
        const int first = base == 0 ? group * group_segments : 0;
        const int last = base == 0 ? min(segments, first + group_segments) : segments;
        unsigned above = 0;
        if (takes_part)
            for (int segment = 0; segment < min(first, segments); ++segment)
                above += table[table_place(layout, x, last_row(segment))];
        __syncthreads();
        if (takes_part)
            for (int segment = first; segment < last; ++segment) {
                const int bottom = last_row(segment);
                const unsigned own = table[table_place(layout, x, bottom)];
                for (int y = segment * segment_rows + 1; y <= bottom; ++y) table[table_place(layout, x, y)] += above;
                above += own;
            }
    }
    __syncthreads();
}

// Tilted sums beside the upright ones, which must be there: with P(j, k) the sum of the first k pixels of row j,
// T(x, y) = sum over j < y of P(j, x + (y - 1 - j)) - P(j, x - 1 - (y - 1 - j)), both cut to the tile. A thread goes
// down a diagonal; first those to the left, then those to the right.
__device__ __forceinline__ void tilt_sums(const CascadeLayout& layout, unsigned* table) {
    unsigned* const tilted = table + layout.tilted;
    const int width = layout.pixel_width;
    const int height = layout.pixel_height;
    const auto prefix = [&](int row, int x) {
        const int cut = min(width, max(0, x));
        return table[table_place(layout, cut, row + 1)] - table[table_place(layout, cut, row)];
    };
    for (int diagonal = static_cast<int>(threadIdx.x); diagonal <= width + height; diagonal += cascade_threads) {
        unsigned sum = 0;  // at x = diagonal - y
        for (int y = 0; y <= height; ++y) {
            if (y > 0) sum += prefix(y - 1, diagonal - y);
            if (diagonal - y >= 0 && diagonal - y <= width) tilted[table_place(layout, diagonal - y, y)] = sum;
        }
    }
    __syncthreads();
    for (int diagonal = static_cast<int>(threadIdx.x); diagonal <= width + height; diagonal += cascade_threads) {
        unsigned sum = 0;  // at x = diagonal - height + y
        for (int y = 0; y <= height; ++y) {
            const int x = diagonal - height + y;
            if (y > 0) sum += prefix(y - 1, x - 1);
            if (x >= 0 && x <= width) tilted[table_place(layout, x, y)] -= sum;
        }
    }
    __syncthreads();
}

// 1 / sqrt(square) as a float, rounded as if root and quotient were rounded in double: a reciprocal root in single
// precision, one step of third order in double, and the slow way where the float next to it could be meant.
// `square`: a whole number below 2^53, at least 1.
__device__ __forceinline__ float norm_of(double square) {
    const double guess = static_cast<double>(rsqrtf(static_cast<float>(square)));
    const double error = 1 - square * guess * guess;
    const double root = guess + guess * error * (0.5 + 0.375 * error);
    const auto low = static_cast<float>(root * (1 - 0x1p-48));
    const auto high = static_cast<float>(root * (1 + 0x1p-48));
    if (low == high) return low;
    return static_cast<float>(1 / sqrt(square));
}

}  // namespace vedette::cuda
