// pyramid: each level from the one before, as it was rounded.
#include <opencv2/imgproc.hpp>
#include <string>

#include "calls.h"
#include "costs.h"
#include "formats.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_pyramid_params>(query);
    if (params.method != VDT_PYRAMID_AREA2 && params.method != VDT_PYRAMID_GAUSS5)
        throw Failure(VDT_E_ARGUMENT, "pyramid: there is no method " + std::to_string(params.method));
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "pyramid: flags must be 0");
    if (params.levels != query.output_count)
        throw Failure(VDT_E_ARGUMENT, "pyramid needs one output for each of its levels");
    const vdt_image* previous = query.inputs[0];
    for (std::uint32_t level = 0; level < params.levels; ++level) {
        const vdt_image& out = *query.outputs[level];
        if (out.format != previous->format)
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "pyramid: all levels have the input's format");
        if (out.width != (previous->width + 1) / 2 || out.height != (previous->height + 1) / 2)
            throw Failure(VDT_E_SIZE, "pyramid: level " + std::to_string(level) +
                                          " must have half the size of the one before, rounded up");
        previous = &out;
    }
    support.output_formats = VDT_FORMAT_BIT(query.inputs[0]->format);
    const FormatLayout& layout = *layout_of(query.inputs[0]->format);
    if (layout.depth != CV_32F) return promise_exact(support);
    promise_within(support, largest_value(layout) * 8 / (1 << 24));  // of a level against the one before
}

// The mean of the pixels that exist: a last odd row or column stands for both.
cv::Mat mean_of_four(const cv::Mat& in) {
    cv::Mat even, out;
    cv::copyMakeBorder(in, even, 0, in.rows % 2, 0, in.cols % 2, cv::BORDER_REPLICATE);
    cv::resize(even, out, even.size() / 2, 0, 0, cv::INTER_AREA);
    return out;
}

cv::Mat gaussian_of_five(const cv::Mat& in) {
    cv::Mat out;
    cv::pyrDown(in, out);
    return out;
}

class PyramidPlan final : public Plan {
public:
    PyramidPlan(const Device& device, std::uint32_t method) : device_(device), method_(method) {}

    vdt_code run(const vdt_call& call) override {
        cv::Mat level = read_pixels(*call.inputs[0]);
        for (std::uint32_t i = 0; i < call.output_count; ++i) {
            plugin::throw_if_cancelled(*device_.host, call.token);
            level = method_ == VDT_PYRAMID_AREA2 ? mean_of_four(level) : gaussian_of_five(level);
            write_pixels(level, *call.outputs[i]);
        }
        return VDT_OK;
    }

private:
    Device device_;
    std::uint32_t method_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<PyramidPlan>(device, params_of<vdt_pyramid_params>(query).method);
}

}  // namespace

const OperationEntry pyramid_operation = {
    .op = VDT_OP_PYRAMID,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_pyramid,
    .plan = plan,
    .input_formats = color_formats,
    .output_formats = color_formats,
    .way = way_of_pyramid,
};

}  // namespace vedette::opencv
