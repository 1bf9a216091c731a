#include "resize/request.h"

#include <vedette/plugin/cpp/check.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace vedette::imaging {

namespace {

using plugin::Failure;

bool is_real(vdt_format format) noexcept {
    return plugin::layout_of(format)->element_bytes == 4;
}

// Largest value of a channel. Float pixels have no limit; the promise takes them to lie within +-255.
double largest_value(vdt_format format) noexcept {
    return plugin::layout_of(format)->element_bytes == 2 ? 65535 : 255;
}

std::uint64_t outputs_of(vdt_format in) {
    std::uint64_t formats = 0;
    for (vdt_format format = 1; format < VDT_FORMAT_COUNT; ++format)
        if (plugin::is_color(format) &&
            (is_real(format) || plugin::layout_of(format)->element_bytes == plugin::layout_of(in)->element_bytes))
            formats |= VDT_FORMAT_BIT(format);
    return formats;
}

void check_format(const vdt_image& image, std::uint64_t formats, const char* role) {
    if (image.format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(image.format)) != 0) return;
    const plugin::FormatLayout* const layout = plugin::layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("resize: the ") + role + " cannot have the format " +
                                                (layout == nullptr ? "NONE" : layout->name));
}

void check_values(const vdt_resize_params& params, vdt_format in, vdt_format out) {
    if (params.method < VDT_RESIZE_HALF_PIXEL || params.method > VDT_RESIZE_ALIGNED_CORNERS)
        throw Failure(VDT_E_ARGUMENT, "resize: there is no method " + std::to_string(params.method));
    if ((params.flags & ~std::uint32_t{VDT_RESIZE_LETTERBOX}) != 0)
        throw Failure(VDT_E_ARGUMENT, "resize: the only flag is letterbox");
    if ((params.flags & VDT_RESIZE_LETTERBOX) != 0 && !std::isfinite(params.fill))
        throw Failure(VDT_E_ARGUMENT, "resize: fill must be finite");
    if (is_fused(in, out) && !(std::isfinite(params.scale) && std::isfinite(params.offset)))
        throw Failure(VDT_E_ARGUMENT, "resize: scale and offset must be finite");
}

// Largest difference from the exact value. Bilinear: five roundings of single precision along a row and four down,
// each to 2^-24 of a value that is at most twice the largest; then scale, product, offset and sum. Area averages of
// integers are exact up to the last rounding, those of floats lose 2^-53 for each covered pixel.
double tolerance_of(vdt_format in, vdt_format out, bool by_area, const vdt_resize_params& params) {
    constexpr double step = 0x1p-24;
    const double scale = is_fused(in, out) ? params.scale : 1, offset = is_fused(in, out) ? params.offset : 0;
    const double largest = largest_value(in);
    const double scaled = largest * std::abs(scale) + std::abs(offset);
    if (by_area) return is_real(out) ? scaled * 2 * step : 0;
    if (is_real(out)) return largest * std::abs(scale) * 16 * step + scaled * 4 * step;
    return 1;  // where the exact value lies on the edge between two results
}

}  // namespace

OutputArea output_area(const vdt_image& in, const vdt_image& out, std::uint32_t flags) noexcept {
    std::uint64_t width = out.width, height = out.height;
    if ((flags & VDT_RESIZE_LETTERBOX) != 0) {
        if (width * in.height < height * in.width)
            height = std::max<std::uint64_t>(1, in.height * width / in.width);
        else
            width = std::max<std::uint64_t>(1, in.width * height / in.height);
    }
    return {static_cast<std::uint32_t>((out.width - width) / 2), static_cast<std::uint32_t>((out.height - height) / 2),
            static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
}

bool is_by_area(const vdt_image& in, const OutputArea& area, std::uint32_t method) noexcept {
    return method == VDT_RESIZE_AREA && area.width <= in.width && area.height <= in.height;
}

bool is_fused(vdt_format in, vdt_format out) noexcept {
    return is_real(out) && !is_real(in);
}

void answer_resize(const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = plugin::color_formats;
    answer.output_formats = plugin::color_formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 1;
    if (query.input_count == 0) return;
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "resize takes one input and one output");
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    check_format(in, plugin::color_formats, "input");
    answer.output_formats = outputs_of(in.format);
    check_format(out, answer.output_formats, "output of this input");
    const auto& params = plugin::params_of<vdt_resize_params>(query);
    check_values(params, in.format, out.format);
    const bool by_area = is_by_area(in, output_area(in, out, params.flags), params.method);
    answer.tolerance = tolerance_of(in.format, out.format, by_area, params);
    if (answer.tolerance == 0) answer.determinism = VDT_DETERMINISM_EXACT;
}

void check_resize_call(const vdt_resize_params& params, const vdt_resize_params& planned, vdt_format in,
                       vdt_format out) {
    check_values(params, in, out);
    if (params.method != planned.method || params.flags != planned.flags ||
        (is_fused(in, out) && (params.scale != planned.scale || params.offset != planned.offset)))
        throw Failure(VDT_E_ARGUMENT, "resize: the parameters differ from those the plan was made for");
}

float fill_value(float fill, vdt_format format) noexcept {
    if (is_real(format)) return fill;
    return static_cast<float>(std::clamp(std::floor(static_cast<double>(fill) + 0.5), 0.0, largest_value(format)));
}

}  // namespace vedette::imaging
