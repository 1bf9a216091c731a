// group: as OpenCV's groupRectangles. How: cuda/kernels/group_components.cu, group.cu.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/group_run.hpp>

#include "operands.h"
#include "ops/grouping.h"

namespace vedette::cuda_plugin {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    if (query.params != nullptr) plugin::check_group(plugin::params_of<vdt_group_params>(query));
}

// As a cascade finds on a large screen, where the query names no list.
constexpr double typical_count = 1024;

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const double n = plugin::list_length(query, 0, typical_count);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.scratch_bytes = Grouping::scratch_bytes(static_cast<std::size_t>(n));
    cost.bytes_to_device = n * (sizeof(cuda::GroupRectangle) + sizeof(double));
    cost.bytes_to_host = n / 16 * sizeof(cuda::RectangleGroup);
    const auto add = [&](double work, double span, double width, double bytes, double atomics) {
        vdt_cost_stage stage = plugin::even_stage(work, span, width, bytes, 32);
        stage.divergence = 2;
        stage.atomic_refs = atomics;
        plugin::add_launch(cost, stage);
    };
    constexpr double knots_looked_at = 32;
    add(n * 16, 16, 2 * n, n * 84, 0);                                                        // clear
    add(n * 64, 64, n, n * 48, n * 3);                                                        // knots
    add(n * 40, 20, 2 * n, n * 40, n);                                                        // cells
    add(n * 8, 8, n, n * 60, 0);                                                              // places
    add(n * knots_looked_at * 40, knots_looked_at * 40, n, n * knots_looked_at * 32, n / 2);  // joins
    add(n * 40, 40, n, n * 32, n / 8 * 6);                                                    // sums
    add(n * 16, 40, n, n * 48, n / 8);                                                        // numbers
    add(n / 2 * 16, 64, n / 2, n * 24, 0);                                                    // covering
}

class GroupPlan final : public Plan {
public:
    explicit GroupPlan(const Device& device) : device_(device), operands_(device), grouping_(device) {}

    vdt_code run(const vdt_call& call) override {
        Operands::Call running(operands_, call);
        const vdt_code code = plugin::run_group(
            *device_.host, call,
            [&](std::size_t count) -> Grouping& {
                grouping_.reserve(count, operands_.stream());
                return grouping_;
            },
            [&](std::size_t count, std::int32_t threshold, double eps) {
                return grouping_.run(count, threshold, eps, operands_.stream());
            },
            [](const auto& group) { return item_of(group); });
        running.finish();
        return code;
    }

private:
    const Device& device_;
    Operands operands_;
    Grouping grouping_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<GroupPlan>(device);
}

constexpr const char* variants[] = {"hashed grid"};

}  // namespace

const Operation group_operation = {VDT_OP_GROUP, variants, 1, support, cost, plan};

}  // namespace vedette::cuda_plugin
