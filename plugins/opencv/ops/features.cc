// features: cv::SIFT. Its keypoints come in no defined order and its `nfeatures` is applied before the mask; here the
// mask counts first, then the strongest stay.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <opencv2/features2d.hpp>
#include <vector>

#include "costs.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

constexpr int descriptor_length = 128;

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_features_params>(query);
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "features: flags must be 0");
    if (params.octave_layers == 0 || params.octave_layers > 16)
        throw Failure(VDT_E_ARGUMENT, "features: octave_layers must be 1 to 16");
    check_finite(params.contrast_threshold, "contrast_threshold");
    check_finite(params.edge_threshold, "edge_threshold");
    check_finite(params.sigma, "sigma");
    if (params.contrast_threshold < 0)
        throw Failure(VDT_E_ARGUMENT, "features: contrast_threshold must not be below 0");
    if (params.edge_threshold <= 0) throw Failure(VDT_E_ARGUMENT, "features: edge_threshold must be above 0");
    if (params.sigma <= 0 || params.sigma > 16)
        throw Failure(VDT_E_ARGUMENT, "features: sigma must be above 0 and at most 16");
    const vdt_image &image = *query.inputs[0], &mask = *query.inputs[1];
    if (mask.format != VDT_FORMAT_NONE) {
        check_format(mask, VDT_FORMAT_BIT(VDT_FORMAT_GRAY8), "the mask");
        if (mask.width != image.width || mask.height != image.height)
            throw Failure(VDT_E_SIZE, "features: the mask must be of the image's size");
    }
    if (query.outputs[0]->width != descriptor_length)
        throw Failure(VDT_E_SIZE, "features: a row of descriptors is 128 wide");
    if (std::uint64_t{image.width} * image.height > max_pixels / 4)
        throw Failure(VDT_E_SIZE, "features: the image is too large to be enlarged twice");
    promise_exact(support);
}

vdt_keypoint keypoint_of(const cv::KeyPoint& point) {
    vdt_keypoint keypoint{};
    keypoint.x = point.pt.x;
    keypoint.y = point.pt.y;
    keypoint.size = point.size;
    keypoint.angle = point.angle;
    keypoint.response = point.response;
    keypoint.octave = point.octave;
    return keypoint;
}

bool stronger(const cv::KeyPoint& a, const cv::KeyPoint& b) {
    if (a.response != b.response) return a.response > b.response;
    if (a.pt.y != b.pt.y) return a.pt.y < b.pt.y;
    if (a.pt.x != b.pt.x) return a.pt.x < b.pt.x;
    if (a.size != b.size) return a.size > b.size;
    return a.angle < b.angle;
}

class FeaturesPlan final : public Plan {
public:
    explicit FeaturesPlan(const vdt_features_params& params)
        : sift_(cv::SIFT::create(0, static_cast<int>(params.octave_layers), params.contrast_threshold,
                                 params.edge_threshold, params.sigma)),
          params_(params) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_features_params>(call);
        if (params.octave_layers != params_.octave_layers || params.contrast_threshold != params_.contrast_threshold ||
            params.edge_threshold != params_.edge_threshold || params.sigma != params_.sigma)
            throw Failure(VDT_E_ARGUMENT, "features: the parameters differ from those the plan was made for");
        const vdt_image& rows = *call.outputs[0];
        vdt_list& list = *call.lists_out[0];
        const cv::Mat mask = call.inputs[1]->format == VDT_FORMAT_NONE ? cv::Mat() : read_pixels(*call.inputs[1]);
        std::vector<cv::KeyPoint> found;
        cv::Mat descriptors;
        sift_->detectAndCompute(read_pixels(*call.inputs[0]), mask, found, descriptors);
        std::vector<int> order(found.size());
        std::iota(order.begin(), order.end(), 0);
        const auto at = [&found](int i) -> const cv::KeyPoint& { return found[static_cast<std::size_t>(i)]; };
        std::sort(order.begin(), order.end(), [&](int a, int b) { return stronger(at(a), at(b)); });
        if (params.max_features != 0 && order.size() > params.max_features) order.resize(params.max_features);
        list.needed = order.size();
        list.count = std::min({list.needed, list.capacity, std::uint64_t{rows.height}});
        for (std::uint32_t i = 0; i < list.count; ++i) {
            const vdt_keypoint keypoint = keypoint_of(at(order[i]));
            std::memcpy(static_cast<unsigned char*>(list.items) + std::size_t{i} * list.item_size, &keypoint,
                        sizeof keypoint);
            std::memcpy(plugin::row_of<float>(rows.plane[0], i), descriptors.ptr<float>(order[i]),
                        descriptor_length * sizeof(float));
        }
        return list.needed > list.count ? VDT_INCOMPLETE : VDT_OK;
    }

private:
    cv::Ptr<cv::SIFT> sift_;
    vdt_features_params params_;
};

std::unique_ptr<Plan> plan(const Device&, const vdt_query& query) {
    return std::make_unique<FeaturesPlan>(params_of<vdt_features_params>(query));
}

}  // namespace

const OperationEntry features_operation = {
    .op = VDT_OP_FEATURES,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_features,
    .plan = plan,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8),
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
};

}  // namespace vedette::opencv
