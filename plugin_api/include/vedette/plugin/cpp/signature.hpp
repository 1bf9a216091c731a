// Help for plugins written in C++; not part of the ABI. What ops.h says of every operation's operands, as a table.
#ifndef VEDETTE_PLUGIN_CPP_SIGNATURE_HPP
#define VEDETTE_PLUGIN_CPP_SIGNATURE_HPP

#include <cstddef>

#include "../device.h"
#include "../result.h"

namespace vedette::plugin {

struct Signature {
    vdt_op op;
    uint32_t params_size;  // of its parameter struct
    // Images that it takes and gives, those that may be VDT_FORMAT_NONE included.
    uint32_t least_inputs, most_inputs;
    uint32_t least_outputs, most_outputs;
    uint32_t lists_in, lists_out;
    uint32_t item_in, item_out;  // least bytes of an item of those lists, 0 without lists
};

namespace detail {

// 65535 pixels are one pixel after 16 halvings.
inline constexpr uint32_t most_levels = 16;

inline constexpr Signature signatures[] = {
    {VDT_OP_CONVERT, sizeof(vdt_convert_params), 1, 1, 1, 1, 0, 0, 0, 0},
    {VDT_OP_RESIZE, sizeof(vdt_resize_params), 1, 1, 1, 1, 0, 0, 0, 0},
    {VDT_OP_INTEGRAL, sizeof(vdt_integral_params), 1, 1, 1, 3, 0, 0, 0, 0},
    {VDT_OP_FILTER, sizeof(vdt_filter_params), 1, 1, 1, 1, 0, 0, 0, 0},
    {VDT_OP_FFT2, sizeof(vdt_fft2_params), 1, 1, 1, 1, 0, 0, 0, 0},
    {VDT_OP_RESTORE, sizeof(vdt_restore_params), 2, 2, 1, 2, 0, 0, 0, 0},
    {VDT_OP_PYRAMID, sizeof(vdt_pyramid_params), 1, 1, 1, most_levels, 0, 0, 0, 0},
    {VDT_OP_TEMPLATE_MAP, sizeof(vdt_template_map_params), 3, 3, 1, 1, 0, 0, 0, 0},
    {VDT_OP_TEMPLATE_FIND, sizeof(vdt_template_find_params), 3, UINT32_MAX, 0, 0, 0, 1, 0, sizeof(vdt_item)},
    {VDT_OP_CASCADE_DETECT, sizeof(vdt_cascade_params), 1, 1, 0, 0, 0, 1, 0, sizeof(vdt_item)},
    {VDT_OP_GROUP, sizeof(vdt_group_params), 0, 0, 0, 0, 1, 1, sizeof(vdt_item), sizeof(vdt_item)},
    {VDT_OP_FEATURES, sizeof(vdt_features_params), 2, 2, 1, 1, 0, 1, 0, sizeof(vdt_keypoint)},
    {VDT_OP_FEATURE_MATCH, sizeof(vdt_feature_match_params), 2, 2, 1, 1, 2, 1, sizeof(vdt_keypoint),
     sizeof(vdt_descriptor_match)},
};
static_assert(sizeof signatures / sizeof *signatures == VDT_OP_COUNT - 1);

}  // namespace detail

// NULL for numbers that these headers do not name.
constexpr const Signature* signature_of(vdt_op op) noexcept {
    for (const Signature& signature : detail::signatures)
        if (signature.op == op) return &signature;
    return nullptr;
}

// Whether a query asks what an operation can do at all, rather than about images. An operation that works on lists only
// has no images to name; there the parameters tell.
constexpr bool is_general(const Signature& signature, const vdt_query& query) noexcept {
    return query.input_count == 0 && (signature.most_inputs != 0 || query.params == nullptr);
}

// The operation's parameters: `source` is a query or a call that was checked.
template <class Params, class Source>
const Params& params_of(const Source& source) noexcept {
    return *static_cast<const Params*>(source.params);
}

// Elements of input list `index`, for op_cost; `usual` where the query, which was checked, does not name it.
inline double list_length(const vdt_query& query, uint32_t index, double usual) noexcept {
    constexpr std::size_t needed = offsetof(vdt_query, reserved);
    if (query.struct_size < needed || query.lists_in == nullptr || index >= query.list_in_count ||
        query.lists_in[index] == nullptr)
        return usual;
    return static_cast<double>(query.lists_in[index]->count);
}

}  // namespace vedette::plugin
#endif
