// Help for plugins written in C++; not part of the ABI. Checks of what the host hands in: all of it may be wrong, and
// nothing is dereferenced before it was looked at. Each throws Failure with one sentence that names the culprit, and
// allocates only for that sentence.
#ifndef VEDETTE_PLUGIN_CPP_CHECK_HPP
#define VEDETTE_PLUGIN_CPP_CHECK_HPP

#include <cmath>
#include <cstddef>
#include <string>

#include "format.hpp"
#include "handle.hpp"
#include "signature.hpp"

namespace vedette::plugin {

inline constexpr uint32_t host_memory = 1u << VDT_MEMORY_HOST | 1u << VDT_MEMORY_PINNED;

// What images and calls a device takes. The defaults are a backend's that works in host memory and has no streams.
struct Limits {
    uint32_t memory_mask = host_memory;
    uint64_t max_pixels = uint64_t{VDT_MAX_DIMENSION} * VDT_MAX_DIMENSION;
    // Pixels of kind DEVICE and NATIVE must belong to this device. Filled by the entries of this library.
    const vdt_device* device = nullptr;
    bool streams = false;  // calls may name a stream and events
};

// With `Pixels::present` the planes must lie inside their buffers; a query's images have no pixels yet.
enum class Pixels : uint8_t { absent, present };

// Names an argument in a sentence, "input 2", without building the text before there is an error.
struct Role {
    const char* name;
    uint32_t index;
    std::string text() const { return std::string(name) + " " + std::to_string(index); }
};

// "640 x 480"
inline std::string size_text(uint32_t width, uint32_t height) {
    return std::to_string(width) + " x " + std::to_string(height);
}

// Chained blocks: none may demand to be understood, since ABI 1.0 defines none. `owner` names who has the chain.
template <class Owner>
void check_links(const vdt_link* link, const Owner& owner) {
    constexpr int longest_chain = 64;  // more is taken for a ring
    const auto refuse = [&](vdt_code code, const std::string& what) {
        if constexpr (requires { owner.text(); })
            throw Failure(code, owner.text() + ": " + what);
        else
            throw Failure(code, std::string(owner) + ": " + what);
    };
    for (int length = 0; link != nullptr; link = link->next, ++length) {
        if (length == longest_chain) refuse(VDT_E_ARGUMENT, "the chain of information blocks does not end");
        if (link->struct_size < sizeof(vdt_link))
            refuse(VDT_E_ARGUMENT, "struct_size of an information block is too small");
        if ((link->kind & VDT_LINK_MUST_UNDERSTAND) != 0)
            refuse(VDT_E_UNSUPPORTED, "the information block of kind " + std::to_string(link->kind) +
                                          " must be understood, but is not known here");
    }
}

namespace detail {

// Every byte of every row lies in [base, base + bytes), and rows are aligned to the format's numbers.
inline void check_plane(const vdt_plane& plane, const FormatLayout& layout, const vdt_image& image, const Role& role) {
    if (plane.base == nullptr) throw Failure(VDT_E_ARGUMENT, role.text() + ": the base of a plane is NULL");
    // A native handle is a name, not an address.
    const uintptr_t address = image.memory == VDT_MEMORY_NATIVE ? 0 : reinterpret_cast<uintptr_t>(plane.base);
    uintptr_t address_end = 0;
    int64_t last = 0, begin = 0, end = 0;  // of the last row against the first; of all touched bytes against base
    // A row of the widest image has far fewer bytes than 63 bits can count.
    const auto row = static_cast<int64_t>(row_bytes(layout, image.width));
    const bool overflows = __builtin_add_overflow(address, plane.bytes, &address_end) ||
                           __builtin_mul_overflow(int64_t{image.height} - 1, plane.row_stride, &last) ||
                           __builtin_add_overflow(last < 0 ? last : 0, plane.offset, &begin) ||
                           __builtin_add_overflow(last < 0 ? 0 : last, plane.offset, &end) ||
                           __builtin_add_overflow(end, row, &end);
    if (overflows || begin < 0 || static_cast<uint64_t>(end) > plane.bytes)
        throw Failure(VDT_E_SIZE, role.text() + ": its rows do not lie inside the " + std::to_string(plane.bytes) +
                                      " bytes stated for a plane; correct offset, row_stride or bytes");
    const uint64_t stride = image.height > 1 ? static_cast<uint64_t>(plane.row_stride) : 0;
    if (((address + plane.offset) | stride) % layout.element_bytes != 0)
        throw Failure(VDT_E_ARGUMENT, role.text() + ": its rows are not aligned to the " +
                                          std::to_string(layout.element_bytes) + " bytes of a number of " +
                                          layout.name);
}

inline void check_size(const vdt_image& image, const FormatLayout& layout, const Limits& limits, const Role& role) {
    const auto size = [&] { return role.text() + " has " + size_text(image.width, image.height) + " pixels"; };
    if (image.width == 0 || image.height == 0) throw Failure(VDT_E_SIZE, size() + ": it is empty");
    if (image.width > VDT_MAX_DIMENSION || image.height > VDT_MAX_DIMENSION)
        throw Failure(VDT_E_SIZE, size() + "; " + std::to_string(VDT_MAX_DIMENSION) + " a side is the most");
    if (uint64_t{image.width} * image.height > limits.max_pixels)
        throw Failure(VDT_E_UNSUPPORTED_SIZE,
                      size() + "; this device takes " + std::to_string(limits.max_pixels) + " in all");
    if (image.plane_count != layout.planes)
        throw Failure(VDT_E_ARGUMENT, role.text() + ": " + layout.name + " has " + std::to_string(layout.planes) +
                                          " planes, not " + std::to_string(image.plane_count));
    const auto row = static_cast<int64_t>(row_bytes(layout, image.width));
    for (uint32_t plane = 0; plane < layout.planes && image.height > 1; ++plane) {
        const int64_t stride = image.plane[plane].row_stride;
        // Rows that overlap are never an image, and in an output two threads would write one byte.
        if (stride < row && stride > -row)
            throw Failure(VDT_E_SIZE, role.text() + ": a row_stride of " + std::to_string(stride) +
                                          " bytes makes rows overlap; a row has " + std::to_string(row));
    }
}

inline void check_memory(const vdt_image& image, const Limits& limits, const Role& role) {
    if (image.memory >= 32 || (limits.memory_mask & 1u << image.memory) == 0)
        throw Failure(VDT_E_UNSUPPORTED_MEMORY, role.text() + " lies in memory of kind " +
                                                    std::to_string(image.memory) + ", which this device cannot use");
    const bool owned = image.memory == VDT_MEMORY_DEVICE || image.memory == VDT_MEMORY_NATIVE;
    if (owned && image.device != limits.device)
        throw Failure(VDT_E_UNSUPPORTED_MEMORY,
                      role.text() + " lies in another device's memory; copy it through the host");
    if (image.ready != nullptr && !limits.streams)
        throw Failure(VDT_E_UNSUPPORTED,
                      role.text() + " has an event to wait for; this device has none, wait before the call");
}

inline void check_list(const vdt_list* list, uint64_t vdt_list::*used, uint32_t item, const Role& role) {
    if (list == nullptr) throw Failure(VDT_E_ARGUMENT, role.text() + " is NULL");
    if (list->struct_size < sizeof(vdt_list)) throw Failure(VDT_E_ARGUMENT, role.text() + ": struct_size is too small");
    if (list->*used == 0) return;
    if (list->items == nullptr) throw Failure(VDT_E_ARGUMENT, role.text() + ": items is NULL though there is room");
    const auto address = reinterpret_cast<uintptr_t>(list->items);
    uint64_t bytes = 0;
    uintptr_t end = 0;
    if (__builtin_mul_overflow(list->*used, list->item_size, &bytes) || __builtin_add_overflow(address, bytes, &end))
        throw Failure(VDT_E_SIZE, role.text() + ": its items do not fit into the address space");
    if (list->item_size < item || (address | list->item_size) % alignof(vdt_item) != 0)
        throw Failure(VDT_E_ARGUMENT, role.text() + ": its items are too small or not aligned to eight bytes");
}

}  // namespace detail

// One image of a query or a call. VDT_FORMAT_NONE is accepted: whether an image may be left out the operation knows.
inline void check_image(const vdt_image* image, Pixels pixels, const Limits& limits, const Role& role) {
    if (image == nullptr) throw Failure(VDT_E_ARGUMENT, role.text() + " is NULL");
    if (image->struct_size < sizeof(vdt_image))
        throw Failure(VDT_E_ARGUMENT, role.text() + ": struct_size is too small");
    if (image->format == VDT_FORMAT_NONE) return;
    const FormatLayout* const layout = layout_of(image->format);
    if (layout == nullptr)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, role.text() + ": there is no format " + std::to_string(image->format));
    detail::check_memory(*image, limits, role);
    if (image->flags != 0) throw Failure(VDT_E_ARGUMENT, role.text() + ": flags must be 0");
    check_links(image->next, role);
    detail::check_size(*image, *layout, limits, role);
    for (uint32_t plane = 0; pixels == Pixels::present && plane < layout->planes; ++plane)
        detail::check_plane(image->plane[plane], *layout, *image, role);
}

