#include "check.h"

#include "formats.h"

#include <string>

namespace vedette::cpu {

namespace {

// Longest chain of information blocks that is followed; more is taken for a ring.
constexpr int longest_chain = 64;

[[noreturn]] void refuse(vdt_code code, const std::string& text) {
    throw Failure(code, text);
}

void check_links(const vdt_link* link, const std::string& owner) {
    for (int count = 0; link != nullptr; link = link->next, ++count) {
        if (count == longest_chain) refuse(VDT_E_ARGUMENT, owner + ": the chain of information blocks does not end");
        if (link->struct_size < sizeof(vdt_link))
            refuse(VDT_E_ARGUMENT, owner + ": an information block's struct_size is too small");
        if ((link->kind & VDT_LINK_MUST_UNDERSTAND) != 0)
            refuse(VDT_E_UNSUPPORTED, owner + ": information block of kind " + std::to_string(link->kind) +
                                          " must be understood, but is not known here");
    }
}

// Every byte of every row lies in [base, base + bytes).
void check_plane(const vdt_plane& plane, const FormatLayout& layout, const vdt_image& image, const std::string& name) {
    if (plane.base == nullptr) refuse(VDT_E_ARGUMENT, name + ": a plane's base is NULL");
    const auto address = reinterpret_cast<std::uintptr_t>(plane.base);
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(address, plane.bytes, &end))
        refuse(VDT_E_SIZE, name + ": a plane's bytes reach beyond the address space");
    std::int64_t last = 0;  // of the last row, relative to the first
    if (__builtin_mul_overflow(static_cast<std::int64_t>(image.height - 1), plane.row_stride, &last))
        refuse(VDT_E_SIZE, name + ": the row stride times the height overflows");
    const std::int64_t above = last < 0 ? last : 0;
    const std::int64_t below = last < 0 ? 0 : last;
    std::int64_t first_byte = 0;
    std::int64_t end_byte = 0;
    // Widths are at most VDT_MAX_DIMENSION, so a row's bytes are far below the limits of 64 bits.
    const auto row = static_cast<std::int64_t>(row_bytes(layout, image.width));
    if (__builtin_add_overflow(above, plane.offset, &first_byte) ||
        __builtin_add_overflow(below, plane.offset, &end_byte) || __builtin_add_overflow(end_byte, row, &end_byte) ||
        first_byte < 0 || static_cast<std::uint64_t>(end_byte) > plane.bytes)
        refuse(VDT_E_SIZE, name + ": rows lie outside the " + std::to_string(plane.bytes) + " bytes of their plane");
    const std::uint64_t odd =
        (address + plane.offset) | static_cast<std::uint64_t>(image.height > 1 ? plane.row_stride : 0);
    if (odd % layout.element_bytes != 0)
        refuse(VDT_E_ARGUMENT, name + ": rows of " + layout.name + " must be aligned to " +
                                   std::to_string(layout.element_bytes) + " bytes");
}

void check_shape(const vdt_image& image, const FormatLayout& layout, const std::string& name) {
    if (image.width == 0 || image.height == 0) refuse(VDT_E_SIZE, name + " has no pixels");
    if (image.width > VDT_MAX_DIMENSION || image.height > VDT_MAX_DIMENSION)
        refuse(VDT_E_SIZE, name + " is " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                               " pixels; the most is " + std::to_string(VDT_MAX_DIMENSION) + " a side");
    if (image.plane_count != layout.planes)
        refuse(VDT_E_ARGUMENT, name + " has " + std::to_string(image.plane_count) + " planes, " + layout.name +
                                   " has " + std::to_string(layout.planes));
    const auto row = static_cast<std::int64_t>(row_bytes(layout, image.width));
    for (std::uint32_t plane = 0; plane < image.plane_count && image.height > 1; ++plane) {
        const std::int64_t stride = image.plane[plane].row_stride;
        // Rows that overlap are never an image, and as an output two threads would write one byte.
        if (stride < row && stride > -row)
            refuse(VDT_E_SIZE, name + ": a row stride of " + std::to_string(stride) + " bytes is less than a row of " +
                                   std::to_string(row));
    }
}

void check_images(const vdt_image* const* images, std::uint32_t count, Pixels pixels, const char* role) {
    if (count == 0) return;
    if (images == nullptr) refuse(VDT_E_ARGUMENT, std::string("the array of ") + role + "s is NULL");
    for (std::uint32_t index = 0; index < count; ++index) check_image(images[index], pixels, role, index);
}

void check_list(const vdt_list* list, const char* role, std::uint32_t index, bool filled) {
    const std::string name = std::string(role) + " list " + std::to_string(index);
    if (list == nullptr) refuse(VDT_E_ARGUMENT, name + " is NULL");
    if (list->struct_size < sizeof(vdt_list)) refuse(VDT_E_ARGUMENT, name + ": struct_size is too small");
    const std::uint64_t count = filled ? list->count : list->capacity;
    if (count == 0) return;
    if (list->items == nullptr) refuse(VDT_E_ARGUMENT, name + " has no items though its room is not 0");
    const auto address = reinterpret_cast<std::uintptr_t>(list->items);
    if (address % alignof(std::uint64_t) != 0 || list->item_size % alignof(std::uint64_t) != 0)
        refuse(VDT_E_ARGUMENT, name + ": its items are not aligned to eight bytes");
    std::uint64_t bytes = 0;
    std::uintptr_t end = 0;
    if (__builtin_mul_overflow(count, list->item_size, &bytes) || __builtin_add_overflow(address, bytes, &end))
        refuse(VDT_E_SIZE, name + ": its items reach beyond the address space");
}

}  // namespace

