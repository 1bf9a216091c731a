// template_map. Exact: sums are integers, and the value is rounded to float once.
#include "template_operands.h"

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <string>

namespace vedette::cuda_plugin {

namespace {

void check_method(const vdt_template_map_params& params) {
    if (params.method > VDT_MATCH_CCOEFF_NORMED)
        throw Failure(VDT_E_ARGUMENT, "template_map: method " + std::to_string(params.method) + " does not exist");
}

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    const vdt_image& scene = *query.inputs[0];
    const vdt_image& pattern = *query.inputs[1];
    const vdt_image& mask = *query.inputs[2];
    const vdt_image& out = *query.outputs[0];
    check_method(plugin::params_of<vdt_template_map_params>(query));
    if (pattern.format != scene.format)
        throw Failure(VDT_E_ARGUMENT, "template_map: the pattern is not of the scene's format");
    if (mask.format != VDT_FORMAT_NONE && mask.format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_ARGUMENT, "template_map: the mask is not GRAY8");
    if (mask.format != VDT_FORMAT_NONE && (mask.width != pattern.width || mask.height != pattern.height))
        throw Failure(VDT_E_SIZE, "template_map: the mask is not of the pattern's size");
    if (pattern.width > scene.width || pattern.height > scene.height)
        throw Failure(VDT_E_SIZE, "template_map: the pattern is larger than the scene");
    if (out.width != scene.width - pattern.width + 1 || out.height != scene.height - pattern.height + 1)
        throw Failure(VDT_E_SIZE,
                      "template_map: the output must be " +
                          plugin::size_text(scene.width - pattern.width + 1, scene.height - pattern.height + 1));
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& scene = *query.inputs[0];
    const vdt_image& pattern = *query.inputs[1];
    const vdt_image& out = *query.outputs[0];
    const double channels = template_channels(scene.format);
    const double positions = static_cast<double>(out.width) * out.height;
    const double words = static_cast<double>(pattern.width) * pattern.height * channels / 4;
    vdt_cost_stage stage{};
    stage.work = positions * (words * (4 + channels) + 60);
    stage.span = words * (4 + channels) + 60;
    stage.width = positions;
    stage.divergence = 1;
    stage.global_bytes = static_cast<double>(scene.width) * scene.height * channels + 4 * positions;
    stage.global_refs = stage.global_bytes / 128;
    stage.shared_refs = positions * words / 2;
    cost.flags = VDT_COST_EXACT;
    cost.launches = 1;
    plugin::add_stage(cost, stage);
}

class MapPlan final : public Plan {
public:
    explicit MapPlan(const Device& device) : device_(device), operands_(device) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_map_params>(call);
        check_method(params);
        Operands::Call running(operands_, call);
        pattern_.prepare(device_, *call.inputs[1], *call.inputs[2], operands_.stream());
        const DeviceImage scene = operands_.input(0);
        const DeviceImage out = operands_.output(0);
        const cuda::TemplateScene searched =
            scene_of(scene, {0, 0, scene.width, scene.height}, pattern_.pattern().width(), pattern_.pattern().height());
        cuda::direct_map(searched, pattern_.words(), pattern_.pattern().sums(),
                         static_cast<cuda::MatchMethod>(params.method), out.view<float>(), operands_.stream());
        running.finish();
        return VDT_OK;
    }

private:
    const Device& device_;
    Operands operands_;
    PreparedPattern pattern_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<MapPlan>(device);
}

constexpr const char* variants[] = {"direct"};

}  // namespace

const Operation template_map_operation = {
    VDT_OP_TEMPLATE_MAP, variants, 1, support, cost, plan, template_formats, VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32)};

}  // namespace vedette::cuda_plugin