inline void check_images(const vdt_image* const* images, uint32_t count, Pixels pixels, const Limits& limits,
                         const char* role) {
    if (count != 0 && images == nullptr)
        throw Failure(VDT_E_ARGUMENT, std::string("the array of ") + role + "s is NULL");
    for (uint32_t index = 0; index < count; ++index) check_image(images[index], pixels, limits, {role, index});
}

// VDT_E_ARGUMENT unless `count` lies in [least, most].
inline void check_count(uint32_t count, uint32_t least, uint32_t most, const char* what) {
    if (count >= least && count <= most) return;
    std::string taken = std::to_string(least);
    if (most == UINT32_MAX)
        taken += " or more";
    else if (most != least)
        taken += " to " + std::to_string(most);
    throw Failure(VDT_E_ARGUMENT, "this operation takes " + taken + " " + what + ", not " + std::to_string(count));
}

// Parameters whose own word is that they have at least `size` bytes.
inline void check_params(const void* params, uint32_t size) {
    need(params, "params");
    const uint32_t stated = *static_cast<const uint32_t*>(params);
    if (stated < size)
        throw Failure(VDT_E_ARGUMENT, "params: struct_size is " + std::to_string(stated) + ", at least " +
                                          std::to_string(size) + " is needed");
}

// A query's own fields, those of ABI 1.0. Its operands are looked at when the operation is known: check_operands.
inline void check_query(const vdt_query* query) {
    need(query, "query");
    constexpr std::size_t least = offsetof(vdt_query, lists_in);
    if (query->struct_size < least)
        throw Failure(VDT_E_ARGUMENT, "query: struct_size is " + std::to_string(query->struct_size) + ", at least " +
                                          std::to_string(least) + " is needed");
    if (query->flags != 0) throw Failure(VDT_E_ARGUMENT, "query: flags must be 0");
    check_links(query->next, "query");
}

