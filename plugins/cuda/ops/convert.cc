// convert: between all 8-bit, 16-bit and float colour formats. Exact: every value is rounded once from the formula of
// ops.h.
#include <kernels/convert.h>

#include <vedette/plugin/cpp/convert_checks.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include "operands.h"
#include "pixels.h"

namespace vedette::cuda_plugin {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    plugin::check_convert(query);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const double pixels = static_cast<double>(in.width) * in.height;
    const cuda::PixelLayout from = layout_of_pixels(in.format);
    const cuda::PixelLayout to = layout_of_pixels(out.format);
    // Multiplications and additions of the gray sum, then one to three steps a channel for the depth.
    const double gray = to.channels == 1 && from.channels != 1 ? 6 : 0;
    const double depth =
        from.depth == to.depth ? 1 : (plugin::is_real_format(in.format) || plugin::is_real_format(out.format) ? 3 : 2);
    const double operations = gray + depth * to.channels;
    cost.flags = VDT_COST_EXACT;
    // A thread has four pixels.
    plugin::add_launch(
        cost, plugin::even_stage(pixels * operations, 4 * operations, pixels / 4,
                                 pixels * (pixel_bytes(in.format) + pixel_bytes(out.format)), transaction_bytes));
}

class ConvertPlan final : public Plan {
public:
    ConvertPlan(const Device& device, const vdt_query& query)
        : operands_(device), same_(query.inputs[0]->format == query.outputs[0]->format) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_convert_params>(call);
        plugin::check_convert_values(params, call.inputs[0]->format, call.outputs[0]->format);
        Operands::Call running(operands_, call);
        if (same_) {
            operands_.copy_input_to_output();
        } else {
            const DeviceImage in = operands_.input(0);
            const DeviceImage out = operands_.output(0);
            cuda::convert(pixel_planes(in), pixel_planes(out), params.scale, params.offset, operands_.stream());
        }
        running.finish();
        return VDT_OK;
    }

private:
    Operands operands_;
    bool same_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ConvertPlan>(device, query);
}

constexpr const char* variants[] = {"groups of four"};

}  // namespace

const Operation convert_operation = {VDT_OP_CONVERT,       variants, 1, support, cost, plan, plugin::color_formats,
                                     plugin::color_formats};

}  // namespace vedette::cuda_plugin
