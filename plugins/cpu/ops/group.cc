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

// As a cascade finds on a large screen, where the query names no list.
constexpr double typical_count = 1024;

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const double n = plugin::list_length(query, 0, typical_count);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.scratch_bytes = Grouping::scratch_bytes(static_cast<std::uint64_t>(n));
    // Of a rectangle: a level, two quotients and a key; entries counted and moved for each digit of the key in which
    // keys differ (group/radix_sort.h); the cells of the grid.
    constexpr double digits = 3, of_key = 40, of_digit = 2048, of_entry = 12, of_cell = 10;
    const double entry_bytes = n * sizeof(Keyed);
    add_serial(cost, n * (of_key + digits * of_entry + of_cell) + digits * of_digit, entry_bytes * (2 + 3 * digits),
               n * digits * 3);
    // Four quotients of 64 bits and a sort within its cell, then comparisons with its neighbours, cell by cell; short
    // lists are the caller's alone (group/components.cc). One comparison after the other: nothing is done by vectors.
    constexpr double of_knot = 4 * 25 + 60, comparisons = 16, of_comparison = 12;
    constexpr double rectangles_of_a_cell = 4;
    const double pieces =
        n < Components::fewest_for_threads
            ? 1
            : pieces_of(static_cast<std::uint32_t>(n / rectangles_of_a_cell), Components::cells_of_a_piece);
    const double scalar = thread_lanes(device.isa);
    for (const double each : {of_knot, comparisons * of_comparison})
        add_pieces(device, cost, n * each * scalar, 0, pieces, n * (sizeof(GroupRectangle) + sizeof(Keyed)), n * each);
    // Knots, roots and means.
    add_serial(cost, n * 40, n * (sizeof(GroupRectangle) + sizeof(Keyed) + 4), n * 10);
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