// Images, their numbers and the parameters of a query that is not general.
inline void check_operands(const vdt_query& query, const Signature& signature, const Limits& limits) {
    check_count(query.input_count, signature.least_inputs, signature.most_inputs, "inputs");
    check_count(query.output_count, signature.least_outputs, signature.most_outputs, "outputs");
    check_images(query.inputs, query.input_count, Pixels::absent, limits, "input");
    check_images(query.outputs, query.output_count, Pixels::absent, limits, "output");
    check_params(query.params, signature.params_size);
}

// A call, for a plan of `inputs` and `outputs` images: nothing behind a count that differs is read. Formats and sizes
// against the plan's are check_shapes' matter (plan.hpp).
inline void check_call(const vdt_call* call, const Signature& signature, uint32_t inputs, uint32_t outputs,
                       const Limits& limits) {
    need_struct(call, "call");
    if (call->flags != 0) throw Failure(VDT_E_ARGUMENT, "call: flags must be 0");
    if (!limits.streams && (call->stream != nullptr || call->done != nullptr))
        throw Failure(VDT_E_UNSUPPORTED, "call: this device has no streams and events; leave stream and done NULL");
    if (call->done != nullptr && call->stream == nullptr)
        throw Failure(VDT_E_ARGUMENT, "call: done is an event of a stream, but stream is NULL");
    check_links(call->next, "call");
    check_count(call->input_count, inputs, inputs, "inputs");
    check_count(call->output_count, outputs, outputs, "outputs");
    check_count(call->list_in_count, signature.lists_in, signature.lists_in, "input lists");
    check_count(call->list_out_count, signature.lists_out, signature.lists_out, "output lists");
    check_images(call->inputs, call->input_count, Pixels::present, limits, "input");
    check_images(call->outputs, call->output_count, Pixels::present, limits, "output");
    if (call->list_in_count != 0) need(call->lists_in, "the array of input lists");
    if (call->list_out_count != 0) need(call->lists_out, "the array of output lists");
    for (uint32_t index = 0; index < call->list_in_count; ++index)
        detail::check_list(call->lists_in[index], &vdt_list::count, signature.item_in, {"input list", index});
    for (uint32_t index = 0; index < call->list_out_count; ++index)
        detail::check_list(call->lists_out[index], &vdt_list::capacity, signature.item_out, {"output list", index});
    check_params(call->params, signature.params_size);
}

// VDT_E_UNSUPPORTED_FORMAT unless `image` has one of `formats`. `role`: "the scene".
inline void check_format(const vdt_image& image, uint64_t formats, const char* role) {
    if (has(formats, image.format)) return;
    const FormatLayout* const layout = layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string(role) + " cannot be " +
                                                (layout != nullptr ? layout->name : "left out") + " in this operation");
}

// VDT_E_ARGUMENT unless `value` is finite.
inline void check_finite(double value, const char* name) {
    if (!std::isfinite(value)) throw Failure(VDT_E_ARGUMENT, std::string(name) + " is not a finite number");
}

// The host has every service that vdt_host names but `extension`, which may be missing.
inline void check_host(const vdt_host* host) {
    need_struct(host, "host");
    if (host->log == nullptr || host->alloc == nullptr || host->free == nullptr || host->parallel_for == nullptr ||
        host->worker_count == nullptr || host->cancelled == nullptr)
        throw Failure(VDT_E_ARGUMENT,
                      "host: log, alloc, free, parallel_for, worker_count and cancelled must not be NULL");
}

// The record that op_cost fills has room where it says so.
inline void check_cost(const vdt_cost* cost) {
    need_struct(cost, "cost");
    if (cost->stage_capacity == 0) return;
    need(cost->stages, "stages of the cost");
    if (cost->stage_size < sizeof(vdt_cost_stage) || cost->stage_size % alignof(vdt_cost_stage) != 0 ||
        reinterpret_cast<uintptr_t>(cost->stages) % alignof(vdt_cost_stage) != 0)
        throw Failure(VDT_E_ARGUMENT, "stages of the cost are too small or not aligned");
}

}  // namespace vedette::plugin
#endif
