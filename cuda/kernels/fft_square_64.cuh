// Transforms of one real image of 64 x 64 by a block of 128 threads, each with 16 numbers: with so many, rows and
// columns share a pass, so that numbers change places twice a transform instead of three times (fft_square.cuh).
//
// Packed rows r = 0 ... 31 are rows r and r + 32 of the image as one complex row. With w = exp(-2 pi i / 64), forward:
//     1. thread (r, l) has x = l + 4 m and transforms over m: k = 0 ... 15
//     2. thread (g, y) has k = g and 16 - g (0 and 8 for g = 0) of rows y and y + 16; it transforms over l, which gives
//        Z(k + 16 j), separates the packed rows, now rows y + 16 s of columns c = g + 16 j (for g = 0 of the columns 0
//        and 32 as one, 16, 8 and 24), and transforms over s
//     3. thread (column, v) has all y and transforms over them: ky = v + 4 j.
// The inverse is the same backwards. Pixels and spectrum lie as FftSquare says with lanes = 4, but that lines of the
// spectrum but for line 0 are in an order of their own.
//
// From pass 2 to pass 3 numbers stay among 16 threads, so that only the first exchange wants a barrier. Each number in
// shared memory is read by one thread only, and on the way back that thread writes where it has read: a transform and
// its inverse need nothing more, two transforms one after the other, or two inverses, `between` (a barrier). 532
// operations a thread; 4 x 16 KB through shared memory.
#pragma once

#include "kernels/fft_square.cuh"

namespace vedette::cuda {

// The 128 threads of a block, with an image of 64 x 64.
struct Block64Team {
    static constexpr int first_numbers = 16 * 32 * 4;  // between passes 1 and 2
    static constexpr int second_pitch = 16 + 2;        // of a thread of pass 3, so that loads of 16 bytes meet no other
    static constexpr int blocks = 1;
    static constexpr int threads = 128;
    static constexpr int shared_numbers = first_numbers + threads * second_pitch;
    static constexpr int exchange_numbers = 0;
    static constexpr bool cooperative = false;

    __device__ Block64Team(Number* shared, Number*, unsigned*) : numbers(shared) {}

    Number* numbers;
};

template <>
class FftSquare<FftLine<64, 16>, Block64Team> {
    using Line = FftLine<64, 16>;

public:
    static constexpr int n = 64, values = 16, lanes = 4;

    // `roots`: exp(-2 pi i k / n).
    __device__ __forceinline__ FftSquare(const Block64Team& team, const Number* roots)
        : row_(team.numbers + line() * 4 + (lane() ^ turned(line()))),
          pairs_(team.numbers + (first_k() * 32 + y()) * 4 + turned(y())),
          other_pairs_(team.numbers + (second_k() * 32 + y()) * 4 + turned(y())),
          column_(team.numbers + Block64Team::first_numbers + thread() * Block64Team::second_pitch),
          across_(team.numbers + Block64Team::first_numbers + group() * 16 * Block64Team::second_pitch + y()),
          to_second_(2 - 2 * turned(y())),
          factors_(factors_of(roots)) {}

