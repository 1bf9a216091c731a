// group: as OpenCV's groupRectangles. How: group/grouping.h.
#include <vedette/plugin/cpp/group_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>

#include <algorithm>

#include "group/grouping.h"
#include "parallel.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

constexpr std::uint32_t rectangles_of_a_piece = 1u << 14;

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    if (query.params != nullptr) plugin::check_group(plugin::params_of<vdt_group_params>(query));
}

// A query names no lists, so these are counts for a list of this many rectangles, as a cascade finds on a large screen.
constexpr double typical_count = 1024;

void cost(const Device&, const vdt_query&, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.scratch_bytes = Grouping::scratch_bytes(static_cast<std::uint64_t>(typical_count));
    const double bytes = static_cast<double>(cost.scratch_bytes);
    constexpr double digits = 3, comparisons = 16;
    add_serial(cost, typical_count * 4 * digits, bytes, typical_count * 4 * digits);  // keys, sorted
    add_loop(cost, typical_count * comparisons * 12, comparisons * 12, typical_count / 4, bytes,
             typical_count * comparisons * 12);                     // comparisons in the grid
    add_serial(cost, typical_count * 8, bytes, typical_count * 8);  // means
}

GroupRectangle rectangle_of(const vdt_item& item) {
    const vdt_rect whole = plugin::whole_rectangle(item);
    return {whole.x, whole.y, whole.w, whole.h, item.score};
}

vdt_item ungrouped(vdt_item item) {
    item.neighbors = 1;
    return item;
}

// Writes `count` items that `item_of(index)` gives, as many as there is room for.
template <class ItemOf>
vdt_code write_items(vdt_list& list, std::uint64_t count, const ItemOf& item_of) {
    plugin::ListWriter<> out(list);
    out.count_found(count);
    for (std::uint64_t index = 0; index < std::min(count, list.capacity); ++index) out.write(item_of(index));
    return out.finish();
}

class GroupPlan final : public Plan {
public:
    explicit GroupPlan(const Device& device) : device_(device) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_group_params>(call);
        plugin::check_group(params);
        const vdt_list& in = *call.lists_in[0];
        vdt_list& out = *call.lists_out[0];
        out.count = out.needed = 0;
        if (params.threshold == 0)
            return write_items(out, in.count,
                               [&](std::uint64_t index) { return ungrouped(plugin::item_at(in, index)); });
        plugin::check_group_count(in.count);
        rectangles_.resize(in.count);
        parallel_for(device_, call.token, 0, static_cast<std::uint32_t>(in.count), rectangles_of_a_piece,
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                         for (std::uint32_t index = begin; index < end; ++index)
                             rectangles_[index] = rectangle_of(plugin::item_at(in, index));
                     });
        const std::span<const vdt_item> groups =
            grouping_.run(device_, call.token, rectangles_, params.threshold, params.eps);
        return write_items(out, groups.size(), [&](std::uint64_t index) { return groups[index]; });
    }

private:
    const Device& device_;
    std::vector<GroupRectangle> rectangles_;
    Grouping grouping_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<GroupPlan>(device);
}

constexpr const char* variants[] = {"grid"};

}  // namespace

const OperationEntry group_operation = {
    .op = VDT_OP_GROUP,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost,
    .plan = plan,
};

}  // namespace vedette::cpu
