// convert: in bands of rows, channels first, then depth.
#include <cmath>

#include "calls.h"
#include "color.h"
#include "costs.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

// Largest absolute error of a value v * scale + offset rounded to float, with room for the rounding in double before
// it.
double float_rounding(double largest, double scale, double offset) {
    return (largest * std::abs(scale) + std::abs(offset)) * 1.001 / (1 << 24);
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const auto& params = params_of<vdt_convert_params>(query);
    const FormatLayout &from = *layout_of(in.format), &to = *layout_of(out.format);
    if (in.width != out.width || in.height != out.height)
        throw Failure(VDT_E_SIZE, "convert needs an output of the input's size");
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "convert: flags must be 0");
    const bool scaled = (from.depth == CV_32F) != (to.depth == CV_32F);
    if (scaled) {
        check_finite(params.scale, "scale");
        check_finite(params.offset, "offset");
        if (params.scale == 0) throw Failure(VDT_E_ARGUMENT, "convert: scale must not be 0");
    }
    const bool float_gray = from.depth == CV_32F && from.colors != Colors::gray && to.colors == Colors::gray;
    if (to.depth == CV_32F && (scaled || float_gray))
        promise_within(support,
                       float_rounding(largest_value(from), scaled ? params.scale : 1, scaled ? params.offset : 0));
    else if (float_gray)
        promise_within(support, 1);  // the order of the sum can tip a value over a rounding edge
    else
        promise_exact(support);
}

cv::Mat converted(const cv::Mat& in, const FormatLayout& from, const FormatLayout& to,
                  const vdt_convert_params& params) {
    const cv::Mat channels = change_channels(in, from.colors, to.colors);
    cv::Mat out;
    if (from.depth != CV_32F)
        return to.depth == CV_32F ? integers_to_float(channels, params.scale, params.offset)
                                  : change_integer_depth(channels, to.depth);
    if (to.depth == CV_32F) {
        channels.convertTo(out, CV_32F);
        return out;
    }
    out = floats_to_integers(channels, to.depth, params.scale, params.offset);
    // No float format has an alpha, so here it is always one that is added.
    if (to.channels == 4) cv::insertChannel(cv::Mat(out.size(), to.depth, cv::Scalar(largest_value(to))), out, 3);
    return out;
}

class ConvertPlan final : public Plan {
public:
    ConvertPlan(const Device& device, const vdt_convert_params& params) : device_(device), params_(params) {}

    vdt_code run(const vdt_call& call) override {
        const vdt_image &in = *call.inputs[0], &out = *call.outputs[0];
        const FormatLayout &from = *layout_of(in.format), &to = *layout_of(out.format);
        const cv::Mat pixels = read_pixels(in);
        for_each_band(*device_.host, call.token, pixels.rows, [&](int begin, int end) {
            write_pixels(converted(pixels.rowRange(begin, end), from, to, params_), out, begin);
        });
        return VDT_OK;
    }

private:
    Device device_;
    vdt_convert_params params_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ConvertPlan>(device, params_of<vdt_convert_params>(query));
}

}  // namespace

const OperationEntry convert_operation = {
    .op = VDT_OP_CONVERT,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_convert,
    .plan = plan,
    .input_formats = color_formats,
    .output_formats = color_formats,
    .way = way_of_convert,
};

}  // namespace vedette::opencv
