// CIELAB rows; part of kernels.cc.
#pragma once

#include "vector.h"

namespace {

// Cube root of 0.008 < t <= 1, without a division: z = t^(-1/3) is guessed by a third of the exponent, within 3.5 %;
// then t z^3 = 1 + d with |d| < 0.11, and z (1 + d)^(-1/3), by its series, is off by less than 5e-7.
VEDETTE_INLINE Vector cube_root(const Vector& t) {
    const Integers third = __builtin_convertvector(__builtin_convertvector(bits_of(t), Vector) * (1.0F / 3), Integers);
    const Vector z = from_bits(0x54A22000 - third);
    const Vector d = t * z * z * z - all(1);
    Vector series = all(35.0F / 243) - d * (91.0F / 729);
    series = all(-14.0F / 81) + d * series;
    series = all(2.0F / 9) + d * series;
    series = all(-1.0F / 3) + d * series;
    const Vector inverse = z * (all(1) + d * series);
    return t * inverse * inverse;
}

// CIE 15: the cube root above (6 / 29)^3, a line below.
VEDETTE_INLINE Vector lightness_response(const Vector& t) {
    constexpr float knee = 216.0F / 24389;
    const Vector line = t * (24389.0F / 27 / 116) + all(16.0F / 116);
    return t > knee ? cube_root(greater(t, all(knee))) : line;
}

// The sRGB matrix for linear B, G, R; each row divided by its sum, which is the white point D65, so that gray has
// X = Y = Z [IEC 61966-2-1].
constexpr float x_sum = 0.1804375F + 0.3575761F + 0.4124564F;
constexpr float y_sum = 0.0721750F + 0.7151522F + 0.2126729F;
constexpr float z_sum = 0.9503041F + 0.1191920F + 0.0193339F;

// Screens repeat their colours: true when the pixels of a step are all equal to the one before it.
VEDETTE_INLINE bool repeats(const std::uint8_t* pixels) {
    std::uint64_t here[3 * lanes / 8], before[3 * lanes / 8];
    __builtin_memcpy(here, pixels, sizeof here);
    __builtin_memcpy(before, pixels - 3, sizeof before);
    std::uint64_t differences = 0;
    for (std::size_t i = 0; i < sizeof here / 8; ++i) differences |= here[i] ^ before[i];
    return differences == 0;
}

// Linear light of every third value.
VEDETTE_INLINE Vector light(const float* linear, const std::uint8_t* values) {
    float out[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) out[lane] = linear[values[3 * lane]];
    return load(out);
}

void lab(const float* linear, const std::uint8_t* pixels, std::size_t count, float* l, float* a, float* b) {
    Vector last_l{}, last_a{}, last_b{};
    for (std::size_t i = 0; i < count; i += lanes) {
        const std::uint8_t* const here = pixels + 3 * i;
        if (i > 0 && count - i >= lanes && repeats(here)) {
            store(l + i, last_l[lanes - 1] - Vector{});
            store(a + i, last_a[lanes - 1] - Vector{});
            store(b + i, last_b[lanes - 1] - Vector{});
            continue;
        }
        std::uint8_t tail[3 * lanes] = {};
        const bool whole = count - i >= lanes;
        if (!whole) __builtin_memcpy(tail, here, 3 * (count - i));
        const std::uint8_t* const values = whole ? here : tail;
        const Vector vb = light(linear, values), vg = light(linear, values + 1), vr = light(linear, values + 2);
        const Vector x = vb * (0.1804375F / x_sum) + vg * (0.3575761F / x_sum) + vr * (0.4124564F / x_sum);
        const Vector y = vb * (0.0721750F / y_sum) + vg * (0.7151522F / y_sum) + vr * (0.2126729F / y_sum);
        const Vector z = vb * (0.9503041F / z_sum) + vg * (0.1191920F / z_sum) + vr * (0.0193339F / z_sum);
        const Vector fx = lightness_response(x), fy = lightness_response(y), fz = lightness_response(z);
        last_l = 116.0F * fy - all(16);
        last_a = 500.0F * (fx - fy);
        last_b = 200.0F * (fy - fz);
        store(l + i, last_l);
        store(a + i, last_a);
        store(b + i, last_b);
    }
}

}  // namespace
