// How a transform of n points is cut into passes; shared by the kernels and by what fills their tables.
#pragma once

#include <cstdint>

namespace vedette::cpu {

constexpr std::uint32_t fft_least_side = 32;
constexpr std::uint32_t fft_most_side = 512;
constexpr std::uint32_t fft_side_count = 5;  // 32, 64, 128, 256, 512
constexpr std::uint32_t fft_most_passes = 3;

// The radix of each pass. A forward transform (decimation in frequency) runs them in this order over blocks that get
// shorter; an inverse one (decimation in time) in the reverse order, so it takes the frequencies in the order in which
// the forward one leaves them and nothing is ever put into natural order in between. The first pass is of radix 4: it
// shares its registers with the last pass of an inverse transform and the step between them (restore).
struct Radices {
    std::uint32_t count;
    std::uint32_t radix[fft_most_passes];
};
constexpr Radices fft_radices[fft_side_count] = {
    {2, {4, 8, 1}}, {3, {4, 4, 4}}, {3, {4, 4, 8}}, {3, {4, 8, 8}}, {3, {8, 8, 8}}};

// Roots of unity: for each pass but the last, of blocks of `length` points and stride = length / radix, the numbers
// exp(-2 pi i j m / length) for j = 0 .. stride - 1 and, within each j, m = 1 .. radix - 1, real and imaginary part.
// Passes follow each other.

}  // namespace vedette::cpu
