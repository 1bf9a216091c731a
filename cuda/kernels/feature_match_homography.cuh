// Homographies between point sets, as plugins/common/features/homography.cc computes them: the same formulas in double.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace vedette::cuda {

struct Point {
    double x, y;
};

// By rows; maps (x, y, 1) to a multiple of (x', y', 1).
struct Homography {
    double h[9];
};

__device__ __forceinline__ double cross(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Whether three of the four points lie (nearly) on a line.
__device__ inline bool has_collinear_three(const Point (&p)[4]) {
    constexpr double least_sine = 0.02;  // of the triangle's angle at its first corner
    bool found = false;
#pragma unroll
    for (int left_out = 0; left_out < 4; ++left_out) {
        const Point &a = p[left_out == 0 ? 1 : 0], &b = p[left_out <= 1 ? 2 : 1], &c = p[left_out == 3 ? 2 : 3];
        const double sides = hypot(b.x - a.x, b.y - a.y) * hypot(c.x - a.x, c.y - a.y);
        found = found || !(fabs(cross(a, b, c)) > least_sine * sides);
    }
    return found;
}

// Whether the four pairs keep the sense of rotation of every triple, or turn that of every triple.
__device__ inline bool keeps_or_turns_all(const Point (&from)[4], const Point (&to)[4]) {
    int count = 0;
#pragma unroll
    for (int left_out = 0; left_out < 4; ++left_out) {
        const int a = left_out == 0 ? 1 : 0, b = left_out <= 1 ? 2 : 1, c = left_out == 3 ? 2 : 3;
        count += (cross(from[a], from[b], from[c]) > 0) != (cross(to[a], to[b], to[c]) > 0) ? 1 : 0;
    }
    return count == 0 || count == 4;
}

// Columns: the four points' homogeneous coordinates, scaled so that the first three sum to the fourth.
__device__ inline bool basis_of(const Point (&p)[4], double (&basis)[9]) {
    const double determinant = cross(p[0], p[1], p[2]);
    const double weights[3] = {cross(p[3], p[1], p[2]) / determinant, cross(p[0], p[3], p[2]) / determinant,
                               cross(p[0], p[1], p[3]) / determinant};
    bool sound = true;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        sound = sound && isfinite(weights[k]) && weights[k] != 0;
        basis[k] = weights[k] * p[k].x;
        basis[3 + k] = weights[k] * p[k].y;
        basis[6 + k] = weights[k];
    }
    return sound;
}

__device__ inline void product(const double (&a)[9], const double (&b)[9], double (&c)[9]) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
        for (int j = 0; j < 3; ++j) c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// The homography through four pairs of which no three are collinear, with a positive third coordinate at from[0]; false
// when there is none.
__device__ inline bool homography_through(const Point (&from)[4], const Point (&to)[4], Homography& homography) {
    double source[9], target[9];
    if (!basis_of(from, source) || !basis_of(to, target)) return false;
    const double(&s)[9] = source;
    // The inverse but for a factor.
    const double adjugate[9] = {s[4] * s[8] - s[5] * s[7], s[2] * s[7] - s[1] * s[8], s[1] * s[5] - s[2] * s[4],
                                s[5] * s[6] - s[3] * s[8], s[0] * s[8] - s[2] * s[6], s[2] * s[3] - s[0] * s[5],
                                s[3] * s[7] - s[4] * s[6], s[1] * s[6] - s[0] * s[7], s[0] * s[4] - s[1] * s[3]};
    double(&h)[9] = homography.h;
    product(target, adjugate, h);
    const double w = h[6] * from[0].x + h[7] * from[0].y + h[8];
    double largest = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) largest = fmax(largest, fabs(h[k]));
    if (!isfinite(largest) || largest == 0 || w == 0) return false;
#pragma unroll
    for (int k = 0; k < 9; ++k) h[k] /= w > 0 ? largest : -largest;
    return true;
}

// Whether the pair (x, y in the first set, z, w in the second) fits: |h(from) - to|^2 <= squared, on the visible side
// of the horizon.
__device__ __forceinline__ bool fits(const Homography& homography, float4 pair, double squared) {
    const double(&h)[9] = homography.h;
    const double x = pair.x, y = pair.y;
    const double w = h[6] * x + h[7] * y + h[8];
    const double du = h[0] * x + h[1] * y + h[2] - static_cast<double>(pair.z) * w;
    const double dv = h[3] * x + h[4] * y + h[5] - static_cast<double>(pair.w) * w;
    return w > 0 && du * du + dv * dv <= squared * w * w;
}

// SplitMix64 [Steele, Lea, Flood 2014]. Every sample draws from a stretch of the sequence of its own, so that samples
// can be drawn in any order; as plugins/common/features/ransac.cc.
__device__ inline void draw_sample(std::uint64_t seed, std::uint32_t iteration, std::uint32_t count,
                                   std::uint32_t (&drawn)[4]) {
    constexpr std::uint64_t step = 0x9e3779b97f4a7c15u, stretch = 64;
    std::uint64_t state = seed + iteration * stretch * step;
    for (int k = 0; k < 4; ++k) {
        bool again = true;
        while (again) {
            std::uint64_t z = state += step;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            drawn[k] = static_cast<std::uint32_t>((z ^ z >> 31) % count);
            again = false;
            for (int before = 0; before < k; ++before) again = again || drawn[before] == drawn[k];
        }
    }
}

// The homography of a sample; false when it fixes none.
__device__ inline bool candidate_of(const float4* pairs, std::uint32_t count, std::uint64_t seed,
                                    std::uint32_t iteration, Homography& homography) {
    std::uint32_t drawn[4];
    draw_sample(seed, iteration, count, drawn);
    Point from[4], to[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const float4 pair = pairs[drawn[k]];
        from[k] = {pair.x, pair.y};
        to[k] = {pair.z, pair.w};
    }
    return !has_collinear_three(from) && !has_collinear_three(to) && keeps_or_turns_all(from, to) &&
           homography_through(from, to, homography);
}

}  // namespace vedette::cuda
