// convert: between colour formats. Formulas: convert in vedette/plugin/ops.h.
#pragma once

#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vedette::cuda {

enum class Depth : std::uint8_t { bits8, bits16, real32 };

// Where a format keeps the channels of a pixel.
struct PixelLayout {
    Depth depth = Depth::bits8;
    std::uint8_t channels = 1;  // 1, 3 or 4
    bool rgb = false;           // red comes first
    bool planar = false;        // a plane for each channel
};

// Planes in the format's order; interleaved formats have one. Widths are counted in pixels.
struct PixelPlanes {
    PixelLayout layout;
    View<std::byte> plane[3];
};

// Queues the conversion on `stream`. `scale` and `offset` count where exactly one side is real.
void convert(const PixelPlanes& in, const PixelPlanes& out, double scale, double offset, cudaStream_t stream);

}  // namespace vedette::cuda
