// pyramid: levels of half the size. How: cuda/kernels/pyramid.cu.
#include <kernels/pyramid.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include "operands.h"
#include "pixels.h"
#include "pyramid/request.h"

#include <algorithm>

namespace vedette::cuda_plugin {

namespace {

static_assert(cuda::most_pyramid_levels == 16);  // what answer_pyramid lets through

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_pyramid(query, answer);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const bool area = plugin::params_of<vdt_pyramid_params>(query).method == VDT_PYRAMID_AREA2;
    const cuda::PixelLayout layout = layout_of_pixels(query.inputs[0]->format);
    const double bytes = pixel_bytes(query.inputs[0]->format);
    std::int32_t widths[cuda::most_pyramid_levels], heights[cuda::most_pyramid_levels];
    for (std::uint32_t level = 0; level < query.output_count; ++level) {
        widths[level] = static_cast<std::int32_t>(query.outputs[level]->width);
        heights[level] = static_cast<std::int32_t>(query.outputs[level]->height);
    }
    const auto levels = static_cast<std::int32_t>(query.output_count);
    const std::int32_t large = cuda::large_pyramid_levels(widths, heights, levels, layout.channels);
    cost.flags = VDT_COST_EXACT;
    if (!area && large != 0) cost.shared_bytes = 8 * 256 * (bytes / layout.channels == 1 ? 2 : 4);
    double in_pixels = static_cast<double>(query.inputs[0]->width) * query.inputs[0]->height;
    vdt_cost_stage small{};
    small.divergence = 1;
    for (std::int32_t level = 0; level < levels; ++level) {
        const double out_pixels = static_cast<double>(widths[level]) * heights[level];
        const double values = out_pixels * layout.channels;
        const double traffic = (in_pixels + out_pixels) * bytes;
        if (level < large) {
            vdt_cost_stage stage =
                area ? plugin::even_stage(values * 12, 4 * 12, values / 4, traffic, transaction_bytes)
                     : plugin::even_stage(values * 45, 8 * 45, values / 4, traffic, transaction_bytes);
            if (!area) stage.shared_refs = values * 7.5;
            plugin::add_launch(cost, stage);
        } else {
            const double operations = area ? 16 : 120;
            small.work += values * operations;
            small.span += operations;
            small.width = std::max(small.width, std::min(values, 1024.0));
            small.global_bytes += traffic;
        }
        in_pixels = out_pixels;
    }
    if (large == levels) return;
    small.global_refs = small.global_bytes / transaction_bytes;
    plugin::add_launch(cost, small);
}

const char* way(const Device&, const vdt_query& query) {
    return plugin::params_of<vdt_pyramid_params>(query).method == VDT_PYRAMID_AREA2 ? "level by level, area"
                                                                                    : "level by level";
}

class PyramidPlan final : public Plan {
public:
    PyramidPlan(const Device& device, const vdt_query& query)
        : operands_(device), method_(plugin::params_of<vdt_pyramid_params>(query).method) {}

    vdt_code run(const vdt_call& call) override {
        imaging::check_pyramid_call(plugin::params_of<vdt_pyramid_params>(call), call.output_count, method_);
        Operands::Call running(operands_, call);
        cuda::PyramidImages images;
        images.image[0] = pixel_planes(operands_.input(0));
        for (std::uint32_t level = 0; level < call.output_count; ++level)
            images.image[level + 1] = pixel_planes(operands_.output(level));
        images.count = static_cast<std::int32_t>(call.output_count) + 1;
        cuda::build_pyramid(images,
                            method_ == VDT_PYRAMID_AREA2 ? cuda::PyramidMethod::area2 : cuda::PyramidMethod::gauss5,
                            operands_.stream());
        running.finish();
        return VDT_OK;
    }

private:
    Operands operands_;
    std::uint32_t method_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<PyramidPlan>(device, query);
}

constexpr const char* variants[] = {"level by level"};

}  // namespace

const Operation pyramid_operation = {VDT_OP_PYRAMID, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cuda_plugin
