#include "check.h"

#include <cmath>
#include <string>

#include "formats.h"

namespace vedette::opencv {

namespace {

using std::to_string;

enum class Pixels : std::uint8_t { absent, present };

// A chain of information blocks longer than this is taken for a ring.
constexpr int longest_chain = 64;

void check_links(const vdt_link* link, const std::string& owner) {
    for (int length = 0; link != nullptr; link = link->next, ++length) {
        if (length == longest_chain) throw Failure(VDT_E_ARGUMENT, owner + ": its chain of blocks does not end");
        if (link->struct_size < sizeof(vdt_link))
            throw Failure(VDT_E_ARGUMENT, owner + ": struct_size of a chained block is too small");
        if ((link->kind & VDT_LINK_MUST_UNDERSTAND) != 0)
            throw Failure(VDT_E_UNSUPPORTED, owner + ": a chained block of kind " + to_string(link->kind) +
                                                 " must be understood but is unknown to this backend");
    }
}

// All rows of a plane lie inside [base, base + bytes).
void check_plane(const vdt_plane& plane, const FormatLayout& layout, const vdt_image& image, const std::string& name) {
    if (plane.base == nullptr) throw Failure(VDT_E_ARGUMENT, name + ": the base of a plane is NULL");
    const auto address = reinterpret_cast<std::uintptr_t>(plane.base);
    std::uintptr_t address_end = 0;
    std::int64_t last = 0, begin = 0, end = 0;  // of the last row against the first; of all touched bytes against base
    const auto bytes = static_cast<std::int64_t>(row_bytes(layout, image.width));
    const bool overflows = __builtin_add_overflow(address, plane.bytes, &address_end) ||
                           __builtin_mul_overflow(std::int64_t{image.height} - 1, plane.row_stride, &last) ||
                           __builtin_add_overflow(last < 0 ? last : 0, plane.offset, &begin) ||
                           __builtin_add_overflow(last < 0 ? 0 : last, plane.offset, &end) ||
                           __builtin_add_overflow(end, bytes, &end);
    if (overflows || begin < 0 || static_cast<std::uint64_t>(end) > plane.bytes)
        throw Failure(VDT_E_SIZE, name + ": its rows do not lie inside the " + to_string(plane.bytes) +
                                      " bytes stated for a plane; correct offset, row_stride or bytes");
    const std::uint64_t stride = image.height > 1 ? static_cast<std::uint64_t>(plane.row_stride) : 0;
    if (((address + plane.offset) | stride) % layout.element_bytes != 0)
        throw Failure(VDT_E_ARGUMENT, name + ": its rows are not aligned to the " + to_string(layout.element_bytes) +
                                          " bytes of a channel of " + layout.name);
}

void check_size(const vdt_image& image, const FormatLayout& layout, const std::string& name) {
    const std::string size = to_string(image.width) + " x " + to_string(image.height);
    if (image.width == 0 || image.height == 0) throw Failure(VDT_E_SIZE, name + " is empty: " + size + " pixels");
    if (image.width > VDT_MAX_DIMENSION || image.height > VDT_MAX_DIMENSION)
        throw Failure(VDT_E_SIZE,
                      name + " has " + size + " pixels; " + to_string(VDT_MAX_DIMENSION) + " a side is the largest");
    if (std::uint64_t{image.width} * image.height > max_pixels)
        throw Failure(VDT_E_UNSUPPORTED_SIZE,
                      name + " has " + size + " pixels; this backend takes " + to_string(max_pixels) + " in all");
    if (image.plane_count != layout.planes)
        throw Failure(VDT_E_ARGUMENT, name + ": " + layout.name + " has " + to_string(layout.planes) + " planes, not " +
                                          to_string(image.plane_count));
    const auto bytes = static_cast<std::int64_t>(row_bytes(layout, image.width));
    for (std::uint32_t p = 0; p < layout.planes && image.height > 1; ++p) {
        const std::int64_t stride = image.plane[p].row_stride;
        if (stride < bytes && stride > -bytes)
            throw Failure(VDT_E_SIZE, name + ": a row_stride of " + to_string(stride) +
                                          " bytes makes rows overlap; a row has " + to_string(bytes));
    }
}

void check_image(const vdt_image* image, Pixels pixels, const std::string& name) {
    if (image == nullptr) throw Failure(VDT_E_ARGUMENT, name + " is NULL");
    if (image->struct_size < sizeof(vdt_image)) throw Failure(VDT_E_ARGUMENT, name + ": struct_size is too small");
    if (image->format == VDT_FORMAT_NONE) return;
    const FormatLayout* layout = layout_of(image->format);
    if (layout == nullptr)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, name + ": there is no format " + to_string(image->format));
    if (image->memory > VDT_MEMORY_NATIVE || (memory_mask & 1u << image->memory) == 0)
        throw Failure(VDT_E_UNSUPPORTED_MEMORY,
                      name + " lies in memory of kind " + to_string(image->memory) + "; only host memory can be used");
    if (image->flags != 0) throw Failure(VDT_E_ARGUMENT, name + ": flags must be 0");
    if (image->ready != nullptr)
        throw Failure(VDT_E_UNSUPPORTED, name + " has an event to wait for; this backend has no events");
    check_links(image->next, name);
    check_size(*image, *layout, name);
    for (std::uint32_t p = 0; pixels == Pixels::present && p < layout->planes; ++p)
        check_plane(image->plane[p], *layout, *image, name);
}

void check_images(const vdt_image* const* images, std::uint32_t count, Pixels pixels, const std::string& role) {
    if (count != 0 && images == nullptr) throw Failure(VDT_E_ARGUMENT, "the array of " + role + "s is NULL");
    for (std::uint32_t i = 0; i < count; ++i) check_image(images[i], pixels, role + " " + to_string(i));
}

// `used`: how many items will be touched; `item`: bytes that an item has at least.
void check_list(const vdt_list* list, std::uint64_t vdt_list::*used, std::uint32_t item, const std::string& name) {
    if (list == nullptr) throw Failure(VDT_E_ARGUMENT, name + " is NULL");
    if (list->struct_size < sizeof(vdt_list)) throw Failure(VDT_E_ARGUMENT, name + ": struct_size is too small");
    if (list->*used == 0) return;
    if (list->items == nullptr) throw Failure(VDT_E_ARGUMENT, name + ": items is NULL");
    const auto address = reinterpret_cast<std::uintptr_t>(list->items);
    std::uint64_t bytes = 0;
    std::uintptr_t end = 0;
    if (__builtin_mul_overflow(list->*used, list->item_size, &bytes) || __builtin_add_overflow(address, bytes, &end))
        throw Failure(VDT_E_SIZE, name + ": its items do not fit into the address space");
    if (list->item_size < item || (address | list->item_size) % alignof(vdt_item) != 0)
        throw Failure(VDT_E_ARGUMENT, name + ": its items are too small or not aligned to eight bytes");
}

}  // namespace

