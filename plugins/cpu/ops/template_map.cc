// template_map: checks of the query; the computation is in find/.
#include <string>

#include "find/cost.h"
#include "find/finder.h"

namespace vedette::cpu {
namespace {

constexpr std::uint64_t formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8);

void check(const vdt_image* const* inputs, std::uint32_t input_count, const vdt_image* const* outputs,
           std::uint32_t output_count, const vdt_template_map_params& params) {
    if (params.method > VDT_MATCH_CCOEFF_NORMED)
        throw Failure(VDT_E_ARGUMENT, "template_map: method " + std::to_string(params.method) + " does not exist");
    if (input_count != 3 || output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "template_map takes scene, pattern and mask, and gives one map");
    const vdt_image& scene = *inputs[0];
    const vdt_image& pattern = *inputs[1];
    const vdt_image& mask = *inputs[2];
    const vdt_image& out = *outputs[0];
    if (scene.format != VDT_FORMAT_GRAY8 && scene.format != VDT_FORMAT_BGR8)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "template_map: the scene is neither GRAY8 nor BGR8");
    if (pattern.format != scene.format)
        throw Failure(VDT_E_ARGUMENT, "template_map: the pattern is not of the scene's format");
    if (mask.format != VDT_FORMAT_NONE && mask.format != VDT_FORMAT_GRAY8)
        throw Failure(VDT_E_ARGUMENT, "template_map: the mask is not GRAY8");
    if (mask.format != VDT_FORMAT_NONE && (mask.width != pattern.width || mask.height != pattern.height))
        throw Failure(VDT_E_SIZE, "template_map: the mask is not of the pattern's size");
    if (pattern.width > scene.width || pattern.height > scene.height)
        throw Failure(VDT_E_SIZE, "template_map: the pattern is larger than the scene");
    if (out.format != VDT_FORMAT_GRAYF32)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "template_map: the output is not GRAYF32");
    if (out.width != scene.width - pattern.width + 1 || out.height != scene.height - pattern.height + 1)
        throw Failure(VDT_E_SIZE, "template_map: the output must be " +
                                      std::to_string(scene.width - pattern.width + 1) + " x " +
                                      std::to_string(scene.height - pattern.height + 1));
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = formats;
    answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.determinism = VDT_DETERMINISM_EXACT;
    if (query.input_count == 0) return;
    check(query.inputs, query.input_count, query.outputs, query.output_count,
          *static_cast<const vdt_template_map_params*>(query.params));
}

class MapPlan final : public Plan {
public:
    explicit MapPlan(const Device& device) : finder_(device) {}
    vdt_code run(const vdt_call& call) override {
        check(call.inputs, call.input_count, call.outputs, call.output_count,
              *static_cast<const vdt_template_map_params*>(call.params));
        return finder_.map(call);
    }

private:
    find::Finder finder_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<MapPlan>(device);
}

constexpr const char* variants[] = {"exact"};

}  // namespace

const OperationEntry template_map_operation = {VDT_OP_TEMPLATE_MAP, variants, 1, support, find::cost_of_map, plan};

}  // namespace vedette::cpu
