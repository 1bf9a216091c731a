// group: as OpenCV's groupRectangles. How: ops/grouping.h.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/group_run.hpp>

#include "operands.h"
#include "ops/grouping.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    if (query.params != nullptr) plugin::check_group(plugin::params_of<vdt_group_params>(query));
}

// As a cascade finds on a large screen, where the query names no list.
constexpr double typical_count = 1024;
constexpr double fetched_groups = 256;  // with the first transfer, however few there are

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const double n = std::max(1.0, plugin::list_length(query, 0, typical_count));
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.scratch_bytes = Grouping::scratch_bytes(static_cast<std::size_t>(n));
    cost.bytes_to_device = n * (sizeof(GroupRectangle) + sizeof(std::uint64_t));
    cost.bytes_to_host = std::max(fetched_groups, n / 16) * sizeof(GroupRectangle) * 2;
    const auto add = [&](double work, double span, double width, double bytes, double atomics) {
        vdt_cost_stage stage = plugin::even_stage(work, span, width, bytes, transaction_bytes);
        stage.divergence = 2;
        stage.atomic_refs = atomics;
        plugin::add_launch(cost, stage);
    };
    constexpr double knots_looked_at = 32;
    // A comparison is a few multiplications of doubles, or of what stands for them.
    const double comparison = device.limits().doubles ? 40 : 100;
    add(n * 20, 1, n * 20, n * 80, 0);        // clearing
    add(n * 80, 80, n, n * 64, n * 3);        // knots
    add(n * 40, 20, 2 * n, n * 40, n * 1.5);  // cells
    add(n * 8, 8, n, n * 60, 0);              // places
    add(n * knots_looked_at * comparison, knots_looked_at * comparison, n, n * knots_looked_at * 32, n / 2);  // joins
    add(n * 60, 60, n, n * 48, n / 8 * 10);                                                                   // sums
    add(n * 16, 60, n, n * 52, n / 4);                                                                        // means
    add(n / 2 * 16, 64, n / 2, n * 24, 0);  // covering
}

class GroupPlan final : public Plan {
public:
    explicit GroupPlan(const Device& device) : device_(device), operands_(device), grouping_(device) {}

    vdt_code run(const vdt_call& call) override {
        Operands::Call running(operands_, call);
        const vdt_code code = plugin::run_group(
            *device_.host, call,
            [&](std::size_t count) -> Grouping& {
                grouping_.reserve(count);
                return grouping_;
            },
            [&](std::size_t count, std::int32_t threshold, double eps) {
                return grouping_.run(count, threshold, eps, operands_.queue());
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

extern const Operation group_operation;
const Operation group_operation = {VDT_OP_GROUP, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
