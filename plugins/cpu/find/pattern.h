// A pattern as the search sees it: exact sums, and coefficients for the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.h"

namespace vedette::cpu::find {

__extension__ typedef __int128 Wide;

// Sums over a pattern's or window's (masked) pixels, pixels shifted by -128.
struct Moments {
    std::int64_t sum[max_channels] = {};
    std::int64_t square = 0;  // all channels
};

// n * square - sum over channels of sum^2: the variance times n^2, exact.
inline Wide variance_of(const Moments& moments, std::int64_t area, int channels) {
    Wide variance = Wide{area} * moments.square;
    for (int c = 0; c < channels; ++c) variance -= Wide{moments.sum[c]} * moments.sum[c];
    return variance;
}

struct Pattern {
    int w = 0, h = 0, channels = 1;
    bool masked = false;      // the mask leaves something out
    bool given_mask = false;  // there is a mask, whatever it takes: SQDIFF_NORMED is capped at 1 without one only
    std::int64_t area = 0;    // pixels taken
    std::vector<std::uint8_t> pixels;  // planes of w * h
    std::vector<std::uint8_t> mask;    // w * h of 0 or 1, when masked
    Moments moments;                   // of the taken pixels
    Wide variance = 0;                 // v_T of ops.h
    double norm = 0;                   // sqrt(v_T / n)

    // For Dots: planes of h rows of `stride` coefficients T - 128, 0 where nothing is taken. The same for the mask
    // itself (1 and 0) when masked.
    int stride = 0;
    std::vector<std::int8_t> coefficients;
    std::vector<std::int8_t> mask_coefficients;

    std::uint8_t pixel(int c, int x, int y) const {
        return pixels[(static_cast<std::size_t>(c) * static_cast<std::size_t>(h) + static_cast<std::size_t>(y)) *
                          static_cast<std::size_t>(w) +
                      static_cast<std::size_t>(x)];
    }
    bool taken(int x, int y) const {
        return !masked ||
               mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(w) + static_cast<std::size_t>(x)] != 0;
    }
    // Positions' sums fit the 32-bit kernels.
    bool small() const { return std::int64_t{w} * h * channels <= max_area; }
    // Those of the bound test do.
    bool prunable() const {
        return small() ||
               (!masked && std::int64_t{w} * h * channels <= max_pruned_area && std::int64_t{h} * channels <= max_area);
    }
};

// `mask` may be NULL or of format NONE. Images were checked (memory, sizes, formats, bounds).
Pattern read_pattern(const vdt_image& image, const vdt_image* mask);

// The score of ops.h from exact sums: `product` = sum of I' T'. `window` has the window's moments over the same pixels.
double exact_score(const Pattern& pattern, std::int64_t product, const Moments& window);

}  // namespace vedette::cpu::find
