// resize: bilinear samples and area averages. Formulas: resize in vedette/plugin/ops.h.
#pragma once

#include "kernels/convert.h"

namespace vedette::cuda {

// In one dimension an output pixel lies between the input pixels left and left + 1, `fraction` of the way; with
// fraction 0 only `left` counts.
struct PairPlace {
    std::int32_t left;
    float fraction;
};

// In one dimension an output pixel covers the input pixels first ... last: the first and the last with these weights,
// those between with the full weight. When first = last its weight is first_weight.
struct AreaCover {
    std::int32_t first, last;
    std::uint32_t first_weight, last_weight;
};

// The part of the output that the picture fills, and what becomes of its values. Where rows of a larger output are
// made, it is the part of the picture in these rows; `down` begins at its first row, and `top` may lie below the last
// one.
struct ResizeFrame {
    std::int32_t left = 0, top = 0, width = 0, height = 0;
    std::int32_t full_height = 0, in_height = 0;  // of the whole picture and the whole input
    float fill = 0;                               // outside; as the output's depth holds it
    double scale = 1, offset = 0;                 // of the values, where only the output is real; else 1 and 0
};

// Input and output have the same depth, or the output is real. Places: in device memory, frame.width of `across` and
// frame.height of `down`.

// In single precision: along both rows first, then between them; a + (b - a) * fraction each. Integers are rounded half
// up.
void resize_bilinear(const PixelPlanes& in, const PixelPlanes& out, const PairPlace* across, const PairPlace* down,
                     const ResizeFrame& frame, cudaStream_t stream);

// Sums of integers are exact and rounded once, those of floats are made in double precision. The weights of each output
// pixel add up to the input's width across and height down.
void resize_area(const PixelPlanes& in, const PixelPlanes& out, const AreaCover* across, const AreaCover* down,
                 const ResizeFrame& frame, cudaStream_t stream);

// How many threads sum one output pixel, for a picture that is shrunk to width x height.
int area_team(std::int32_t in_width, std::int32_t in_height, std::int32_t width, std::int32_t height) noexcept;

}  // namespace vedette::cuda
