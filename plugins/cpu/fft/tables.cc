#include "fft/tables.h"

#include <cmath>
#include <numbers>

namespace vedette::cpu {

std::uint32_t fft_side_index(std::uint32_t side) noexcept {
    for (std::uint32_t index = 0; index < fft_side_count; ++index)
        if (side == fft_least_side << index) return index;
    return fft_side_count;
}

AlignedFloats make_fft_roots(std::uint32_t side) {
    const Radices& radices = fft_radices[fft_side_index(side)];
    // A pass has at most (radix - 1) / radix of its block's length, which is at most the side.
    AlignedFloats roots(std::size_t{2} * side * radices.count);
    float* root = roots.data();
    std::uint32_t length = side;
    for (std::uint32_t pass = 0; pass + 1 < radices.count; ++pass) {
        const std::uint32_t stride = length / radices.radix[pass];
        for (std::uint32_t j = 0; j < stride; ++j)
            for (std::uint32_t m = 1; m < radices.radix[pass]; ++m) {
                const double angle = -2 * std::numbers::pi * (j * m) / length;
                *root++ = static_cast<float>(std::cos(angle));
                *root++ = static_cast<float>(std::sin(angle));
            }
        length = stride;
    }
    return roots;
}

double fft_operations(std::uint32_t side) noexcept {
    const Radices& radices = fft_radices[fft_side_index(side)];
    double operations = 0;
    std::uint32_t length = side;
    for (std::uint32_t pass = 0; pass < radices.count; ++pass) {
        const std::uint32_t radix = radices.radix[pass];
        const std::uint32_t stride = length / radix;
        // Butterflies of four: 8 complex additions; of eight: 24 and two turns of an eighth. Roots: six each.
        const double butterfly = radix == 4 ? 16 : 56;
        const double turns = stride == 1 ? 0 : 6.0 * (radix - 1);
        operations += side / radix * (butterfly + turns);
        length = stride;
    }
    return operations;
}

}  // namespace vedette::cpu
