// cascade_detect: cv::CascadeClassifier.
#include <string>
#include <vector>

#include VEDETTE_OPENCV_CASCADE_HEADER

#include "calls.h"
#include "cascade_text.h"
#include "check.h"
#include "image_view.h"
#include "lists.h"
#include "op.h"

namespace vedette::opencv {

namespace {

// Below it the scales from one window to the image are thousands, each with sums of its own.
constexpr double least_scale_factor = 1.001;

void support(const vdt_query& query, vdt_op_support& support) {
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
        classifier_.detectMultiScale(image, objects, levels, weights, scale_factor_, min_neighbors_, 0, least_, most_,
                                     true);
        CV_Assert(weights.size() == objects.size());
        if (min_neighbors_ > 0) {
            // How many windows were joined is told by another form of the function only; its groups are the same.
            classifier_.detectMultiScale(image, same_objects, joined, scale_factor_, min_neighbors_, 0, least_, most_);
            CV_Assert(same_objects == objects && joined.size() == objects.size());
        }
        out.count_found(objects.size());
        for (std::size_t i = 0; i < objects.size(); ++i)
            out.write(item_from(objects[i], weights[i], joined.empty() ? 1 : joined[i]));
        return out.finish();
    }

private:
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
    .params_size = sizeof(vdt_cascade_params),
    .least_inputs = 1,
    .most_inputs = 1,
    .least_outputs = 0,
    .most_outputs = 0,
    .lists_in = 0,
    .lists_out = 1,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8),
    .output_formats = 0,
    .support = support,
    .plan = plan,
};

}  // namespace vedette::opencv
