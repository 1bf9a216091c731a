// group: cv::groupRectangles. It counts in whole pixels, so the items' sides are rounded first.
#include <cmath>
#include <vector>

#include VEDETTE_OPENCV_CASCADE_HEADER

#include "costs.h"
#include "lists.h"
#include "op.h"

namespace vedette::opencv {

namespace {

void check_group_params(const vdt_group_params& params) {
    check_finite(params.eps, "eps");
    if (params.eps < 0) throw Failure(VDT_E_ARGUMENT, "group: eps must not be below 0");
    if (params.threshold < 0) throw Failure(VDT_E_ARGUMENT, "group: threshold must not be below 0");
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    promise_exact(support);
    if (query.params != nullptr) check_group_params(params_of<vdt_group_params>(query));  // else in general
}

cv::Rect rectangle_of(const vdt_item& item) {
    constexpr float furthest = 1 << 24;  // beyond it float has no whole pixels any more
    for (const float side : {item.x, item.y, item.w, item.h})
        if (!(std::abs(side) <= furthest)) throw Failure(VDT_E_ARGUMENT, "group: an item has no finite rectangle");
    if (item.w < 0 || item.h < 0) throw Failure(VDT_E_ARGUMENT, "group: an item has a side below 0");
    return {cvRound(item.x), cvRound(item.y), cvRound(item.w), cvRound(item.h)};
}

// Groups of more than `threshold` similar rectangles: mean rectangle, best score, number joined.
std::vector<vdt_item> group_rectangles(const std::vector<cv::Rect>& rectangles, const std::vector<double>& scores,
                                       int threshold, double eps) {
    // One form of the function tells how many were joined, another which score is best; both give the same groups in
    // the same order. The second takes the best score among a group's highest levels; here all have one level.
    std::vector<cv::Rect> groups = rectangles, same_groups = rectangles;
    std::vector<int> joined, levels(rectangles.size(), 1);
    std::vector<double> best = scores;
    cv::groupRectangles(groups, joined, threshold, eps);
    cv::groupRectangles(same_groups, levels, best, threshold, eps);
    CV_Assert(groups.size() == joined.size() && groups.size() == best.size());
    std::vector<vdt_item> items;
    for (std::size_t i = 0; i < groups.size(); ++i) items.push_back(item_from(groups[i], best[i], joined[i]));
    return items;
}

class GroupPlan final : public Plan {
public:
    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_group_params>(call);
        check_group_params(params);
        const vdt_list& in = *call.lists_in[0];
        ListWriter out(*call.lists_out[0]);
        if (params.threshold == 0) {
            out.count_found(in.count);
            for (std::uint64_t i = 0; i < in.count; ++i) {
                vdt_item item = item_at(in, i);
                item.neighbors = 1;
                out.write(item);
            }
            return out.finish();
        }
        std::vector<cv::Rect> rectangles;
        std::vector<double> scores;
        for (std::uint64_t i = 0; i < in.count; ++i) {
            rectangles.push_back(rectangle_of(item_at(in, i)));
            scores.push_back(item_at(in, i).score);
        }
        const std::vector<vdt_item> groups = group_rectangles(rectangles, scores, params.threshold, params.eps);
        out.count_found(groups.size());
        for (const vdt_item& item : groups) out.write(item);
        return out.finish();
    }
};

std::unique_ptr<Plan> plan(const Device&, const vdt_query&) {
    return std::make_unique<GroupPlan>();
}

}  // namespace

const OperationEntry group_operation = {
    .op = VDT_OP_GROUP,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_group,
    .plan = plan,
    .input_formats = 0,
    .output_formats = 0,
};

}  // namespace vedette::opencv
