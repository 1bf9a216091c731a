// sRGB to CIELAB (D65), in float.
#pragma once

#include "view.h"

namespace vedette::host {

// Writes the CIELAB values of `count` pixels to three rows (L 0..100, a and b about -128..128) with room for
// row_pitch(count) values (kernels/kernels.h). `pixels`: B, G, R triples. A gray pixel gives a = b = 0 up to rounding.
// Error against the closed form: at most 0.001 [IEC 61966-2-1, CIE 15].
void lab_of_bgr(const std::uint8_t* pixels, std::uint32_t count, float* l, float* a, float* b) noexcept;

// Lightness of gray pixels, that is of B = G = R; exactly `count` values.
void lightness_of_gray(const std::uint8_t* pixels, std::uint32_t count, float* l) noexcept;

struct Lab {
    float l, a, b;
};
Lab lab_of_bgr(std::uint8_t blue, std::uint8_t green, std::uint8_t red) noexcept;

}  // namespace vedette::host
