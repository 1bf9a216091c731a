#include "filter/request.h"

#include <vedette/plugin/cpp/check.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace vedette::imaging {

namespace {

using plugin::Failure;

// An input's own format, and float of the same channels in the same order.
std::uint64_t outputs_of(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
        case VDT_FORMAT_GRAY16:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_PLANAR_BGRF32:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_BGRF32) |
                   VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_BGRF32);
        case VDT_FORMAT_RGB8:
        case VDT_FORMAT_RGB16:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_RGBF32);
        default:
            return VDT_FORMAT_BIT(format);
    }
}

void check_format(const vdt_image& image, std::uint64_t formats, const char* role) {
    if (image.format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(image.format)) != 0) return;
    const plugin::FormatLayout* const layout = plugin::layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("filter: the ") + role + " cannot have the format " +
                                                (layout == nullptr ? "NONE" : layout->name));
}

// Every product and sum is rounded to 2^-24 of at most gain times the largest pixel: a chain along a row of the kernel
// and one down its rows, the weights, and delta. Float pixels are taken to lie within +-255.
double error_of(const FilterWeights& weights, vdt_format in, const vdt_filter_params& params) {
    const double largest = std::max(plugin::layout_of(in)->element_bytes == 2 ? 65535.0 : 255.0,
                                    params.border == VDT_BORDER_CONSTANT ? std::abs(double{params.border_value}) : 0);
    return ((weights.width + weights.height + 8.0) * largest * weights.gain + 2 * std::abs(params.delta)) * 0x1p-24;
}

}  // namespace

void answer_filter(const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = plugin::color_formats;
    answer.output_formats = plugin::color_formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 1;
    if (query.input_count == 0) return;
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "filter takes one input and one output");
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    check_format(in, plugin::color_formats, "input");
    answer.output_formats = outputs_of(in.format);
    check_format(out, answer.output_formats, "output of this input");
    if (in.width != out.width || in.height != out.height)
        throw Failure(VDT_E_SIZE, "filter: input and output differ in size");
    const auto& params = plugin::params_of<vdt_filter_params>(query);
    check_filter_params(params);
    const FilterWeights weights = weights_of(params);
    const double error = fixed_weights(params, weights, in.format, out.format) ? fixed_point_error(weights)
                                                                               : error_of(weights, in.format, params);
    // Integers: both sides are rounded.
    answer.tolerance = plugin::layout_of(out.format)->element_bytes == 4 ? error : std::floor(error + 1);
}

PlannedFilter::PlannedFilter(const vdt_filter_params& params) : params_(params) {
    if (params.kind == VDT_FILTER_GENERAL)
        kernel_x_.assign(params.kernel_x, params.kernel_x + std::uint64_t{params.kernel_w} * params.kernel_h);
    if (params.kind == VDT_FILTER_SEPARABLE) {
        kernel_x_.assign(params.kernel_x, params.kernel_x + params.kernel_w);
        kernel_y_.assign(params.kernel_y, params.kernel_y + params.kernel_h);
    }
}

void PlannedFilter::check(const vdt_filter_params& p) const {
    const auto same = [](const std::vector<float>& planned, const float* weights) {
        return planned.empty() ||
               (weights != nullptr && std::memcmp(planned.data(), weights, planned.size() * sizeof(float)) == 0);
    };
    const bool gaussian = p.kind == VDT_FILTER_GAUSSIAN;
    if (p.kind == params_.kind && p.border == params_.border && p.kernel_w == params_.kernel_w &&
        p.kernel_h == params_.kernel_h && p.anchor_x == params_.anchor_x && p.anchor_y == params_.anchor_y &&
        (p.border != VDT_BORDER_CONSTANT || p.border_value == params_.border_value) &&
        (!gaussian || (p.sigma_x == params_.sigma_x && p.sigma_y == params_.sigma_y)) && p.delta == params_.delta &&
        same(kernel_x_, p.kernel_x) && same(kernel_y_, p.kernel_y))
        return;
    throw Failure(VDT_E_ARGUMENT, "filter: the parameters differ from those the plan was made for");
}

}  // namespace vedette::imaging
