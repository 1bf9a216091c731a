// template_map. Exact: sums are integers, and the value is rounded to float once.
#include "template_cost.h"
#include "template_operands.h"

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <string>

namespace vedette::cuda_plugin {

namespace {

// Variants. Masks, and patterns that the matrix kernels do not take, are always summed directly.
constexpr std::uint32_t matrix = 0;

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
    const vdt_image& out = *query.outputs[0];
    const TemplateShape shape{static_cast<int>(query.inputs[1]->width), static_cast<int>(query.inputs[1]->height),
                              template_channels(query.inputs[0]->format), query.inputs[2]->format != VDT_FORMAT_NONE};
    cost.flags = VDT_COST_EXACT;
    if (query.variant == matrix && takes_matrix(shape))
        add_matrix_stages(cost, shape, out.width, out.height, 4);
    else
        add_direct_stage(cost, shape, out.width, out.height, 4);
}

class MapPlan final : public Plan {
public:
    MapPlan(const Device& device, std::uint32_t variant) : variant_(variant), device_(device), operands_(device) {
        cuda::gemm_prepare();
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_map_params>(call);
        check_method(params);
        Operands::Call running(operands_, call);
        pattern_.prepare(device_, *call.inputs[1], *call.inputs[2], operands_.stream());
        const DeviceImage scene = operands_.input(0);
        const DeviceImage out = operands_.output(0);
        const cuda::TemplateScene searched =
            scene_of(scene, {0, 0, scene.width, scene.height}, pattern_.pattern().width(), pattern_.pattern().height());
        const auto method = static_cast<cuda::MatchMethod>(params.method);
        const cuda::Pattern& pattern = pattern_.pattern();
        if (variant_ == matrix && takes_matrix(shape_of(pattern))) {
            const cuda::PositionPlane products = product_plane(searched);
            cuda::gemm_sums(searched, pattern_.exact(device_, operands_.stream()), products, operands_.stream());
            cuda::window_map(searched, pattern_.words(), pattern.sums(), products, method, out.view<float>(),
                             operands_.stream());
        } else {
            cuda::direct_map(searched, pattern_.words(), pattern.sums(), method, out.view<float>(), operands_.stream());
        }
        running.finish();
        return VDT_OK;
    }

private:
    cuda::PositionPlane product_plane(const cuda::TemplateScene& scene) {
        const int stride = cuda::position_stride(scene.columns);
        const std::size_t count = static_cast<std::size_t>(stride) * static_cast<std::size_t>(scene.rows);
        if (products_.size() < count) products_ = cuda::Block<std::int32_t>(device_.cuda.memory, count);
        return {products_.data(), stride};
    }

    const std::uint32_t variant_;
    const Device& device_;
    Operands operands_;
    PreparedPattern pattern_;
    cuda::Block<std::int32_t> products_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<MapPlan>(device, query.variant);
}

constexpr const char* variants[] = {"matrix products", "direct sums"};

}  // namespace

const Operation template_map_operation = {
    VDT_OP_TEMPLATE_MAP, variants, 2, support, cost, plan, template_formats, VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32)};

}  // namespace vedette::cuda_plugin
