// template_map. Exact: sums are integers, and the value is rounded to float once. How: kernels/template_direct.cl.
#include "template_direct.h"

#include <vedette/plugin/cpp/template_checks.hpp>

namespace vedette::opencl {

namespace {

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    plugin::check_template_map(query.inputs, query.outputs, plugin::params_of<vdt_template_map_params>(query));
    const TemplateShape shape = template_shape(*query.inputs[1], *query.inputs[2]);
    check_template_memory(device, "template_map", shape, query.outputs[0]->width, query.outputs[0]->height,
                          sizeof(float));
    answer.scratch_bytes = TemplatePattern::device_floats(shape) * sizeof(float) * (shape.masked ? 2 : 1);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& out = *query.outputs[0];
    cost.flags = VDT_COST_EXACT;
    DirectSums::add_cost(cost, device, template_shape(*query.inputs[1], *query.inputs[2]), out.width, out.height,
                         sizeof(float));
}

class MapPlan final : public Plan {
public:
    MapPlan(const Device& device, const vdt_query& query)
        : device_(device),
          operands_(device),
          sums_(device, "template_map", "template_map", template_shape(*query.inputs[1], *query.inputs[2])) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_map_params>(call);
        plugin::check_template_map(call.inputs, call.outputs, params);
        Operands::Call running(operands_, call);
        pattern_.prepare(operands_, call, 1);
        const vdt_image& scene = *call.inputs[0];
        const TemplateSearch search = template_search(
            scene, {0, 0, static_cast<std::int32_t>(scene.width), static_cast<std::int32_t>(scene.height)},
            pattern_.shape());
        const Plane in = operands_.input(0).plane(), out = operands_.output(0).plane();
        sums_.run(device_, operands_.queue(), call, search,
                  [&](const Range& range, const TemplateSearch& band, LocalBytes tile) {
                      launch(operands_.queue(), sums_.kernel(), range, in, out, band, pattern_.sums(), params.method,
                             pattern_.pixels(), pattern_.mask(), tile);
                  });
        running.finish();
        return VDT_OK;
    }

private:
    const Device& device_;
    Operands operands_;
    DirectSums sums_;
    TemplatePattern pattern_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<MapPlan>(device, query);
}

constexpr const char* variants[] = {"direct sums"};

}  // namespace

extern const Operation template_map_operation;
const Operation template_map_operation = {VDT_OP_TEMPLATE_MAP,
                                          variants,
                                          1,
                                          support,
                                          cost,
                                          plan,
                                          plugin::template_formats,
                                          VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32)};

}  // namespace vedette::opencl
