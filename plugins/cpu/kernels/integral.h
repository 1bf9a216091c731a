// Kernels of integral: one row, or a stretch of one, at a time. Rows need no alignment beyond their elements'; nothing
// is read or written outside the `count` elements (and those named). Modulo 2^32 where 32-bit integers are summed.
#pragma once

#include <cstdint>

namespace vedette::cpu {

struct IntegralKernels {
    // sums[x] += row y's pixel x for each of `rows` rows, `stride` bytes apart (or its square). At most
    // VDT_MAX_DIMENSION rows in all: the squares' sums stay below 2^32.
    void (*add_columns)(const std::uint8_t* first, std::int64_t stride, std::uint32_t rows, std::uint32_t count,
                        std::uint32_t* sums);
    void (*add_squared_columns)(const std::uint8_t* first, std::int64_t stride, std::uint32_t rows, std::uint32_t count,
                                std::uint32_t* sums);

    // out[x] = above[x] + sum of row[0 .. x] (or of the squares).
    void (*sum_i32)(const std::uint8_t* row, std::uint32_t count, const std::uint32_t* above, std::uint32_t* out);
    void (*sum_f64)(const std::uint8_t* row, std::uint32_t count, const double* above, double* out);
    void (*squared_i64)(const std::uint8_t* row, std::uint32_t count, const std::uint64_t* above, std::uint64_t* out);
    void (*squared_f64)(const std::uint8_t* row, std::uint32_t count, const double* above, double* out);

    // The same for outputs that no cache holds until they are read: the sums go past the caches where the instruction
    // set can do that, and to above[x] as well, for the next row.
    void (*stream_sum_i32)(const std::uint8_t* row, std::uint32_t count, std::uint32_t* above, std::uint32_t* out);
    void (*stream_sum_f64)(const std::uint8_t* row, std::uint32_t count, double* above, double* out);
    void (*stream_squared_i64)(const std::uint8_t* row, std::uint32_t count, std::uint64_t* above, std::uint64_t* out);
    void (*stream_squared_f64)(const std::uint8_t* row, std::uint32_t count, double* above, double* out);

    // out[x] = row[0] + ... + row[x] from left to right, in double; `squared`: of the squares.
    void (*prefix_f32)(const float* row, std::uint32_t count, bool squared, double* out);
    // out[x] += above[x].
    void (*add_i32)(const std::uint32_t* above, std::uint32_t count, std::uint32_t* out);
    void (*add_f64)(const double* above, std::uint32_t count, double* out);

    // One row of the tilted sum from sums along diagonals: falling[x] += prefix[x], rising[x] += prefix[x - 1],
    // out[x] = falling[x] - rising[x]. prefix[-1] is read.
    void (*tilted_i32)(const std::uint32_t* prefix, std::uint32_t* falling, std::uint32_t* rising, std::uint32_t* out,
                       std::uint32_t count);
    void (*tilted_f64)(const double* prefix, double* falling, double* rising, double* out, std::uint32_t count);
};

}  // namespace vedette::cpu
