// template_find: checks, support and costs; the search is in template_finder.h. Exact: whatever chooses candidates,
// integers decide.
#include "template_finder.h"

#include <vedette/plugin/cpp/template_checks.hpp>

namespace vedette::cuda_plugin {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    plugin::check_template_find(query.inputs, query.input_count, plugin::params_of<vdt_template_find_params>(query));
}

class FindPlan final : public Plan {
public:
    FindPlan(const Device& device, const vdt_query& query) : finder_(device, static_cast<FindWay>(query.variant)) {}

    vdt_code run(const vdt_call& call) override {
        plugin::check_template_find(call.inputs, call.input_count, plugin::params_of<vdt_template_find_params>(call));
        return finder_.find(call);
    }

private:
    TemplateFinder finder_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FindPlan>(device, query);
}

// In the order of FindWay.
constexpr const char* variants[] = {"matrix products", "direct sums", "window by window", "block means first"};

}  // namespace

const Operation template_find_operation = {
    VDT_OP_TEMPLATE_FIND, variants, 4, support, cost_of_template_find, plan, plugin::template_formats, 0,
    way_of_template_find};

}  // namespace vedette::cuda_plugin