void check_image(const vdt_image* image, Pixels pixels, const char* role, std::uint32_t index) {
    const std::string name = std::string(role) + " " + std::to_string(index);
    if (image == nullptr) refuse(VDT_E_ARGUMENT, name + " is NULL");
    if (image->struct_size < sizeof(vdt_image)) refuse(VDT_E_ARGUMENT, name + ": struct_size is too small");
    if (image->format == VDT_FORMAT_NONE) return;
    const FormatLayout* const layout = layout_of(image->format);
    if (layout == nullptr)
        refuse(VDT_E_UNSUPPORTED_FORMAT, name + ": format " + std::to_string(image->format) + " is not known here");
    if (image->memory >= 32 || (memory_mask & 1u << image->memory) == 0)
        refuse(VDT_E_UNSUPPORTED_MEMORY,
               name + ": memory of kind " + std::to_string(image->memory) + "; this backend takes host memory only");
    if (image->flags != 0) refuse(VDT_E_ARGUMENT, name + ": flags must be 0");
    if (image->ready != nullptr)
        refuse(VDT_E_UNSUPPORTED, name + ": this backend has no events; wait for the image before the call");
    check_links(image->next, name);
    check_shape(*image, *layout, name);
    if (pixels == Pixels::absent) return;
    for (std::uint32_t plane = 0; plane < image->plane_count; ++plane)
        check_plane(image->plane[plane], *layout, *image, name);
}

void check_query(const vdt_query* query) {
    if (query == nullptr) refuse(VDT_E_ARGUMENT, "the query is NULL");
    if (query->struct_size < sizeof(vdt_query)) refuse(VDT_E_ARGUMENT, "the query's struct_size is too small");
    if (query->flags != 0) refuse(VDT_E_ARGUMENT, "the query's flags must be 0");
    check_links(query->next, "the query");
    if (query->input_count == 0) return;
    check_images(query->inputs, query->input_count, Pixels::absent, "input");
    check_images(query->outputs, query->output_count, Pixels::absent, "output");
}

void check_call(const vdt_call* call, std::size_t inputs, std::size_t outputs) {
    if (call == nullptr) refuse(VDT_E_ARGUMENT, "the call is NULL");
    if (call->struct_size < sizeof(vdt_call)) refuse(VDT_E_ARGUMENT, "the call's struct_size is too small");
    if (call->flags != 0) refuse(VDT_E_ARGUMENT, "the call's flags must be 0");
    if (call->stream != nullptr || call->done != nullptr)
        refuse(VDT_E_UNSUPPORTED, "this backend has no streams and events; leave stream and done NULL");
    check_links(call->next, "the call");
    if (call->input_count != inputs || call->output_count != outputs)
        refuse(VDT_E_ARGUMENT, "the plan was made for " + std::to_string(inputs) + " inputs and " +
                                   std::to_string(outputs) + " outputs, the call has " +
                                   std::to_string(call->input_count) + " and " + std::to_string(call->output_count));
    constexpr std::uint32_t most_lists = 2;  // of any operation
    if (call->list_in_count > most_lists || call->list_out_count > most_lists)
        refuse(VDT_E_ARGUMENT, "no operation has more than two lists in or out");
    check_images(call->inputs, call->input_count, Pixels::present, "input");
    check_images(call->outputs, call->output_count, Pixels::present, "output");
    if (call->list_in_count != 0 && call->lists_in == nullptr)
        refuse(VDT_E_ARGUMENT, "the array of input lists is NULL");
    for (std::uint32_t index = 0; index < call->list_in_count; ++index)
        check_list(call->lists_in[index], "input", index, true);
    if (call->list_out_count != 0 && call->lists_out == nullptr)
        refuse(VDT_E_ARGUMENT, "the array of output lists is NULL");
    for (std::uint32_t index = 0; index < call->list_out_count; ++index)
        check_list(call->lists_out[index], "output", index, false);
}

void check_params(const void* params, std::uint32_t size, const char* operation) {
    if (params == nullptr) refuse(VDT_E_ARGUMENT, std::string(operation) + ": the parameters are NULL");
    if (*static_cast<const std::uint32_t*>(params) < size)
        refuse(VDT_E_ARGUMENT, std::string(operation) + ": the parameters' struct_size is too small");
}

}  // namespace vedette::cpu
