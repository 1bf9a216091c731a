#include "resize/row_reader.h"

#include "kernels/per_isa.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ConvertKernels, convert_kernels)

RowReader::RowReader(const Device& device, vdt_format in, vdt_format out)
    : kernels_(select_convert_kernels(device.isa)), from_(pixels_of(in)) {
    const PixelLayout to = pixels_of(out);
    if (to.planar && from_.channels >= 3 && !from_.planar) {
        layout_ = from_;  // planes are written in another order, an alpha is skipped
        swapped_ = from_.rgb != to.rgb;
    } else {
        layout_ = {from_.depth, to.channels, to.rgb, false};
    }
    in_place_ =
        !from_.planar && from_.channels == layout_.channels && (from_.channels == 1 || from_.rgb == layout_.rgb);
}

std::uint32_t RowReader::element_bytes() const noexcept {
    return layout_.depth == Depth::bits8 ? 1 : (layout_.depth == Depth::bits16 ? 2 : 4);
}

std::uint64_t RowReader::scratch_bytes(std::uint32_t width) const noexcept {
    return in_place_ ? 0 : std::uint64_t{width} * layout_.channels * element_bytes();
}

const void* RowReader::row(const vdt_image& in, std::uint32_t y, void* scratch) const {
    if (in_place_) return row_of<const void>(in, 0, y);
    ConvertRow row{};
    row.from = from_;
    row.to = layout_;
    row.width = in.width;
    for (std::uint32_t plane = 0; plane < in.plane_count; ++plane) row.in[plane] = row_of<const void>(in, plane, y);
    row.out[0] = scratch;
    kernels_.row(row);
    return scratch;
}

}  // namespace vedette::cpu
