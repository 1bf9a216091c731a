// Transforms of lines of n numbers by groups of n / values neighbouring lanes of a warp. Lane l of a group holds the
// numbers l, l + lanes, l + 2 lanes ... of its line, before and after: nothing is ever in another order.
//
// n = values * lanes: each lane transforms its own numbers, they change places through shared memory (padded, so that
// addresses are one register and constants), and each lane does values / lanes transforms of `lanes` numbers, whose
// factors are powers of one root of unity (fft_numbers.cuh). The inverse is the same with both parts swapped.
#pragma once

#include "kernels/fft_numbers.cuh"

namespace vedette::cuda {

template <int points, int values_of_lane>
struct FftLine {
    static constexpr int n = points;
    static constexpr int values = values_of_lane;
    static constexpr int lanes = n / values;
    static constexpr int repeats = values / lanes;
    static_assert(lanes * values == n && lanes <= values && lanes <= 16);

    static constexpr int pitch = lanes + 1;
    // Lines in one access of a half warp begin in different banks: shifts of `lanes` numbers, modulo 16.
    static constexpr int lines_of_half_warp = 16 / lanes;
    static constexpr int scratch_numbers = (values * pitch + (lines_of_half_warp - 1) * lanes + 15) / 16 * 16;
    static __device__ __forceinline__ int scratch_shift(int line) { return line % lines_of_half_warp * lanes; }

    struct Factors {
        Number of[repeats][turned_factors(lanes)];
    };
    // `roots`: exp(-2 pi i k / n).
    static __device__ __forceinline__ Factors factors_of(const Number* roots, int lane) {
        Factors factors;
#pragma unroll
        for (int r = 0; r < repeats; ++r)
#pragma unroll
            for (int half = 1; half < lanes; half *= 2)
#pragma unroll
                for (int q = 0; q < factors_of_round(half); ++q)
                    factors.of[r][first_factor(half) + q] =
                        roots[((lane + lanes * r) * (lanes / (2 * half)) + q * (n / (2 * half))) & (n - 1)];
        return factors;
    }

    // `scratch`: the line's own, scratch_numbers; not in use by other lanes of the group, nor after the return. Every
    // lane of the warp takes part.
    template <bool inverse>
    static __device__ __forceinline__ void transform(Number (&a)[values], Number* scratch, int lane,
                                                     const Factors& factors) {
        if constexpr (inverse) swap_parts(a);
        small_transform<values>(a);
        Number* const mine = scratch + lane;
#pragma unroll
        for (int k = 0; k < values; ++k) mine[k * pitch] = a[k];
        __syncwarp();
        const Number* const from = scratch + lane * pitch;
#pragma unroll
        for (int r = 0; r < repeats; ++r) {
            Number part[lanes];
#pragma unroll
            for (int i = 0; i < lanes; ++i) part[i] = from[r * lanes * pitch + i];
            small_turned_transform<lanes>(part, factors.of[r]);
#pragma unroll
            for (int k = 0; k < lanes; ++k) a[r + repeats * k] = part[k];
        }
        __syncwarp();
        if constexpr (inverse) swap_parts(a);
    }

private:
    static __device__ __forceinline__ void swap_parts(Number (&a)[values]) {
#pragma unroll
        for (int v = 0; v < values; ++v) a[v] = swapped(a[v]);
    }
};

}  // namespace vedette::cuda
