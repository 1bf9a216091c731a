// template_find: checks, support and costs; the search is in template_finder.h. Exact: whatever chooses candidates,
// integers decide.
#include "template_finder.h"

#include <vedette/plugin/cpp/check.hpp>

#include <string>

namespace vedette::cuda_plugin {

namespace {

void check_params(const vdt_template_find_params& params) {
    if ((params.flags & ~std::uint32_t{VDT_FIND_LOCAL_MAXIMA | VDT_FIND_BEST_ONLY}) != 0)
        throw Failure(VDT_E_ARGUMENT, "template_find: unknown flags " + std::to_string(params.flags));
    if (!(params.threshold >= -1 && params.threshold <= 1))
        throw Failure(VDT_E_ARGUMENT,
                      "template_find: the threshold " + std::to_string(params.threshold) + " is not in -1..1");
    if (params.pattern_count == 0) throw Failure(VDT_E_ARGUMENT, "template_find: pattern_count is 0");
    if (params.max_results == 0) throw Failure(VDT_E_ARGUMENT, "template_find: max_results is 0");
    if (params.exclude_count != 0 && params.exclude == nullptr)
        throw Failure(VDT_E_ARGUMENT, "template_find: exclude_count is not 0 but exclude is NULL");
    if (params.scale_count != 0)
        throw Failure(VDT_E_UNSUPPORTED,
                      "template_find: this backend searches at scale 1 only; resize the pattern or the scene first");
}

void check_images(const vdt_image* const* inputs, std::uint32_t count, const vdt_template_find_params& params) {
    if (count == 0 || (std::uint64_t{params.pattern_count} * 2 + 1) != count)
        throw Failure(VDT_E_ARGUMENT, "template_find: " + std::to_string(params.pattern_count) +
                                          " patterns need a scene and a pattern and a mask each, but there are " +
                                          std::to_string(count) + " inputs");
    const vdt_image& scene = *inputs[0];
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image& pattern = *inputs[1 + 2 * std::size_t{p}];
        const vdt_image& mask = *inputs[2 + 2 * std::size_t{p}];
        if (pattern.format != scene.format)
            throw Failure(VDT_E_ARGUMENT,
                          "template_find: pattern " + std::to_string(p) + " is not of the scene's format");
        if (mask.format == VDT_FORMAT_NONE) continue;
        if (mask.format != VDT_FORMAT_GRAY8)
            throw Failure(VDT_E_ARGUMENT, "template_find: the mask of pattern " + std::to_string(p) + " is not GRAY8");
        if (mask.width != pattern.width || mask.height != pattern.height)
            throw Failure(VDT_E_SIZE,
                          "template_find: the mask of pattern " + std::to_string(p) + " is not of the pattern's size");
    }
}

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    check_params(params);
    check_images(query.inputs, query.input_count, params);
    (void)region_of(*query.inputs[0], params);
}

class FindPlan final : public Plan {
public:
    FindPlan(const Device& device, const vdt_query& query) : finder_(device, static_cast<FindWay>(query.variant)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_find_params>(call);
        check_params(params);
        check_images(call.inputs, call.input_count, params);
        return finder_.find(call);
    }

private:
    TemplateFinder finder_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FindPlan>(device, query);
}

// In the order of FindWay.
constexpr const char* variants[] = {"matrix products", "direct sums", "window by window"};

}  // namespace

const Operation template_find_operation = {VDT_OP_TEMPLATE_FIND, variants, 3, support, cost_of_template_find, plan,
                                           template_formats,     0};

}  // namespace vedette::cuda_plugin