    __device__ __forceinline__ int lane() const { return thread() % lanes; }
    __device__ __forceinline__ int line() const { return thread() / lanes; }
    __device__ __forceinline__ bool holds_reals() const { return threadIdx.x == 0; }
    template <bool split = true>
    __device__ __forceinline__ void forward(Number (&a)[values]) {
        small_transform<16>(a, [&a, row = row_](int k) { row[k * 128] = a[k]; });
        __syncthreads();
        Number z[2][2][4];  // of k, of rows y and y + 16
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            load_four(pairs_ + 64 * s, z[0][s]);
            small_turned_transform<4>(z[0][s], factors_.of_first_k);
            load_four(other_pairs_ + 64 * s, z[1][s]);
            small_turned_transform<4>(z[1][s], factors_.of_second_k);
        }
        Number column[4][4];
        if (first_group()) {
#pragma unroll
            for (int s = 0; s < 2; ++s) {
                column[0][s] = {z[0][s][0].re, z[0][s][2].re};
                column[0][s + 2] = {z[0][s][0].im, z[0][s][2].im};
                separate(z[0][s][1], z[0][s][3], column[1][s], column[1][s + 2]);
                separate(z[1][s][0], z[1][s][3], column[2][s], column[2][s + 2]);
                separate(z[1][s][1], z[1][s][2], column[3][s], column[3][s + 2]);
            }
        } else {
#pragma unroll
            for (int s = 0; s < 2; ++s)
#pragma unroll
                for (int c = 0; c < 4; ++c) separate(z[0][s][c], z[1][s][3 - c], column[c][s], column[c][s + 2]);
        }
        __syncwarp();
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            small_transform<4>(column[c]);
#pragma unroll
            for (int v = 0; v < 4; ++v) across_[(4 * c + v) * Block64Team::second_pitch] = column[c][v];
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 16; i += 2) {
            const int y = reversed_bits(i / 2, 8) * 2;  // in the order of their use
            load_pair(column_ + y, a[y], a[y + 1]);
        }
        small_turned_transform<16>(a, factors_.of_lane);
        if (!split || line() != 0) return;
        Number other[values];
        mirror(a, other);
        FftEnds<values>::split(a, other, lane());
    }

    template <bool join = true>
    __device__ __forceinline__ void inverse(Number (&a)[values]) {
        if (join && line() == 0) {
            Number other[values];
            mirror(a, other);
            FftEnds<values>::join(a, other, lane());
        }
        swap_parts(a);
        small_transform<16>(a, [&a, column = column_](int y) {
            if (y % 2 != 0) store_pair(column + y - 1, swapped(a[y - 1]), swapped(a[y]));
        });
        __syncwarp();
        Number column[4][4];
#pragma unroll
        for (int c = 0; c < 4; ++c) {
#pragma unroll
            for (int v = 0; v < 4; ++v) column[c][v] = across_[(4 * c + v) * Block64Team::second_pitch];
            small_turned_inverse<4>(column[c], factors_.of_y);
        }
        Number z[2][2][4];
        if (first_group()) {
#pragma unroll
            for (int s = 0; s < 2; ++s) {
                const Number up = column[0][s], down = column[0][s + 2];
                z[0][s][0] = {up.re, down.re};
                z[0][s][2] = {up.im, down.im};
                unite(column[1][s], column[1][s + 2], z[0][s][1], z[0][s][3]);
                unite(column[2][s], column[2][s + 2], z[1][s][0], z[1][s][3]);
                unite(column[3][s], column[3][s + 2], z[1][s][1], z[1][s][2]);
            }
        } else {
#pragma unroll
            for (int s = 0; s < 2; ++s)
#pragma unroll
                for (int c = 0; c < 4; ++c) unite(column[c][s], column[c][s + 2], z[0][s][c], z[1][s][3 - c]);
        }
        __syncwarp();
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            small_inverse<4>(z[0][s]);
            store_four(pairs_ + 64 * s, z[0][s]);
            small_inverse<4>(z[1][s]);
            store_four(other_pairs_ + 64 * s, z[1][s]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int k = reversed_bits(i, 16);  // in the order of their use
            a[k] = row_[k * 128];
        }
        small_turned_inverse<16>(a, factors_.of_lane);
    }

    // Between two calls of forward, and between two of inverse.
    __device__ __forceinline__ void between() {
        __syncthreads();
    }

    // Line 0's numbers at n - ky. The whole group of line 0, and no other.
    __device__ __forceinline__ void mirror(const Number (&a)[values], Number (&other)[values]) {
        constexpr unsigned group = (1u << lanes) - 1;
#pragma unroll
        for (int q = 0; q < values; q += 2) store_pair(column_ + q, a[q], a[q + 1]);
        // Number 15 - q of lane 4 - l is at n - ky, but for lane 0 it is its own number 16 - q, and number 0 for q = 0.
        column_[values] = a[0];
        __syncwarp(group);
        const Number* const from =
            lane() == 0 ? column_ + 1 : column_ + (lanes - 2 * lane()) * Block64Team::second_pitch;
#pragma unroll
        for (int q = 0; q < values; ++q) other[q] = from[values - 1 - q];
        __syncwarp(group);
    }

