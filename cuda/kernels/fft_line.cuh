// Transforms of lines of n numbers by groups of n / values neighbouring lanes of a warp. Lane l of a group holds the
// numbers l, l + lanes, l + 2 lanes ... of its line, before and after: nothing is ever in another order.
//
// n = values * lanes: each lane transforms its own numbers, they change places through shared memory (padded, so that
// addresses are one register and constants), and each lane does values / lanes transforms of `lanes` numbers, whose
// factors are powers of one root of unity (fft_numbers.cuh). With twice as many lanes as values a lane does half of
// one, that of every second number, and the lane `values` further the other; a last round joins them. The inverse is
// the same with both parts swapped.
#pragma once

#include "kernels/fft_numbers.cuh"

namespace vedette::cuda {

// With `by_parts` real and imaginary parts change places one after the other, in half the memory.
template <int points, int values_of_lane, bool by_parts = false>
struct FftLine {
    static constexpr int n = points;
    static constexpr int values = values_of_lane;
    static constexpr int lanes = n / values;
    static constexpr bool in_halves = lanes == 2 * values;
    static constexpr int part = in_halves ? values : lanes;  // numbers of a transform of the second pass
    static constexpr int repeats = values / part;
    static_assert(lanes * values == n && (lanes <= values || in_halves) && lanes <= 32);

    // Odd where a half warp reads neighbouring rows; it reads pairs of numbers of neighbouring rows in halves.
    static constexpr int pitch = lanes + (in_halves && lanes < 32 ? 2 : 1);
    // Lines in one access of a half warp begin in different banks: shifts of `lanes` numbers, modulo 16.
    static constexpr int lines_of_half_warp = lanes < 16 ? 16 / lanes : 1;
    static constexpr int scratch_numbers =
        ((values * pitch + (lines_of_half_warp - 1) * lanes) / (by_parts ? 2 : 1) + 15) / 16 * 16;
    static __device__ __forceinline__ int scratch_shift(int line) { return line % lines_of_half_warp * lanes; }

    struct Factors {
        Number of[repeats][turned_factors(part)];
        Number joint[in_halves ? values / 4 : 1];  // of the last round; its second half are quarter turns of these
    };
    // `roots`: exp(-2 pi i k / n).
    static __device__ __forceinline__ Factors factors_of(const Number* roots, int lane) {
        Factors factors;
        const int first = in_halves ? 2 * (lane % values) : lane;  // of which root they are powers
#pragma unroll
        for (int r = 0; r < repeats; ++r)
#pragma unroll
            for (int half = 1; half < part; half *= 2)
#pragma unroll
                for (int q = 0; q < factors_of_round(half); ++q)
                    factors.of[r][first_factor(half) + q] =
                        roots[((first + lanes * r) * (part / (2 * half)) + q * (n / (2 * half))) & (n - 1)];
        if constexpr (in_halves) {
#pragma unroll
            for (int t = 0; t < values / 4; ++t) factors.joint[t] = roots[lane + lanes * t];
        }
        return factors;
    }

    // Numbers of a line change places: the lane's a[k] goes to place to(k), and it gets that of place from(k), places
    // counted from `scratch`. The scratch is the line's own, scratch_numbers; it is not in use by other lanes of the
    // group, nor after the return. Lanes of `mask` take part, whole groups.
    template <class To, class From>
    static __device__ __forceinline__ void change_places(Number (&a)[values], Number* scratch, unsigned mask,
                                                         const To& to, const From& from) {
        if constexpr (!by_parts) {
#pragma unroll
            for (int k = 0; k < values; ++k) scratch[to(k)] = a[k];
            __syncwarp(mask);
#pragma unroll
            for (int k = 0; k < values; ++k) a[k] = scratch[from(k)];
            __syncwarp(mask);
        } else {
            change_part<&Number::re>(a, reinterpret_cast<float*>(scratch), mask, to, from);
            change_part<&Number::im>(a, reinterpret_cast<float*>(scratch), mask, to, from);
        }
    }

    // Every lane of the warp takes part.
    template <bool inverse>
    static __device__ __forceinline__ void transform(Number (&a)[values], Number* scratch, int lane,
                                                     const Factors& factors) {
        if constexpr (inverse) swap_parts(a);
        small_transform<values>(a);
        const int row = in_halves ? lane % values * pitch + lane / values : lane * pitch;
        change_places(
            a, scratch, 0xffffffffu, [=](int k) { return lane + k * pitch; },
            [=](int k) { return in_halves ? row + 2 * k : row + k / part * (lanes * pitch) + k % part; });
        Number b[values];
#pragma unroll
        for (int r = 0; r < repeats; ++r) {
            Number numbers[part];
#pragma unroll
            for (int i = 0; i < part; ++i) numbers[i] = a[r * part + i];
            small_turned_transform<part>(numbers, factors.of[r]);
#pragma unroll
            for (int k = 0; k < part; ++k) b[r + repeats * k] = numbers[k];
        }
        if constexpr (in_halves) join_halves(b, lane, factors);
#pragma unroll
        for (int v = 0; v < values; ++v) a[v] = b[v];
        if constexpr (inverse) swap_parts(a);
    }

private:
    // The lower lane of a pair has the transform of the even numbers and does the even butterflies, the upper one the
    // odd.
    static __device__ __forceinline__ void join_halves(Number (&a)[values], int lane, const Factors& factors) {
        const bool upper = lane >= values;
        Number even[values / 2], odd[values / 2];
#pragma unroll
        for (int t = 0; t < values / 2; ++t) {
            const Number kept = upper ? a[2 * t + 1] : a[2 * t];
            const Number given = upper ? a[2 * t] : a[2 * t + 1];
            const Number got{__shfl_xor_sync(0xffffffffu, given.re, values),
                             __shfl_xor_sync(0xffffffffu, given.im, values)};
            even[t] = upper ? got : kept;
            odd[t] = upper ? kept : got;
            const Number factor = factors.joint[t % (values / 4)];
            butterfly(even[t], odd[t], t >= values / 4 ? quarter_turn(factor) : factor);
        }
#pragma unroll
        for (int t = 0; t < values / 2; ++t) {
            a[t] = even[t];
            a[t + values / 2] = odd[t];
        }
    }
    template <float Number::*part, class To, class From>
    static __device__ __forceinline__ void change_part(Number (&a)[values], float* scratch, unsigned mask, const To& to,
                                                       const From& from) {
#pragma unroll
        for (int k = 0; k < values; ++k) scratch[to(k)] = a[k].*part;
        __syncwarp(mask);
#pragma unroll
        for (int k = 0; k < values; ++k) a[k].*part = scratch[from(k)];
        __syncwarp(mask);
    }
    static __device__ __forceinline__ void swap_parts(Number (&a)[values]) {
#pragma unroll
        for (int v = 0; v < values; ++v) a[v] = swapped(a[v]);
    }
};

}  // namespace vedette::cuda
