// Integral images: sums, sums of squares and sums tilted by 45 degrees.
#pragma once

#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

// What an output holds: 32-bit integers (64-bit for squares), doubles, or it is left out.
enum class SumType : std::uint8_t { none, integer, real };

struct IntegralShape {
    std::int32_t width = 0;  // of the input, pixels
    std::int32_t height = 0;
    bool bytes = true;  // pixels are bytes; otherwise floats, and sums are real
    SumType sum = SumType::none;
    SumType squares = SumType::none;
    SumType tilted = SumType::none;
};

// Outputs are (width + 1) x (height + 1); those that the shape leaves out are not looked at.
struct IntegralImages {
    View<const std::byte> in;
    View<std::byte> sum, squares, tilted;
};

// Device memory that a plan keeps for its shape. Its first `cleared_bytes` are cleared once, before the first call;
// calls with one scratch follow each other.
struct IntegralScratch {
    std::size_t cleared_bytes = 0;
    std::size_t bytes = 0;
};
IntegralScratch integral_scratch(const IntegralShape& shape);

// Sum and squares in one kernel, tilted in four more. Integers are exact, sums modulo 2^32. Doubles are added in an
// order that depends on the shape alone.
void integrate(const IntegralShape& shape, const IntegralImages& images, std::byte* scratch, cudaStream_t stream);

// How the upright sums are cut up.
struct IntegralTiles {
    std::int32_t width = 0, height = 0;  // pixels of a tile
    std::int32_t across = 0, down = 0;
};
IntegralTiles integral_tiles(const IntegralShape& shape);

// The tilted part of integrate. Internal.
namespace detail {
std::size_t tilted_scratch_bytes(const IntegralShape& shape);
void integrate_tilted(const IntegralShape& shape, const IntegralImages& images, std::byte* scratch,
                      cudaStream_t stream);
}  // namespace detail

}  // namespace vedette::cuda
