#include "operations.h"

#include "failure.h"
#include "image_check.h"

#include <vedette/plugin/cpp/digest.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace vedette::host {
namespace {

constexpr std::array<const char*, VDT_OP_COUNT> names = {
    nullptr,   "convert",      "resize",        "integral",       "filter", "fft2",     "restore",
    "pyramid", "template_map", "template_find", "cascade_detect", "group",  "features", "feature_match"};

constexpr std::array<std::size_t, VDT_OP_COUNT> parameter_sizes = {0,
                                                                   sizeof(vdt_convert_params),
                                                                   sizeof(vdt_resize_params),
                                                                   sizeof(vdt_integral_params),
                                                                   sizeof(vdt_filter_params),
                                                                   sizeof(vdt_fft2_params),
                                                                   sizeof(vdt_restore_params),
                                                                   sizeof(vdt_pyramid_params),
                                                                   sizeof(vdt_template_map_params),
                                                                   sizeof(vdt_template_find_params),
                                                                   sizeof(vdt_cascade_params),
                                                                   sizeof(vdt_group_params),
                                                                   sizeof(vdt_features_params),
                                                                   sizeof(vdt_feature_match_params)};

// Largest parameter struct a later minor version may bring; larger is a struct_size that was never set.
constexpr std::uint32_t largest_parameters = 4096;
// Bounds of what parameters point to: far above any sensible use, low enough that a count which was never set is
// caught.
constexpr std::uint32_t most_patterns = 4096;
constexpr std::uint32_t most_rectangles = 1u << 16;
constexpr std::uint32_t most_scales = 4096;
constexpr std::uint64_t most_kernel_weights = 1u << 20;
constexpr std::uint64_t most_cascade_bytes = 1u << 28;

struct Shape {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<std::size_t> lists_in;  // least size of an item
    std::vector<std::size_t> lists_out;
};

[[noreturn]] void fail(const Operation& operation, const std::string& what, vdt_code code = VDT_E_ARGUMENT) {
    throw Failure(code, std::string(operation_name(operation.op)) + ": " + what + ".");
}

template <class T>
const T& parameters(const Operation& operation) {
    return *static_cast<const T*>(operation.params);
}

void check_array(const Operation& operation, const char* name, const void* array, std::uint64_t count,
                 std::uint64_t most) {
    if (count > most)
        fail(operation, std::to_string(count) + " entries in `" + name + "` are more than " + std::to_string(most),
             VDT_E_SIZE);
    if (count != 0 && array == nullptr) fail(operation, std::string("`") + name + "` is NULL");
}

std::uint64_t kernel_x_weights(const vdt_filter_params& params) {
    if (params.kind == VDT_FILTER_GENERAL) return std::uint64_t{params.kernel_w} * params.kernel_h;
    return params.kind == VDT_FILTER_SEPARABLE ? params.kernel_w : 0;
}

std::uint64_t kernel_y_weights(const vdt_filter_params& params) {
    return params.kind == VDT_FILTER_SEPARABLE ? params.kernel_h : 0;
}

// Checks what the parameters point to and gives the shape of the call they ask for.
Shape checked_shape(const Operation& operation) {
    switch (operation.op) {
        case VDT_OP_INTEGRAL: {
            const auto flags = parameters<vdt_integral_params>(operation).flags;
            const auto known = flags & (VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED | VDT_INTEGRAL_TILTED);
            if (known == 0 || known != flags)
                fail(operation, "`flags` must name sum, squared or tilted sums and nothing else");
            return {1, static_cast<std::size_t>(std::popcount(flags)), {}, {}};
        }
        case VDT_OP_FILTER: {
            const auto& params = parameters<vdt_filter_params>(operation);
            check_array(operation, "kernel_x", params.kernel_x, kernel_x_weights(params), most_kernel_weights);
            check_array(operation, "kernel_y", params.kernel_y, kernel_y_weights(params), most_kernel_weights);
            return {1, 1, {}, {}};
        }
        case VDT_OP_RESTORE: {
            const bool blind = parameters<vdt_restore_params>(operation).method == VDT_RESTORE_MIA_BLIND;
            return {2, blind ? std::size_t{2} : std::size_t{1}, {}, {}};
        }
        case VDT_OP_PYRAMID: {
            const auto levels = parameters<vdt_pyramid_params>(operation).levels;
            // 65535 pixels are one pixel after sixteen halvings.
            if (levels == 0 || levels > 16) fail(operation, "`levels` must be 1 to 16");
            return {1, levels, {}, {}};
        }
        case VDT_OP_TEMPLATE_MAP:
            return {3, 1, {}, {}};
        case VDT_OP_TEMPLATE_FIND: {
            const auto& params = parameters<vdt_template_find_params>(operation);
            if (params.pattern_count == 0 || params.pattern_count > most_patterns)
                fail(operation, "`pattern_count` must be 1 to " + std::to_string(most_patterns));
            check_array(operation, "exclude", params.exclude, params.exclude_count, most_rectangles);
            if (params.scales != nullptr || params.scale_count != 0)
                check_array(operation, "scales", params.scales, params.scale_count, most_scales);
            return {std::size_t{1} + 2 * std::size_t{params.pattern_count}, 0, {}, {sizeof(vdt_item)}};
        }
        case VDT_OP_CASCADE_DETECT: {
            const auto& params = parameters<vdt_cascade_params>(operation);
            if (params.cascade_bytes == 0) fail(operation, "the classifier is empty");
            check_array(operation, "cascade", params.cascade, params.cascade_bytes, most_cascade_bytes);
            return {1, 0, {}, {sizeof(vdt_item)}};
        }
        case VDT_OP_GROUP:
            return {0, 0, {sizeof(vdt_item)}, {sizeof(vdt_item)}};
        case VDT_OP_FEATURES:
            return {2, 1, {}, {sizeof(vdt_keypoint)}};
        case VDT_OP_FEATURE_MATCH:
            return {2, 1, {sizeof(vdt_keypoint), sizeof(vdt_keypoint)}, {sizeof(vdt_descriptor_match)}};
        default:
            return {1, 1, {}, {}};  // convert, resize, fft2
    }
}

void check_list(const Operation& operation, const vdt_list* list, std::size_t item_size, bool input,
                const std::string& what) {
    if (list == nullptr) fail(operation, what + " is NULL");
    if (list->struct_size < sizeof(vdt_list)) fail(operation, what + ": struct_size is not set");
    if (list->item_size < item_size)
        fail(operation, what + ": item_size must be at least " + std::to_string(item_size), VDT_E_SIZE);
    if (list->item_size % 8 != 0) fail(operation, what + ": item_size must be a multiple of eight", VDT_E_SIZE);
    const std::uint64_t used = input ? list->count : list->capacity;
    if (input && list->count > list->capacity) fail(operation, what + ": count is above capacity", VDT_E_SIZE);
    if (used != 0 && list->items == nullptr) fail(operation, what + ": items is NULL");
    if (reinterpret_cast<std::uintptr_t>(list->items) % 8 != 0)
        fail(operation, what + ": items must be aligned to eight bytes");
    if (list->capacity > static_cast<std::uint64_t>(INT64_MAX) / list->item_size)
        fail(operation, what + ": capacity is larger than memory", VDT_E_SIZE);
}

bool optional_input(vdt_op op, std::size_t index) {
    if (op == VDT_OP_TEMPLATE_MAP) return index == 2;
    if (op == VDT_OP_TEMPLATE_FIND) return index != 0 && index % 2 == 0;
    return op == VDT_OP_FEATURES && index == 1;
}

void check_images(const Operation& operation, const std::vector<OperationImage>& images, bool input) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i].shared != nullptr) continue;  // libvedette's own
        ImageUse use = input ? ImageUse::Input : ImageUse::Output;
        if (input && optional_input(operation.op, i)) use = ImageUse::OptionalInput;
        check_host_image(
            &images[i].view, use,
            std::string(operation_name(operation.op)) + (input ? ": inputs[" : ": outputs[") + std::to_string(i) + "]");
    }
}

