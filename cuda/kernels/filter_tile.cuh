// A block's pixels in shared memory, and sums of eight neighbours from them.
#pragma once

#include "kernels/filter_sums.cuh"

#include "device/shared.cuh"

namespace vedette::cuda {

inline constexpr int filter_threads = 256;
// Results that a thread makes side by side: a line of n taps reads n + 7 values for them.
inline constexpr int filter_run = 8;

// Where a block's values lie. Rows of shared memory are an odd number of words apart: then threads that work on rows
// below each other meet different banks.
struct TileShape {
    int pixels, rows;         // of the results
    int columns;              // elements of a row of results
    int in_columns, in_rows;  // of what they stand on
    int in_pitch, pitch;

    VEDETTE_CUDA_BOTH TileShape(int pixels_, int rows_, int elements, int kernel_width, int kernel_height)
        : pixels(pixels_),
          rows(rows_),
          columns(pixels_ * elements),
          in_columns((pixels_ + kernel_width - 1) * elements),
          in_rows(rows_ + kernel_height - 1),
          in_pitch(in_columns | 1),
          pitch(columns | 1) {}
};

// Copies the pixels under the tile at (left, top) into `tile`, borders included. What no result stands on is 0.
template <class In, class Value>
__device__ __forceinline__ void load_tile(const FilterJob& job, const FilterGroup& group, const TileShape& shape,
                                          int left, int top, Value* tile) {
    // Loads under way: of four rows, so that a warp waits for memory but a few times a tile.
    constexpr int rows_at_once = 4, columns_at_once = 3, warps = filter_threads / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int first = left - job.anchor_x, pixels = shape.pixels + job.kernel_width - 1;
    const bool plain_columns = first >= 0 && first + pixels <= job.width;
    const Value border = static_cast<Value>(job.border_value);
    for (int begin = warp; begin < shape.in_rows; begin += warps * rows_at_once) {
        const In* row[rows_at_once];  // none where there is only border, or nothing
        Value fill[rows_at_once];
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
            const int r = begin + warps * i;
            int y = top - job.anchor_y + r;
            const bool wanted = r < shape.in_rows && top + r < job.height + job.kernel_height - 1;
            if (y < 0 || y >= job.height) y = wanted ? job.rows[top + r] : -1;
            row[i] = y < 0 || r >= shape.in_rows ? nullptr : in_row<In>(group, y);
            fill[i] = wanted ? border : Value{0};
        }
        for (int begin_column = lane; begin_column < shape.in_columns; begin_column += 32 * columns_at_once) {
            Value value[rows_at_once][columns_at_once];
#pragma unroll
            for (int j = 0; j < columns_at_once; ++j) {
                const int k = begin_column + 32 * j;
                int element = -1;  // of the row
                bool nothing = k >= shape.in_columns;
                if (!nothing) {
                    if (plain_columns) {
                        element = (first * job.elements + k) * group.in_step;
                    } else if (const int place = left + k / job.elements; place < job.width + job.kernel_width - 1) {
                        const int column = job.columns[place];
                        if (column >= 0) element = (column * job.elements + k % job.elements) * group.in_step;
                    } else {
                        nothing = true;
                    }
                }
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i)
                    value[i][j] = row[i] != nullptr && element >= 0 ? static_cast<Value>(row[i][element])
                                  : row[i] != nullptr && nothing    ? Value{0}
                                                                    : fill[i];
            }
#pragma unroll
            for (int i = 0; i < rows_at_once; ++i) {
                const int r = begin + warps * i;
#pragma unroll
                for (int j = 0; j < columns_at_once; ++j) {
                    const int k = begin_column + 32 * j;
                    if (r < shape.in_rows && k < shape.in_columns) tile[r * shape.in_pitch + k] = value[i][j];
                }
            }
        }
    }
}

