#include "image_check.h"

#include "failure.h"
#include "image.h"

#include <array>

namespace vedette::host {
namespace {

__extension__ using Wide = __int128;  // sums and products of 64-bit numbers that cannot overflow

constexpr std::array<const char*, VDT_FORMAT_COUNT> format_names = {
    "no image", "GRAY8",   "BGR8",   "BGRA8",         "RGB8",          "RGBA8", "GRAY16", "BGR16", "BGRA16",    "RGB16",
    "RGBA16",   "GRAYF32", "BGRF32", "PLANAR_BGRF32", "PLANAR_RGBF32", "I32",   "I64",    "F64",   "COMPLEXF32"};

struct Layout {
    std::uint32_t planes;
    std::size_t pixel;    // bytes of a pixel in one plane
    std::size_t element;  // bytes of a number
};

Layout layout_of(vdt_format format) noexcept {
    if (format == VDT_FORMAT_PLANAR_BGRF32 || format == VDT_FORMAT_PLANAR_RGBF32) return {3, 4, 4};
    const std::size_t pixel = bytes_per_pixel(format);
    switch (format) {
        case VDT_FORMAT_GRAY16:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_BGRA16:
        case VDT_FORMAT_RGB16:
        case VDT_FORMAT_RGBA16:
            return {1, pixel, 2};
        case VDT_FORMAT_GRAYF32:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_I32:
        case VDT_FORMAT_COMPLEXF32:
            return {1, pixel, 4};
        case VDT_FORMAT_I64:
        case VDT_FORMAT_F64:
            return {1, pixel, 8};
        default:
            return {1, pixel, 1};
    }
}

[[noreturn]] void fail(vdt_code code, const std::string& what, const std::string& text) {
    throw Failure(code, what + " " + text + ".");
}

void check_sides(std::uint32_t width, std::uint32_t height, const std::string& what) {
    if (width == 0 || height == 0 || width > VDT_MAX_DIMENSION || height > VDT_MAX_DIMENSION)
        fail(VDT_E_SIZE, what,
             "has " + std::to_string(width) + " x " + std::to_string(height) + " pixels; each side must be 1 to " +
                 std::to_string(VDT_MAX_DIMENSION));
}

void check_plane(const vdt_plane& plane, std::uint32_t width, std::uint32_t height, const Layout& layout, ImageUse use,
                 const std::string& what) {
    if (plane.base == nullptr) fail(VDT_E_ARGUMENT, what, "has no pixels: `base` is NULL");
    const Wide row = Wide{width} * static_cast<Wide>(layout.pixel);
    const Wide stride = plane.row_stride;
    if (height > 1) {
        if (stride == 0) fail(VDT_E_SIZE, what, "has a row stride of 0 with more than one row");
        if (use == ImageUse::Output && (stride < 0 ? -stride : stride) < row)
            fail(VDT_E_SIZE, what, "has rows that overlap: its row stride is shorter than a row");
    }
    const Wide first = static_cast<Wide>(plane.offset);
    const Wide last = first + Wide{height - 1} * stride;
    const Wide lowest = first < last ? first : last;
    const Wide end = (first < last ? last : first) + row;
    if (lowest < 0 || end > static_cast<Wide>(plane.bytes))
        fail(VDT_E_SIZE, what, "reaches outside its buffer of " + std::to_string(plane.bytes) + " bytes");
    const auto address = reinterpret_cast<std::uintptr_t>(plane.base);
    if (static_cast<Wide>(address) + static_cast<Wide>(plane.bytes) > static_cast<Wide>(UINTPTR_MAX))
        fail(VDT_E_SIZE, what, "has a buffer that is larger than memory");
    const auto misaligned = [&](Wide value) { return value % static_cast<Wide>(layout.element) != 0; };
    if (misaligned(static_cast<Wide>(address) + first) || (height > 1 && misaligned(stride)))
        fail(VDT_E_ARGUMENT, what, "has rows that are not aligned to " + std::to_string(layout.element) + " bytes");
}

}  // namespace

std::string format_name(vdt_format format) {
    return format < VDT_FORMAT_COUNT ? format_names[format] : "unknown format " + std::to_string(format);
}

void check_host_image(const vdt_image* image, ImageUse use, const std::string& what) {
    if (image == nullptr) fail(VDT_E_ARGUMENT, what, "is NULL");
    if (image->struct_size < sizeof(vdt_image)) fail(VDT_E_ARGUMENT, what, "has no struct_size set");
    if (image->format == VDT_FORMAT_NONE) {
        if (use == ImageUse::OptionalInput) return;
        fail(VDT_E_ARGUMENT, what, "is no image: its format is VDT_FORMAT_NONE");
    }
    if (image->format >= VDT_FORMAT_COUNT) fail(VDT_E_ARGUMENT, what, "has the " + format_name(image->format));
    check_sides(image->width, image->height, what);
    if (image->memory != VDT_MEMORY_HOST || image->device != nullptr || image->ready != nullptr ||
        image->resident != nullptr)
        fail(VDT_E_ARGUMENT, what, "must lie in host memory, without device, event or resident");
    if (image->flags != 0) fail(VDT_E_ARGUMENT, what, "has unknown flags");
    for (const vdt_link* link = image->next; link != nullptr; link = link->next)
        if ((link->kind & VDT_LINK_MUST_UNDERSTAND) != 0)
            fail(VDT_E_UNSUPPORTED, what, "has a linked block of unknown kind that must be understood");
    const Layout layout = layout_of(image->format);
    if (image->plane_count != layout.planes)
        fail(VDT_E_ARGUMENT, what,
             "must have " + std::to_string(layout.planes) + " planes, not " + std::to_string(image->plane_count));
    for (std::uint32_t i = 0; i < layout.planes; ++i)
        check_plane(image->plane[i], image->width, image->height, layout, use, what);
}

vdt_image checked_view(const vdt_pixels* pixels, const std::string& what) {
    if (pixels == nullptr) fail(VDT_E_ARGUMENT, what, "is NULL");
    if (pixels->struct_size < sizeof(vdt_pixels)) fail(VDT_E_ARGUMENT, what, "has no struct_size set");
    if (pixels->format < VDT_FORMAT_GRAY8 || pixels->format > VDT_FORMAT_RGBA16)
        fail(VDT_E_ARGUMENT, what,
             "must have 8- or 16-bit GRAY, BGR, BGRA, RGB or RGBA pixels, not the format " +
                 std::to_string(pixels->format));
    check_sides(pixels->width, pixels->height, what);
    if (pixels->data == nullptr) fail(VDT_E_ARGUMENT, what, "has no pixels: `data` is NULL");
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = pixels->format;
    view.width = pixels->width;
    view.height = pixels->height;
    view.plane_count = 1;
    vdt_plane& plane = view.plane[0];
    plane.row_stride = pixels->stride;
    plane.bytes = pixels->bytes;
    // With a negative stride `data` is the row that lies last: the buffer begins (height - 1) rows before it.
    const Wide above = pixels->stride < 0 ? -Wide{pixels->stride} * Wide{pixels->height - 1} : Wide{0};
    const auto address = reinterpret_cast<std::uintptr_t>(pixels->data);
    if (above > static_cast<Wide>(address)) fail(VDT_E_SIZE, what, "begins before the first byte of memory");
    plane.offset = static_cast<std::uint64_t>(above);
    // The view is read only; the ABI has one type for inputs and outputs.
    plane.base = reinterpret_cast<void*>(address - static_cast<std::uintptr_t>(above));
    check_plane(plane, view.width, view.height, layout_of(view.format), ImageUse::Input, what);
    return view;
}

}  // namespace vedette::host
