// Stockham's transform with radix 4, a last step of radix 2 where the power is odd; part of kernels.cc.
#pragma once

#include "kernels.h"
#include "vector.h"

namespace {

// One element of some lanes.
struct Complex {
    Vector re, im;
};

// Where element `index` begins, shifted to the lanes at hand.
VEDETTE_INLINE Complex load_complex(const float* re, const float* im, std::size_t index) {
    return {load(re + index * vedette::host::kFftLanes), load(im + index * vedette::host::kFftLanes)};
}
// Stores value * (c + i s).
VEDETTE_INLINE void store_turned(float* re, float* im, std::size_t index, const Complex& value, float c, float s) {
    store(re + index * vedette::host::kFftLanes, value.re * c - value.im * s);
    store(im + index * vedette::host::kFftLanes, value.re * s + value.im * c);
}
VEDETTE_INLINE void store_complex(float* re, float* im, std::size_t index, const Complex& value) {
    store(re + index * vedette::host::kFftLanes, value.re);
    store(im + index * vedette::host::kFftLanes, value.im);
}
VEDETTE_INLINE Complex plus(const Complex& p, const Complex& q) {
    return {p.re + q.re, p.im + q.im};
}
VEDETTE_INLINE Complex minus(const Complex& p, const Complex& q) {
    return {p.re - q.re, p.im - q.im};
}
VEDETTE_INLINE Complex times_minus_i(const Complex& p) {
    return {p.im, -p.re};
}

bool fft(std::size_t n, const float* cosine, const float* sine, float* re, float* im, float* re_scratch,
         float* im_scratch) {
    float *from_re = re, *from_im = im, *to_re = re_scratch, *to_im = im_scratch;
    std::size_t length = n;  // of the sequences still to be transformed
    std::size_t stride = 1;  // how many of them interleave
    bool swapped = false;
    for (; length > 1; swapped = !swapped) {
        const std::size_t quarter = length / 4;
        for (std::size_t lane = 0; lane < vedette::host::kFftLanes; lane += lanes) {
            const float* const fr = from_re + lane;
            const float* const fi = from_im + lane;
            float* const tr = to_re + lane;
            float* const ti = to_im + lane;
            if (length == 2) {
                for (std::size_t q = 0; q < stride; ++q) {
                    const Complex a = load_complex(fr, fi, q), b = load_complex(fr, fi, q + stride);
                    store_complex(tr, ti, q, plus(a, b));
                    store_complex(tr, ti, q + stride, minus(a, b));
                }
                continue;
            }
            for (std::size_t p = 0; p < quarter; ++p) {
                const std::size_t w = p * stride;
                const float c1 = cosine[w], s1 = sine[w], c2 = cosine[2 * w], s2 = sine[2 * w], c3 = cosine[3 * w],
                            s3 = sine[3 * w];
                for (std::size_t q = 0; q < stride; ++q) {
                    const Complex a = load_complex(fr, fi, q + stride * p);
                    const Complex b = load_complex(fr, fi, q + stride * (p + quarter));
                    const Complex c = load_complex(fr, fi, q + stride * (p + 2 * quarter));
                    const Complex d = load_complex(fr, fi, q + stride * (p + 3 * quarter));
                    const Complex even = plus(a, c), odd = plus(b, d);
                    const Complex even_difference = minus(a, c), odd_difference = times_minus_i(minus(b, d));
                    const std::size_t out = q + stride * 4 * p;
                    store_complex(tr, ti, out, plus(even, odd));
                    store_turned(tr, ti, out + stride, plus(even_difference, odd_difference), c1, s1);
                    store_turned(tr, ti, out + 2 * stride, minus(even, odd), c2, s2);
                    store_turned(tr, ti, out + 3 * stride, minus(even_difference, odd_difference), c3, s3);
                }
            }
        }
        const std::size_t radix = length == 2 ? 2 : 4;
        length /= radix;
        stride *= radix;
        float* const re_before = from_re;
        float* const im_before = from_im;
        from_re = to_re;
        from_im = to_im;
        to_re = re_before;
        to_im = im_before;
    }
    return swapped;
}

}  // namespace
