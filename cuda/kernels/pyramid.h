// pyramid: each level from the one before, as it was rounded. Formulas: pyramid in vedette/plugin/ops.h.
#pragma once

#include "kernels/convert.h"

namespace vedette::cuda {

enum class PyramidMethod : std::uint8_t { area2, gauss5 };

inline constexpr int most_pyramid_levels = 16;

// The input and what is made of it.
struct PyramidImages {
    PixelPlanes image[most_pyramid_levels + 1];  // image[0] is the input; all have its layout
    std::int32_t count = 0;                      // images in use, the input among them
};

// How many of the levels get a kernel of their own; all smaller ones share one more. `elements`: of a pixel, of all
// planes.
std::int32_t large_pyramid_levels(const std::int32_t* widths, const std::int32_t* heights, std::int32_t levels,
                                  std::int32_t elements) noexcept;

// Queues all levels on `stream`. Integers are exact sums rounded half up; floats are summed down first, then across.
void build_pyramid(const PyramidImages& images, PyramidMethod method, cudaStream_t stream);

}  // namespace vedette::cuda