private:
    struct Factors {
        Number of_lane[turned_factors(16)], of_first_k[turned_factors(4)], of_second_k[turned_factors(4)],
            of_y[turned_factors(4)];
    };

    static __device__ __forceinline__ int thread() {
        return static_cast<int>(threadIdx.x);
    }
    static __device__ __forceinline__ int group() {
        return thread() / 16;
    }
    static __device__ __forceinline__ int y() {
        return thread() % 16;
    }
    static __device__ __forceinline__ bool first_group() {
        return group() == 0;
    }
    static __device__ __forceinline__ int first_k() {
        return group();
    }
    static __device__ __forceinline__ int second_k() {
        return first_group() ? 8 : 16 - group();
    }
    // Number (k, r, l) of the first exchange lies at (k 32 + r) 4 + (l ^ turned(r)): half of the rows have their pairs
    // the other way round, so that eight threads that read 16 bytes meet all banks.
    static __device__ __forceinline__ int turned(int r) {
        return r / 4 % 2 * 2;
    }

    static __device__ __forceinline__ Factors factors_of(const Number* roots) {
        Factors factors;
#pragma unroll
        for (int half = 1; half < 16; half *= 2)
#pragma unroll
            for (int q = 0; q < factors_of_round(half); ++q)
                factors.of_lane[first_factor(half) + q] = roots[thread() % lanes * (8 / half) + q * (32 / half)];
        factors.of_first_k[0] = roots[2 * first_k()];
        factors.of_first_k[1] = roots[first_k()];
        factors.of_second_k[0] = roots[2 * second_k()];
        factors.of_second_k[1] = roots[second_k()];
        factors.of_y[0] = roots[2 * y()];
        factors.of_y[1] = roots[y()];
        return factors;
    }

    // p and q: Z(c) and Z(n - c) of two rows as one; the rows' transforms, doubled.
    static __device__ __forceinline__ void separate(Number p, Number q, Number& upper, Number& lower) {
        upper = {p.re + q.re, p.im - q.im};
        lower = {p.im + q.im, q.re - p.re};
    }
    // And back, not halved.
    static __device__ __forceinline__ void unite(Number upper, Number lower, Number& p, Number& q) {
        p = {upper.re - lower.im, upper.im + lower.re};
        q = {upper.re + lower.im, lower.re - upper.im};
    }

    // The inverse of a transform is the same with both parts swapped.
    template <int count>
    static __device__ __forceinline__ void swap_parts(Number (&a)[count]) {
#pragma unroll
        for (int k = 0; k < count; ++k) a[k] = swapped(a[k]);
    }
    template <int count>
    static __device__ __forceinline__ void small_inverse(Number (&a)[count]) {
        swap_parts(a);
        small_transform<count>(a);
        swap_parts(a);
    }
    template <int count>
    static __device__ __forceinline__ void small_turned_inverse(Number (&a)[count],
                                                                const Number (&factors)[turned_factors(count)]) {
        swap_parts(a);
        small_turned_transform<count>(a, factors);
        swap_parts(a);
    }

    static __device__ __forceinline__ void load_pair(const Number* from, Number& first, Number& second) {
        const float4 both = *reinterpret_cast<const float4*>(from);
        first = {both.x, both.y};
        second = {both.z, both.w};
    }
    static __device__ __forceinline__ void store_pair(Number* to, Number first, Number second) {
        *reinterpret_cast<float4*>(to) = float4{first.re, first.im, second.re, second.im};
    }

    // Numbers l = 0 ... 3 of the first exchange.
    __device__ __forceinline__ void load_four(const Number* from, Number (&z)[4]) const {
        load_pair(from, z[0], z[1]);
        load_pair(from + to_second_, z[2], z[3]);
    }
    __device__ __forceinline__ void store_four(Number* to, const Number (&z)[4]) const {
        store_pair(to, z[0], z[1]);
        store_pair(to + to_second_, z[2], z[3]);
    }

    Number* row_;    // number k of pass 1, at 128 k
    Number* pairs_;  // numbers l = 0, 1 of the first exchange, of k
    Number* other_pairs_;
    Number* column_;  // of pass 3
    Number* across_;  // of pass 2, of the second exchange
    int to_second_;   // from l = 0, 1 to l = 2, 3
    Factors factors_;
};

}  // namespace vedette::cuda
