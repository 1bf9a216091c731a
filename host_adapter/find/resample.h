// Shrinking by exact area average.
#pragma once

#include "../core/image.h"
#include "view.h"
#include "workers.h"

namespace vedette::host {

// Side of an image after a change of size by `factor`: rounded half up, at least 1.
std::uint32_t scaled_side(std::uint32_t side, double factor) noexcept;

// GRAY8 or BGR8 of `width` x `height`, neither larger than the image's: the mean over the area each pixel covers, with
// fractional cover at its edges, rounded half up (the operation `resize` with VDT_RESIZE_AREA).
Image shrink(const Image& image, std::uint32_t width, std::uint32_t height, const Workers& workers);

// The pixels that shrink() to `width` x `height` would give in `part`, at the price of the part alone. `part` lies
// inside and is not empty.
Image shrink_part(const Image& image, std::uint32_t width, std::uint32_t height, const Window& part,
                  const Workers& workers);

// The mask of a shrunk pattern: a pixel counts only when everything it covers counts. Empty when all do.
Image shrink_mask(const Image& mask, std::uint32_t width, std::uint32_t height, std::uint64_t& counted);

}  // namespace vedette::host