// Eight sums of a line: that of result r stands on from[(r + i) * step], i = 0 ... taps - 1.
template <class Sums, int taps>
__device__ __forceinline__ void run_known(const typename Sums::Value* from, int step, const FilterLine& line,
                                          typename Sums::Value (&sum)[filter_run]) {
    using Value = typename Sums::Value;
    constexpr int half = taps / 2;
    const auto* const weight = Sums::known(line);
    Value value[filter_run + taps - 1];
#pragma unroll
    for (int i = 0; i < filter_run + taps - 1; ++i) value[i] = from[i * step];
    if (line.symmetric) {
#pragma unroll
        for (int r = 0; r < filter_run; ++r) {
            sum[r] = Sums::begin();
            if (taps % 2 != 0) sum[r] = Sums::add(weight[half], value[r + half], sum[r]);
#pragma unroll
            for (int i = 0; i < half; ++i)
                sum[r] = Sums::add(weight[i], value[r + i] + value[r + taps - 1 - i], sum[r]);
            sum[r] = Sums::end(sum[r]);
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < filter_run; ++r) {
        sum[r] = Sums::begin();
#pragma unroll
        for (int i = 0; i < taps; ++i) sum[r] = Sums::add(weight[i], value[r + i], sum[r]);
        sum[r] = Sums::end(sum[r]);
    }
}

template <class Sums>
__device__ __forceinline__ void run_any(const typename Sums::Value* from, int step, const FilterLine& line,
                                        typename Sums::Value (&sum)[filter_run]) {
    const auto* const weight = static_cast<const typename Sums::Value*>(line.weight);
    const int taps = line.taps, half = taps / 2;
#pragma unroll
    for (int r = 0; r < filter_run; ++r) sum[r] = Sums::begin();
    if (line.symmetric && taps % 2 != 0) {
#pragma unroll
        for (int r = 0; r < filter_run; ++r) sum[r] = Sums::add(weight[half], from[(r + half) * step], sum[r]);
    }
    for (int i = 0; i < (line.symmetric ? half : taps); ++i) {
        const auto w = weight[i];
        const auto* const near = from + i * step;
        const auto* const far = from + (taps - 1 - i) * step;
#pragma unroll
        for (int r = 0; r < filter_run; ++r)
            sum[r] = Sums::add(w, line.symmetric ? near[r * step] + far[r * step] : near[r * step], sum[r]);
    }
#pragma unroll
    for (int r = 0; r < filter_run; ++r) sum[r] = Sums::end(sum[r]);
}

// Odd lines up to most_known_taps keep what they stand on in registers; others read it again for each tap.
template <class Sums>
__device__ __forceinline__ void run_line(const typename Sums::Value* from, int step, const FilterLine& line,
                                         typename Sums::Value (&sum)[filter_run]) {
    switch (line.taps) {
        case 3:
            return run_known<Sums, 3>(from, step, line, sum);
        case 5:
            return run_known<Sums, 5>(from, step, line, sum);
        case 7:
            return run_known<Sums, 7>(from, step, line, sum);
        case 9:
            return run_known<Sums, 9>(from, step, line, sum);
        case 11:
            return run_known<Sums, 11>(from, step, line, sum);
        case 13:
            return run_known<Sums, 13>(from, step, line, sum);
        case 15:
            return run_known<Sums, 15>(from, step, line, sum);
        default:
            return run_any<Sums>(from, step, line, sum);
    }
}

// `rows` lines across, each of the tile's columns: next to each other lie threads for rows below each other.
template <class Sums>
__device__ __forceinline__ void run_across(const typename Sums::Value* from, int from_pitch, int rows, int elements,
                                           const TileShape& shape, const FilterLine& line, typename Sums::Value* to,
                                           int to_pitch) {
    const int runs = shape.pixels / filter_run * elements;
    for (int item = static_cast<int>(threadIdx.x); item < rows * runs; item += filter_threads) {
        const int row = item % rows, run = item / rows;
        const int column = run / elements * filter_run * elements + run % elements;
        typename Sums::Value sum[filter_run];
        run_line<Sums>(from + row * from_pitch + column, elements, line, sum);
#pragma unroll
        for (int r = 0; r < filter_run; ++r) to[row * to_pitch + column + r * elements] = sum[r];
    }
}

}  // namespace vedette::cuda
