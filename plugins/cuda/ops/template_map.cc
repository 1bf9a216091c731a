// template_map. Exact: sums are integers, and the value is rounded to float once.
#include "template_cost.h"
#include "template_operands.h"

#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>

namespace vedette::cuda_plugin {

namespace {

// Variants. Masks, and patterns that the matrix kernels do not take, are always summed directly.
constexpr std::uint32_t matrix = 0;

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    plugin::check_template_map(query.inputs, query.outputs, plugin::params_of<vdt_template_map_params>(query));
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& out = *query.outputs[0];
    const TemplateShape shape{static_cast<int>(query.inputs[1]->width), static_cast<int>(query.inputs[1]->height),
                              template_channels(query.inputs[0]->format), query.inputs[2]->format != VDT_FORMAT_NONE};
    cost.flags = VDT_COST_EXACT;
    if (query.variant == matrix && takes_matrix(shape)) {
        add_product_stage(cost, shape, out.width, out.height);
        add_sums_stage(cost, shape, out.width, out.height, 4);
    } else {
        add_direct_stage(cost, shape, out.width, out.height, 4);
    }
}

class MapPlan final : public Plan {
public:
    MapPlan(const Device& device, std::uint32_t variant) : variant_(variant), device_(device), operands_(device) {
        cuda::gemm_prepare(device.cuda.limits);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_map_params>(call);
        plugin::check_template_map(call.inputs, call.outputs, params);
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
            cuda::gemm_sums(searched, pattern_.exact(device_, operands_.stream()), products, device_.cuda.limits,
                            operands_.stream());
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
        cuda::make_room(products_, device_.cuda.memory, count, operands_.stream());
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

const Operation template_map_operation = {VDT_OP_TEMPLATE_MAP,
                                          variants,
                                          2,
                                          support,
                                          cost,
                                          plan,
                                          plugin::template_formats,
                                          VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32)};

}  // namespace vedette::cuda_plugin
