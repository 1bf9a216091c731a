// Transforms of one real image of n x n by a team (fft_teams.cuh).
//
// Each thread holds values of the line of its group. Pixels: value m is row `line` (and as imaginary part row
// line + n / 2) at x = lane + lanes m. Spectrum: value q of line c > 0 is twice F(c, ky), ky = lane + lanes q, where
// F(u, v) is the transform at column u and row v; of line 0, ky < n / 2 is twice F(0, ky) and ky > n / 2 twice
// F(n / 2, n - ky); the two reals 2 F(0, 0) and 2 F(n / 2, 0) are the parts of ky = 0, and those of row n / 2 the parts
// of ky = n / 2. So products of spectra are products value by value, but for those two numbers of line 0, whose parts
// are multiplied one by one.
//
// A thread computes about 10 values log2(values lanes) operations a transform, and moves each value three times through
// shared memory, once of these across the team.
#pragma once

#include "kernels/fft_ends.cuh"
#include "kernels/fft_teams.cuh"

namespace vedette::cuda {

template <class Line, class Team>
class FftSquare {
public:
    static constexpr int n = Line::n, values = Line::values, lanes = Line::lanes;

    // `roots`: exp(-2 pi i k / n).
    __device__ __forceinline__ FftSquare(const Team& team, const Number* roots)
        : team_(team), factors_(Line::factors_of(roots, team.lane())) {}

    __device__ __forceinline__ int lane() const { return team_.lane(); }
    __device__ __forceinline__ int line() const { return team_.line(); }
    // Whether values 0 and values / 2 are pairs of reals.
    __device__ __forceinline__ bool holds_reals() const { return team_.line() == 0 && team_.lane() == 0; }

    // Pixels to spectrum. Without `split` line 0 is left as it came, P(ky) = F(0, ky) + i F(n / 2, ky), not doubled.
    template <bool split = true>
    __device__ __forceinline__ void forward(Number (&a)[values]) {
        transform_line<false>(a);
        team_.begin();
        const auto low = team_.rising(line());
        const auto high = team_.falling(line() + n / 2);
#pragma unroll
        for (int q = 0; q < values / 2; ++q) low.store(q, a[q]);
#pragma unroll
        for (int q = values / 2; q < values; ++q) high.store(q, a[q]);
        receive(a);
        // Z(c) and Z(n - c) of the packed rows: their rows' transforms A and B, doubled.
        if (line() == 0) {
#pragma unroll
            for (int m = 0; m < values / 2; ++m) {
                const Number p = a[m], q = a[m + values / 2];
                a[m] = Number{p.re, q.re};
                a[m + values / 2] = Number{p.im, q.im};
            }
        } else {
#pragma unroll
            for (int m = 0; m < values / 2; ++m) {
                const Number p = a[m], q = a[m + values / 2];
                a[m] = Number{p.re + q.re, p.im - q.im};
                a[m + values / 2] = Number{p.im + q.im, q.re - p.re};
            }
        }
        __syncwarp();
        transform_line<false>(a);
        if (split && line() == 0) split_ends(a);
    }

    // Spectrum, not doubled, to pixels times n^2. Without `join` line 0 is P.
    template <bool join = true>
    __device__ __forceinline__ void inverse(Number (&a)[values]) {
        if (join && line() == 0) join_ends(a);
        __syncwarp();
        transform_line<true>(a);
        team_.begin();
        const auto here = team_.rising(line());
        const auto mirrored = team_.rising(line() == 0 ? n / 2 : n - line());
        if (line() == 0) {
#pragma unroll
            for (int m = 0; m < values / 2; ++m) {
                const Number up = a[m], down = a[m + values / 2];
                a[m] = Number{up.re, down.re};
                a[m + values / 2] = Number{up.im, down.im};
            }
        } else {
#pragma unroll
            for (int m = 0; m < values / 2; ++m) {
                const Number up = a[m], down = a[m + values / 2];
                a[m] = Number{up.re - down.im, up.im + down.re};
                a[m + values / 2] = Number{up.re + down.im, down.re - up.im};
            }
        }
#pragma unroll
        for (int m = 0; m < values / 2; ++m) {
            here.store(m, a[m]);
            mirrored.store(m, a[m + values / 2]);
        }
        receive(a);
        transform_line<true>(a);
    }

    // Between two calls of forward, and between two of inverse.
    __device__ __forceinline__ void between() {}

    // Line 0's numbers at n - ky. The whole group of line 0, and no other.
    __device__ __forceinline__ void mirror(const Number (&a)[values], Number (&other)[values]) {
        constexpr unsigned group = 0xffffffffu >> (32 - lanes);  // line 0 is its warp's first
#pragma unroll
        for (int q = 0; q < values; ++q) other[q] = a[q];
        Line::change_places(
            other, team_.scratch(), group, [&](int q) { return lane() + lanes * q; },
            [&](int q) { return (n - lane() - lanes * q) % n; });
    }

private:
    template <bool inverse>
    __device__ __forceinline__ void transform_line(Number (&a)[values]) {
        if constexpr (Team::calls_transforms)
            transform_line_called<inverse>(a);
        else
            Line::template transform<inverse>(a, team_.scratch(), lane(), factors_);
    }
    template <bool inverse>
    __device__ __noinline__ void transform_line_called(Number (&a)[values]) {
        Line::template transform<inverse>(a, team_.scratch(), lane(), factors_);
    }
    __device__ __forceinline__ void receive(Number (&a)[values]) {
        team_.deliver();
#pragma unroll
        for (int q = 0; q < values; ++q) a[q] = team_.get(q);
        __syncwarp();  // the scratch may be where these lay
    }

    __device__ __forceinline__ void split_ends(Number (&a)[values]) {
        Number other[values];
        mirror(a, other);
        FftEnds<values>::split(a, other, lane());
    }
    __device__ __forceinline__ void join_ends(Number (&a)[values]) {
        Number other[values];
        mirror(a, other);
        FftEnds<values>::join(a, other, lane());
    }

    Team team_;
    typename Line::Factors factors_;
};

}  // namespace vedette::cuda
