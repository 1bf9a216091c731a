// Plain rows as the C API sees them.
#pragma once

#include <vedette/vedette.h>

#include "score_map.h"

namespace vedette::compat {

// A view of host memory; `pixel` is the size of one in bytes.
inline vdt_image view_of(vdt_format format, const void* data, std::ptrdiff_t step, int width, int height,
                         std::size_t pixel) {
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = format;
    view.width = static_cast<std::uint32_t>(width);
    view.height = static_cast<std::uint32_t>(height);
    view.memory = VDT_MEMORY_HOST;
    view.plane_count = 1;
    view.plane[0].base = const_cast<void*>(data);
    view.plane[0].row_stride = step;
    view.plane[0].bytes = static_cast<std::uint64_t>(height - 1) * static_cast<std::uint64_t>(step) +
                          static_cast<std::uint64_t>(width) * pixel;
    return view;
}

// Of an 8-bit raster of 1 or 3 channels, or of none.
inline vdt_image view_of(const Raster& raster) {
    if (raster.data == nullptr) {
        vdt_image none{};
        none.struct_size = sizeof none;
        none.format = VDT_FORMAT_NONE;
        return none;
    }
    return view_of(raster.channels == 3 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8, raster.data, raster.step, raster.width,
                   raster.height, static_cast<std::size_t>(raster.channels));
}

}  // namespace vedette::compat