void check_count(const Operation& operation, const char* what, std::size_t given, std::size_t wanted) {
    if (given != wanted)
        fail(operation, "takes " + std::to_string(wanted) + " " + what + ", not " + std::to_string(given));
}

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void append_array(std::string& bytes, const T* values, std::uint64_t count) {
    append(bytes, count);
    if (count != 0) bytes.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
}

// Sums stand for a classifier's text of a megabyte: as a key it would cost more to compare than most runs.
void append_digest(std::string& bytes, const char* text, std::uint64_t count) {
    append(bytes, count);
    append(bytes, plugin::digest_of(text, count));
}

}  // namespace

const char* operation_name(vdt_op op) noexcept {
    return op < VDT_OP_COUNT ? names[op] : nullptr;
}

std::optional<vdt_op> operation_of_name(const std::string& name) {
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op)
        if (name == names[op]) return op;
    return std::nullopt;
}

std::size_t parameter_size(vdt_op op) noexcept {
    return op < VDT_OP_COUNT ? parameter_sizes[op] : 0;
}

void check_operation(const Operation& operation) {
    if (operation_name(operation.op) == nullptr)
        throw Failure(VDT_E_ARGUMENT, "There is no operation of number " + std::to_string(operation.op) + ".");
    if (operation.params == nullptr) fail(operation, "the parameters are NULL");
    std::uint32_t size = 0;
    std::memcpy(&size, operation.params, sizeof size);  // every parameter struct begins with it
    if (size < parameter_sizes[operation.op] || size > largest_parameters)
        fail(operation, "struct_size of the parameters is " + std::to_string(size) + ", not " +
                            std::to_string(parameter_sizes[operation.op]));
    const Shape shape = checked_shape(operation);
    check_count(operation, "input images", operation.inputs.size(), shape.inputs);
    check_count(operation, "output images", operation.outputs.size(), shape.outputs);
    check_count(operation, "input lists", operation.lists_in.size(), shape.lists_in.size());
    check_count(operation, "output lists", operation.lists_out.size(), shape.lists_out.size());
    check_images(operation, operation.inputs, true);
    check_images(operation, operation.outputs, false);
    for (std::size_t i = 0; i < shape.lists_in.size(); ++i)
        check_list(operation, operation.lists_in[i], shape.lists_in[i], true, "lists_in[" + std::to_string(i) + "]");
    for (std::size_t i = 0; i < shape.lists_out.size(); ++i)
        check_list(operation, operation.lists_out[i], shape.lists_out[i], false,
                   "lists_out[" + std::to_string(i) + "]");
}

