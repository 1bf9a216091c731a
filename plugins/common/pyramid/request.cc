#include "pyramid/request.h"

#include <vedette/plugin/cpp/check.hpp>

#include <string>

namespace vedette::imaging {

namespace {

using plugin::Failure;

constexpr std::uint32_t most_levels = 16;  // 65535 pixels are one pixel after 16 halvings

void check_values(const vdt_pyramid_params& params, std::uint32_t outputs) {
    if (params.method != VDT_PYRAMID_AREA2 && params.method != VDT_PYRAMID_GAUSS5)
        throw Failure(VDT_E_ARGUMENT, "pyramid: there is no method " + std::to_string(params.method));
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "pyramid: flags must be 0");
    if (params.levels != outputs || outputs == 0)
        throw Failure(VDT_E_ARGUMENT, "pyramid needs one output for each of its levels");
}

}  // namespace

void answer_pyramid(const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = plugin::color_formats;
    answer.output_formats = plugin::color_formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 0;
    if (query.input_count == 0) return;
    if (query.input_count != 1) throw Failure(VDT_E_ARGUMENT, "pyramid takes one input");
    const vdt_image& in = *query.inputs[0];
    if (!plugin::is_color(in.format))
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "pyramid: the input has no colour format");
    check_values(plugin::params_of<vdt_pyramid_params>(query), query.output_count);
    if (query.output_count > most_levels)
        throw Failure(VDT_E_ARGUMENT, "pyramid: after 16 levels every image is one pixel; ask for no more");
    const vdt_image* previous = &in;
    for (std::uint32_t level = 0; level < query.output_count; ++level) {
        const vdt_image& out = *query.outputs[level];
        if (out.format != in.format)
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "pyramid: all levels have the input's format");
        if (out.width != (previous->width + 1) / 2 || out.height != (previous->height + 1) / 2)
            throw Failure(VDT_E_SIZE, "pyramid: level " + std::to_string(level) +
                                          " must have half the size of the one before, rounded up");
        previous = &out;
    }
    answer.output_formats = VDT_FORMAT_BIT(in.format);
    if (plugin::layout_of(in.format)->element_bytes != 4) {
        answer.determinism = VDT_DETERMINISM_EXACT;
        return;
    }
    // Of a level against the one before, whose pixels lie within +-255: four additions and a product each way.
    answer.tolerance = 255 * 8 * 0x1p-24;
}

void check_pyramid_call(const vdt_pyramid_params& params, std::uint32_t outputs, std::uint32_t planned_method) {
    check_values(params, outputs);
    if (params.method != planned_method)
        throw Failure(VDT_E_ARGUMENT, "pyramid: the method differs from the one the plan was made for");
}

}  // namespace vedette::imaging
