// template_map: checks of the query; the computation is in find/.
#include <vedette/plugin/cpp/template_checks.hpp>

#include "find/cost.h"
#include "find/finder.h"

namespace vedette::cpu {
namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    plugin::check_template_map(query.inputs, query.outputs, plugin::params_of<vdt_template_map_params>(query));
}

class MapPlan final : public Plan {
public:
    explicit MapPlan(const Device& device) : finder_(device) {}
    vdt_code run(const vdt_call& call) override {
        plugin::check_template_map(call.inputs, call.outputs, plugin::params_of<vdt_template_map_params>(call));
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

const OperationEntry template_map_operation = {VDT_OP_TEMPLATE_MAP,
                                               variants,
                                               1,
                                               support,
                                               find::cost_of_map,
                                               plan,
                                               plugin::template_formats,
                                               VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
                                               find::way_of_map};

}  // namespace vedette::cpu
