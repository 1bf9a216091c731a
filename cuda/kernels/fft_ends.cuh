// Line 0 of a real image's spectrum (fft_square.cuh): columns 0 and n / 2, two real sequences' transforms, as one line.
#pragma once

#include "kernels/fft_numbers.cuh"

namespace vedette::cuda {

// For the group of line 0. Lane l holds ky = l + lanes q; `other`: the numbers at n - ky.
template <int values>
struct FftEnds {
    using Numbers = Number[values];

    // P = F(0) + i F(n / 2) to twice both.
    static __device__ __forceinline__ void split(Numbers& a, const Numbers& other, int lane) {
        const Number first = a[0], middle = a[values / 2];
#pragma unroll
        for (int q = 0; q < values; ++q) {
            const Number p = a[q], o = other[q];
            a[q] = q < values / 2 ? Number{p.re + o.re, p.im - o.im} : Number{p.im + o.im, p.re - o.re};
        }
        if (lane != 0) return;
        a[0] = first * 2;
        a[values / 2] = middle * 2;
    }

    // And back, not halved.
    static __device__ __forceinline__ void join(Numbers& a, const Numbers& other, int lane) {
        const Number first = a[0], middle = a[values / 2];
#pragma unroll
        for (int q = 0; q < values; ++q) {
            const Number p = a[q], o = other[q];
            a[q] = q < values / 2 ? Number{p.re - o.im, p.im + o.re} : Number{o.re + p.im, p.re - o.im};
        }
        if (lane != 0) return;
        a[0] = first;
        a[values / 2] = middle;
    }
};

}  // namespace vedette::cuda
