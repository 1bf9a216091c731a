#include "fault_backend.h"

#include <cmath>

namespace vedette::fault {
namespace {

std::uint64_t pixel_bytes(vdt_format format) {
    return format == VDT_FORMAT_BGR8 ? 3 : 1;
}

void check_bounds(const vdt_image& image) {
    const vdt_plane& plane = image.plane[0];
    const std::uint64_t row = image.width * pixel_bytes(image.format);
    const std::uint64_t steps = image.height - 1;
    const std::uint64_t stride = plane.row_stride < 0 ? 0 - static_cast<std::uint64_t>(plane.row_stride)
                                                      : static_cast<std::uint64_t>(plane.row_stride);
    if (plane.base == nullptr) refuse(VDT_E_ARGUMENT, "an image has no pixels");
    if (steps > 0 && (stride < row || stride > plane.bytes / steps))
        refuse(VDT_E_SIZE, "a row stride leaves its buffer");
    const std::uint64_t before = plane.row_stride < 0 ? steps * stride : 0;
    const std::uint64_t after = row + (plane.row_stride < 0 ? 0 : steps * stride);
    if (plane.offset > plane.bytes || plane.offset < before || plane.bytes - plane.offset < after)
        refuse(VDT_E_SIZE, "an image's rows leave its buffer");
}

void check_image(const vdt_image* image, vdt_format format, bool pixels) {
    if (image == nullptr || image->struct_size < sizeof *image) refuse(VDT_E_ARGUMENT, "an image is NULL or too small");
    if (image->format != format && fault != Fault::accept_anything)
        refuse(VDT_E_UNSUPPORTED_FORMAT, "only GRAY8 and BGR8 are searched here, with patterns of the scene's format");
    if (image->memory != VDT_MEMORY_HOST) refuse(VDT_E_UNSUPPORTED_MEMORY, "images must lie in host memory");
    if (fault == Fault::trust_sizes) return;
    if (image->width == 0 || image->height == 0 || image->width > VDT_MAX_DIMENSION ||
        image->height > VDT_MAX_DIMENSION)
        refuse(VDT_E_SIZE, "an image must be 1 to 65535 pixels wide and high");
    if (image->plane_count != 1) refuse(VDT_E_ARGUMENT, "an image must have one plane");
    if (pixels) check_bounds(*image);
}

void check_params(const vdt_image& scene, const vdt_template_find_params& params) {
    if (!(params.threshold >= -1 && params.threshold <= 1)) refuse(VDT_E_ARGUMENT, "the threshold must be in -1..1");
    if (params.flags & ~std::uint32_t{VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY})
        refuse(VDT_E_ARGUMENT, "unknown flags");
    if (params.max_results == 0) refuse(VDT_E_ARGUMENT, "max_results must be at least 1");
    if (params.exclude_count > 0 && params.exclude == nullptr) refuse(VDT_E_ARGUMENT, "excluded areas are NULL");
    const vdt_rect& r = params.region;
    const bool everywhere = r.w == 0 && r.h == 0;
    if (!everywhere &&
        (r.x < 0 || r.y < 0 || r.w <= 0 || r.h <= 0 || std::int64_t{r.x} + r.w > std::int64_t{scene.width} ||
         std::int64_t{r.y} + r.h > std::int64_t{scene.height}))
        refuse(VDT_E_ARGUMENT, "the region is not inside the scene");
    for (std::uint32_t i = 0; params.scales != nullptr && i < params.scale_count; ++i) {
        if (!std::isfinite(params.scales[i]) || params.scales[i] <= 0)
            refuse(VDT_E_ARGUMENT, "a scale is not positive");
        if (params.scales[i] != 1) refuse(VDT_E_UNSUPPORTED, "only scale 1 is searched here");
    }
}

}  // namespace

void check_inputs(const vdt_image* const* inputs, std::uint32_t count, const vdt_template_find_params* params,
                  bool pixels) {
    if (fault == Fault::trust_pointers) return;
    if (params == nullptr || params->struct_size < sizeof *params)
        refuse(VDT_E_ARGUMENT, "parameters are NULL or too small");
    if (params->pattern_count == 0 || count != 1 + 2 * std::uint64_t{params->pattern_count} || inputs == nullptr)
        refuse(VDT_E_ARGUMENT, "inputs must be the scene, and a pattern and a mask for each pattern");
    const vdt_image* const scene = inputs[0];
    if (scene == nullptr || scene->struct_size < sizeof *scene)
        refuse(VDT_E_ARGUMENT, "the scene is NULL or too small");
    const vdt_format format = scene->format == VDT_FORMAT_BGR8 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8;
    check_image(scene, format, pixels);
    for (std::uint32_t p = 0; p < params->pattern_count; ++p) {
        const vdt_image* const pattern = inputs[1 + 2 * p];
        const vdt_image* const mask = inputs[2 + 2 * p];
        check_image(pattern, format, pixels);
        if (mask == nullptr || mask->struct_size < sizeof *mask) refuse(VDT_E_ARGUMENT, "a mask is NULL or too small");
        if (mask->format == VDT_FORMAT_NONE) continue;
        check_image(mask, VDT_FORMAT_GRAY8, pixels);
        if (mask->width != pattern->width || mask->height != pattern->height)
            refuse(VDT_E_SIZE, "a mask differs from its pattern in size");
    }
    check_params(*scene, *params);
}

}  // namespace vedette::fault
