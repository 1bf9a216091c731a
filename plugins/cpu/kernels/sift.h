// Kernels of SIFT [Lowe 2004; constants as OpenCV 4's cv::SIFT]. The same values on every instruction set.
#pragma once

#include <cstdint>

namespace vedette::cpu {

// Every row that these kernels read or write can be accessed this many floats beyond its last pixel, so that whole
// vectors may be used; what lies there is never part of a result.
constexpr std::uint32_t sift_row_slack = 32;

// Rows of one Gaussian layer: those still needed of an image `width` x `height`. Row y lies in slot y % slots.
struct SiftLayer {
    float* first = nullptr;
    std::int64_t stride = 0;  // floats
    std::uint32_t slots = 1;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    float* row(std::uint32_t y) const noexcept { return first + static_cast<std::int64_t>(y % slots) * stride; }
    // The row below another; without a division.
    const float* below(const float* row) const noexcept {
        const float* const next = row + stride;
        return next == first + static_cast<std::int64_t>(slots) * stride ? first : next;
    }
};

// A symmetric filter of 2 taps + 1 values that lie `step` apart: weights [0 .. taps] from the centre outwards.
struct SiftWeights {
    std::uint32_t taps = 0;
    std::uint32_t step = 1;
    const float* weights = nullptr;
    std::uint32_t radius() const noexcept { return taps * step; }
};

// Rows y - 1, y, y + 1 of a layer.
struct SiftRows {
    const float* row[3];
};

struct SiftExtremum {
    std::uint32_t x, layer;
};

// Where a descriptor is taken: centre and radius in pixels of the layer; `cosine` and `sine` of the direction that
// becomes the first axis, divided by the side of one of the 4 x 4 cells.
struct SiftPatch {
    std::int32_t x, y, radius;
    float cosine, sine;
    float direction;  // degrees
    float cell;       // side of a cell, pixels
};

// Floats of scratch that the patch kernels use for a radius.
constexpr std::int64_t sift_patch_scratch(std::int64_t radius) {
    return 4 * (2 * radius + 1 + 64);
}

struct SiftKernels {
    // A row of the image enlarged twice, bilinear, samples at (x + 0.5) / 2 - 0.5, edges replicated: a quarter of
    // `far` and three quarters of `near` downwards, the same sideways. Writes 2 * width floats; exact.
    void (*enlarge)(const std::uint8_t* near, const std::uint8_t* far, std::uint32_t width, float* out);

    // Every second value of a row: out[i] = in[2 i], i < count.
    void (*halve)(const float* in, std::uint32_t count, float* out);

    // Pixels begin <= x < end of one row of a separable filter: rows[0 .. 2 radius] lie around it; borders reflect
    // without repeating the edge. `begin` is a multiple of sift_row_slack, `end` too or the width. `scratch`: end -
    // begin + 2 radius + sift_row_slack floats.
    void (*blur)(const float* const* rows, const SiftWeights& weights, std::uint32_t begin, std::uint32_t end,
                 std::uint32_t width, float* scratch, float* out);

    // Extrema of differences of neighbouring layers in pixels begin <= x < end of a row: layers 1 .. count - 3 whose
    // difference (next layer - this layer) is above `threshold` in magnitude and not beaten by any of the 26
    // neighbours. Neighbours of all pixels exist. Writes them to `found` (room for (end - begin) * (count - 3)) and
    // returns how many.
    std::uint32_t (*extrema)(const SiftRows* layers, std::uint32_t count, float threshold, std::uint32_t begin,
                             std::uint32_t end, SiftExtremum* found);

    // Histogram of gradient directions around (x, y), 36 bins of 10 degrees, smoothed by 1 4 6 4 1 / 16. `reach`: half
    // the side of the square; weight exp(-distance^2 / (2 sigma^2)). Pixels on the image's edge take no part.
    void (*directions)(const SiftLayer& layer, std::int32_t x, std::int32_t y, std::int32_t reach, float sigma,
                       float* scratch, float* histogram);

    // The 4 x 4 x 8 descriptor of a patch: trilinear histogram, clipped at 0.2 of its norm, scaled to norm 512, rounded
    // and saturated.
    void (*describe)(const SiftLayer& layer, const SiftPatch& patch, float* scratch, std::uint8_t* descriptor);
};

}  // namespace vedette::cpu