std::string plan_parameters(const Operation& operation) {
    std::string bytes;
    switch (operation.op) {
        case VDT_OP_FILTER: {
            vdt_filter_params params = parameters<vdt_filter_params>(operation);
            append_array(bytes, params.kernel_x, kernel_x_weights(params));
            append_array(bytes, params.kernel_y, kernel_y_weights(params));
            params.kernel_x = params.kernel_y = nullptr;
            append(bytes, params);
            break;
        }
        case VDT_OP_TEMPLATE_FIND: {
            const auto& params = parameters<vdt_template_find_params>(operation);
            append(bytes, params.flags);
            append(bytes, params.pattern_count);
            append_array(bytes, params.scales, params.scales == nullptr ? 0 : params.scale_count);
            break;
        }
        case VDT_OP_CASCADE_DETECT: {
            vdt_cascade_params params = parameters<vdt_cascade_params>(operation);
            append_digest(bytes, params.cascade, params.cascade_bytes);
            params.cascade = nullptr;
            append(bytes, params);
            break;
        }
        case VDT_OP_FEATURE_MATCH: {
            vdt_feature_match_params params = parameters<vdt_feature_match_params>(operation);
            params.seed = 0;
            append(bytes, params);
            break;
        }
        default:
            // No pointers and nothing that the operation calls data.
            bytes.append(static_cast<const char*>(operation.params), parameter_sizes[operation.op]);
            break;
    }
    return bytes;
}

vdt_image plain_view(const OperationImage& image) {
    return image.shared != nullptr ? image.shared->image().view() : image.view;
}

OperationImage OperationImage::none() noexcept {
    OperationImage image;
    image.view.struct_size = sizeof(vdt_image);
    return image;
}

OperationImage OperationImage::of(SharedImage& shared) noexcept {
    OperationImage image = none();
    image.shared = &shared;
    return image;
}

OperationImage OperationImage::of(const vdt_image& view) noexcept {
    OperationImage image;
    image.view = view;
    return image;
}

}  // namespace vedette::host