void check_query(const vdt_query* query) {
    if (query == nullptr) throw Failure(VDT_E_ARGUMENT, "the query is NULL");
    if (query->struct_size < sizeof(vdt_query)) throw Failure(VDT_E_ARGUMENT, "the query's struct_size is too small");
    if (query->flags != 0) throw Failure(VDT_E_ARGUMENT, "the query's flags must be 0");
    check_links(query->next, "the query");
    check_images(query->inputs, query->input_count, Pixels::absent, "input");
    check_images(query->outputs, query->output_count, Pixels::absent, "output");
}

void check_count(std::uint32_t count, std::uint32_t least, std::uint32_t most, const char* what) {
    if (count < least || count > most)
        throw Failure(VDT_E_ARGUMENT, "this operation does not take " + std::to_string(count) + " " + what);
}

void check_call(const vdt_call* call, const CallCounts& counts) {
    if (call == nullptr) throw Failure(VDT_E_ARGUMENT, "the call is NULL");
    if (call->struct_size < sizeof(vdt_call)) throw Failure(VDT_E_ARGUMENT, "the call's struct_size is too small");
    if (call->flags != 0) throw Failure(VDT_E_ARGUMENT, "the call's flags must be 0");
    if (call->stream != nullptr || call->done != nullptr)
        throw Failure(VDT_E_UNSUPPORTED, "the call has a stream or an event; this backend has none");
    check_links(call->next, "the call");
    check_count(call->input_count, counts.inputs, counts.inputs, "inputs");
    check_count(call->output_count, counts.outputs, counts.outputs, "outputs");
    check_count(call->list_in_count, counts.lists_in, counts.lists_in, "input lists");
    check_count(call->list_out_count, counts.lists_out, counts.lists_out, "output lists");
    check_images(call->inputs, call->input_count, Pixels::present, "input");
    check_images(call->outputs, call->output_count, Pixels::present, "output");
    if (call->list_in_count != 0 && call->lists_in == nullptr)
        throw Failure(VDT_E_ARGUMENT, "the array of input lists is NULL");
    if (call->list_out_count != 0 && call->lists_out == nullptr)
        throw Failure(VDT_E_ARGUMENT, "the array of output lists is NULL");
    for (std::uint32_t i = 0; i < call->list_in_count; ++i)
        check_list(call->lists_in[i], &vdt_list::count, counts.item_in, "input list " + to_string(i));
    for (std::uint32_t i = 0; i < call->list_out_count; ++i)
        check_list(call->lists_out[i], &vdt_list::capacity, counts.item_out, "output list " + to_string(i));
}

void check_params(const void* params, std::uint32_t size) {
    if (params == nullptr) throw Failure(VDT_E_ARGUMENT, "the parameters are NULL");
    if (*static_cast<const std::uint32_t*>(params) < size)
        throw Failure(VDT_E_ARGUMENT, "struct_size of the parameters is too small: " +
                                          to_string(*static_cast<const std::uint32_t*>(params)) + ", needed is " +
                                          to_string(size));
}

void check_format(const vdt_image& image, std::uint64_t formats, const char* role) {
    if (has(formats, image.format)) return;
    const FormatLayout* layout = layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT,
                  std::string(role) + " cannot be " + (layout ? layout->name : "left out") + " in this operation");
}

void check_finite(double value, const char* name) {
    if (!std::isfinite(value)) throw Failure(VDT_E_ARGUMENT, std::string(name) + " is not a finite number");
}

}  // namespace vedette::opencv
