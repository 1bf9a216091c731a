// cascade_detect: cv::CascadeClassifier.
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include VEDETTE_OPENCV_CASCADE_HEADER

#include "calls.h"
#include "cascade_text.h"
#include "costs.h"
#include "image_view.h"
#include "lists.h"
#include "op.h"

namespace vedette::opencv {

namespace {

// Below it the scales from one window to the image are thousands, each with sums of its own.
constexpr double least_scale_factor = 1.001;

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_cascade_params>(query);
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: flags must be 0");
    if (params.cascade == nullptr || params.cascade_bytes == 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: there is no cascade");
    check_finite(params.scale_factor, "scale_factor");
    if (params.scale_factor <= 1) throw Failure(VDT_E_ARGUMENT, "cascade_detect: scale_factor must be above 1");
    if (params.scale_factor < least_scale_factor)
        throw Failure(VDT_E_UNSUPPORTED, "cascade_detect: this backend needs a scale_factor of at least 1.001");
    if (params.min_neighbors < 0) throw Failure(VDT_E_ARGUMENT, "cascade_detect: min_neighbors must not be below 0");
    if (params.min_w < 0 || params.min_h < 0 || params.max_w < 0 || params.max_h < 0)
        throw Failure(VDT_E_ARGUMENT, "cascade_detect: sizes must not be below 0");
    promise_exact(support);
}

class CascadePlan final : public Plan {
public:
    explicit CascadePlan(const vdt_cascade_params& params)
        : scale_factor_(params.scale_factor),
          min_neighbors_(params.min_neighbors),
          least_(params.min_w, params.min_h),
          most_(params.max_w, params.max_h) {
        const CascadeText cascade = read_cascade(std::string(params.cascade, params.cascade_bytes));
        if (!classifier_.read(cascade.root))
            throw Failure(VDT_E_FORMAT, "the cascade is damaged: OpenCV cannot use it");
    }

    vdt_code run(const vdt_call& call) override {
        const cv::Mat image = read_pixels(*call.inputs[0]);
        std::vector<cv::Rect> objects, same_objects;
        std::vector<int> levels, joined;
        std::vector<double> weights;
        ListWriter out(*call.lists_out[0]);
        // One form of the function tells how many windows were joined, another the weights; the groups are the same,
        // but its threads find them in any order.
        classifier_.detectMultiScale(image, objects, joined, scale_factor_, min_neighbors_, 0, least_, most_);
        classifier_.detectMultiScale(image, same_objects, levels, weights, scale_factor_, min_neighbors_, 0, least_,
                                     most_, true);
        const std::vector<std::size_t> order = sorted(objects), same_order = sorted(same_objects);
        CV_Assert(order.size() == same_order.size() && weights.size() == same_objects.size());
        out.count_found(objects.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const cv::Rect& object = objects[order[i]];
            CV_Assert(same_objects[same_order[i]] == object);
            out.write(item_from(object, weights[same_order[i]], min_neighbors_ > 0 ? joined[order[i]] : 1));
        }
        return out.finish();
    }

private:
    // Places of rectangles by size, then from top to bottom, then from left to right.
    static std::vector<std::size_t> sorted(const std::vector<cv::Rect>& rectangles) {
        std::vector<std::size_t> order(rectangles.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            const cv::Rect &a = rectangles[i], &b = rectangles[j];
            return std::tie(a.width, a.height, a.y, a.x) < std::tie(b.width, b.height, b.y, b.x);
        });
        return order;
    }

    cv::CascadeClassifier classifier_;
    double scale_factor_;
    int min_neighbors_;
    cv::Size least_, most_;
};

std::unique_ptr<Plan> plan(const Device&, const vdt_query& query) {
    const auto& params = params_of<vdt_cascade_params>(query);
    return std::make_unique<CascadePlan>(params);
}

}  // namespace

const OperationEntry cascade_detect_operation = {
    .op = VDT_OP_CASCADE_DETECT,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_cascade_detect,
    .plan = plan,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8),
    .output_formats = 0,
};

}  // namespace vedette::opencv
