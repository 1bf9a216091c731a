// From any accepted pixel format to the two that finding works on: BGR8 and GRAY8.
#pragma once

#include "../core/image.h"
#include "view.h"
#include "workers.h"

#include <vector>

namespace vedette::host {

// View of a GRAY8 or BGR8 image.
PixelView view_of(const Image& image) noexcept;

// Colour of a checked view in host memory, 8 or 16 bit GRAY, BGR, BGRA, RGB or RGBA: GRAY8 for the gray formats, else
// BGR8. 16 bit is reduced by (v + 128) / 257. Alpha is left out. Failure VDT_E_OUT_OF_MEMORY, VDT_E_UNSUPPORTED_FORMAT.
Image color_of(const vdt_image& view, const Workers& workers = Workers());
Image color_of(Image image, const Workers& workers = Workers());  // moves GRAY8 and BGR8 through
// Alpha as GRAY8; an empty image when the format has none.
Image alpha_of(const vdt_image& view);

// (3735 B + 19235 G + 9798 R + 2^14) >> 15, as the operation `convert`.
Image gray_from_color(const Image& bgr, const Workers& workers = Workers());
Image color_from_gray(const Image& gray, const Workers& workers = Workers());
// True when B = G = R in every pixel.
bool has_only_gray(const Image& image) noexcept;

// The mask of a pattern, GRAY8 with 0 and 255, or an empty image when every pixel counts. Opaque pixels count; when
// they are under a tenth of the visible ones (a soft shadow, a translucent element), those with alpha 128 or more do.
// `alpha` may be empty. `excluded`: areas that take no part, cut at the border. `counted` receives how many pixels are
// left.
Image mask_from_alpha(const Image& alpha, std::uint32_t width, std::uint32_t height,
                      const std::vector<vdt_rect>& excluded, std::uint64_t& counted);

}  // namespace vedette::host
