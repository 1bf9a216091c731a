// template_find: checks of the query and parameters; the search itself is in find/.
#include <vedette/plugin/cpp/template_checks.hpp>

#include "find/cost.h"
#include "find/finder.h"
#include "find/scaled.h"

namespace vedette::cpu {
namespace {

void check(const vdt_image* const* inputs, std::uint32_t count, const vdt_template_find_params& params) {
    plugin::check_template_find(inputs, count, params, true);
    plugin::check_scales(params);
}

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    check(query.inputs, query.input_count, plugin::params_of<vdt_template_find_params>(query));
}

class FindPlan final : public Plan {
public:
    explicit FindPlan(const Device& device) : finder_(device), scaled_(device) {}
    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_find_params>(call);
        check(call.inputs, call.input_count, params);
        return params.scale_count == 0 ? finder_.find(call) : scaled_.find(call);
    }

private:
    find::Finder finder_;
    find::ScaledFinder scaled_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<FindPlan>(device);
}

constexpr const char* variants[] = {"exact"};

}  // namespace

const OperationEntry template_find_operation = {
    VDT_OP_TEMPLATE_FIND, variants, 1, support, find::cost_of_find, plan, plugin::template_formats, 0,
    find::way_of_find};

}  // namespace vedette::cpu
