// group: as OpenCV's groupRectangles. How: ops/grouping.h.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/group_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "operands.h"
#include "ops/grouping.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

constexpr std::uint32_t rectangles_of_a_piece = 1u << 13;

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

GroupRectangle rectangle_of(const vdt_item& item) {
    const vdt_rect whole = plugin::whole_rectangle(item);
    return {whole.x, whole.y, whole.w, whole.h};
}

class GroupPlan final : public Plan {
public:
    explicit GroupPlan(const Device& device) : device_(device), operands_(device), grouping_(device) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_group_params>(call);
        plugin::check_group(params);
        const vdt_list& in = *call.lists_in[0];
        Operands::Call running(operands_, call);
        plugin::ListWriter<> writer(*call.lists_out[0]);
        if (params.threshold == 0) {
            writer.count_found(in.count);
            for (std::uint64_t index = 0; index < in.count; ++index) {
                auto item = plugin::item_at(in, index);
                item.neighbors = 1;
                writer.write(item);
            }
        } else if (in.count != 0) {
            plugin::check_group_count(in.count);
            read(in, call.token);
            const auto groups = grouping_.run(in.count, params.threshold, params.eps, operands_.queue());
            writer.count_found(groups.size());
            for (const RectangleGroup& group : groups) writer.write(item_of(group));
        }
        running.finish();
        return writer.finish();
    }

private:
    void read(const vdt_list& in, vdt_token* token) {
        grouping_.reserve(in.count);
        plugin::parallel_for(*device_.host, token, 0, static_cast<std::uint32_t>(in.count), rectangles_of_a_piece,
                             [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                                 for (std::uint32_t index = begin; index < end; ++index) {
                                     const auto item = plugin::item_at(in, index);
                                     grouping_.rectangles()[index] = rectangle_of(item);
                                     grouping_.scores()[index] = item.score;
                                 }
                             });
    }

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
