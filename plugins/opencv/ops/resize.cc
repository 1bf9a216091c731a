// resize: HALF_PIXEL by cv::resize, which defines it; AREA and ALIGNED_CORNERS by explicit weights.
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "calls.h"
#include "color.h"
#include "costs.h"
#include "image_view.h"
#include "op.h"
#include "taps.h"

namespace vedette::opencv {

namespace {

// Where the resized picture lies in the output: all of it, or centred with the input's aspect ratio.
cv::Rect inner_rectangle(const vdt_image& in, const vdt_image& out, std::uint32_t flags) {
    std::uint64_t width = out.width, height = out.height;
    if ((flags & VDT_RESIZE_LETTERBOX) != 0) {
        if (width * in.height < height * in.width)
            height = std::max<std::uint64_t>(1, in.height * width / in.width);
        else
            width = std::max<std::uint64_t>(1, in.width * height / in.height);
    }
    return {static_cast<int>((out.width - width) / 2), static_cast<int>((out.height - height) / 2),
            static_cast<int>(width), static_cast<int>(height)};
}

bool by_area(const vdt_image& in, const cv::Rect& inner, std::uint32_t method) {
    return method == VDT_RESIZE_AREA && inner.width <= static_cast<int>(in.width) &&
           inner.height <= static_cast<int>(in.height);
}

// Largest error of a value before it is rounded to the output's depth; inputs are at most `largest`.
double largest_error(const vdt_image& in, const cv::Rect& inner, std::uint32_t method, double largest) {
    constexpr double step = 1.0 / (1 << 24);  // of float
    if (method == VDT_RESIZE_ALIGNED_CORNERS) return largest * 12 * step;
    // Sums of weights times rows in float: each term brings a rounding of its weight and one of the sum.
    if (by_area(in, inner, method)) {
        const double terms =
            in.width / static_cast<double>(inner.width) + in.height / static_cast<double>(inner.height) + 8;
        return largest * 2 * terms * step;
    }
    return largest * (in.width + in.height + 8) * step;  // cv::resize keeps the sampling places in float
}

// What cv::resize adds for 8-bit images: weights of 11 bits and two products that are cut off at a quarter.
constexpr double fixed_point_error = 0.75;

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const auto& params = params_of<vdt_resize_params>(query);
    const FormatLayout &from = *layout_of(in.format), &to = *layout_of(out.format);
    if (params.method < VDT_RESIZE_HALF_PIXEL || params.method > VDT_RESIZE_ALIGNED_CORNERS)
        throw Failure(VDT_E_ARGUMENT, "resize: there is no method " + std::to_string(params.method));
    if ((params.flags & ~VDT_RESIZE_LETTERBOX) != 0) throw Failure(VDT_E_ARGUMENT, "resize: unknown flag");
    if ((params.flags & VDT_RESIZE_LETTERBOX) != 0) check_finite(params.fill, "fill");
    support.output_formats = from.depth == CV_8U    ? color_formats_8 | color_formats_float
                             : from.depth == CV_16U ? color_formats_16 | color_formats_float
                                                    : color_formats_float;
    check_format(out, support.output_formats, "the output of this input's resize");
    const cv::Rect inner = inner_rectangle(in, out, params.flags);
    double error = largest_error(in, inner, params.method, largest_value(from));
    if (to.depth != CV_32F) {
        const bool fixed_point =
            from.depth == CV_8U && params.method != VDT_RESIZE_ALIGNED_CORNERS && !by_area(in, inner, params.method);
        if (fixed_point) error += fixed_point_error;
        return promise_within(support, std::floor(error + 1));  // both sides are rounded
    }
    if (from.depth != CV_32F) {
        check_finite(params.scale, "scale");
        check_finite(params.offset, "offset");
        error = error * std::abs(params.scale) +
                (largest_value(from) * std::abs(params.scale) + std::abs(params.offset)) * 3 / (1 << 24);
    }
    promise_within(support, error);
}

cv::Mat round_half_up(const cv::Mat& in, int depth) {
    cv::Mat rounded = in.clone();
    for (int y = 0; y < rounded.rows; ++y) {
        float* row = rounded.ptr<float>(y);
        for (int i = 0; i < rounded.cols * rounded.channels(); ++i) row[i] = std::floor(row[i] + 0.5f);
    }
    cv::Mat out;
    rounded.convertTo(out, depth);
    return out;
}

class ResizePlan final : public Plan {
public:
    ResizePlan(const Device& device, const vdt_query& query)
        : device_(device),
          params_(params_of<vdt_resize_params>(query)),
          from_(*layout_of(query.inputs[0]->format)),
          to_(*layout_of(query.outputs[0]->format)),
          inner_(inner_rectangle(*query.inputs[0], *query.outputs[0], params_.flags)) {
        const cv::Size in = size_of(*query.inputs[0]);
        if (params_.method == VDT_RESIZE_ALIGNED_CORNERS) {
            across_ = aligned_taps(in.width, inner_.width);
            down_ = aligned_taps(in.height, inner_.height);
        } else if (by_area(*query.inputs[0], inner_, params_.method)) {
            across_ = area_taps(in.width, inner_.width);
            down_ = area_taps(in.height, inner_.height);
        }
    }

    vdt_code run(const vdt_call& call) override {
        const vdt_image& out = *call.outputs[0];
        cv::Mat pixels = change_channels(read_pixels(*call.inputs[0]), from_.colors, to_.colors);
        const bool fused = from_.depth != to_.depth;
        cv::Mat resized = down_.empty() ? by_opencv(pixels, fused) : by_taps(pixels, call.token);
        if (fused)
            resized.convertTo(resized, CV_32F, params_.scale, params_.offset);
        else if (resized.depth() != to_.depth)
            resized = round_half_up(resized, to_.depth);
        write_pixels(on_canvas(resized, size_of(out)), out);
        return VDT_OK;
    }

private:
    cv::Mat by_opencv(const cv::Mat& pixels, bool fused) const {
        cv::Mat in = pixels, out;
        if (fused || in.depth() == CV_64F) pixels.convertTo(in, CV_32F);
        cv::resize(in, out, inner_.size(), 0, 0, cv::INTER_LINEAR);
        return out;
    }

    // Rows first, then columns as the rows of the transposed image.
    cv::Mat by_taps(const cv::Mat& pixels, vdt_token* token) const {
        cv::Mat in, out;
        pixels.convertTo(in, CV_32F);
        cv::transpose(sum_bands(in, down_, token), in);
        cv::transpose(sum_bands(in, across_, token), out);
        return out;
    }

    cv::Mat sum_bands(const cv::Mat& in, const Taps& taps, vdt_token* token) const {
        cv::Mat out(static_cast<int>(taps.size()), in.cols, in.type());
        for_each_band(*device_.host, token, out.rows, [&](int begin, int end) {
            for (int y = begin; y < end; ++y) sum_rows(in, taps[static_cast<std::size_t>(y)], out.row(y));
        });
        return out;
    }

    cv::Mat on_canvas(const cv::Mat& resized, const cv::Size& size) const {
        if (resized.size() == size) return resized;
        const double fill = to_.depth == CV_32F ? double{params_.fill}
                                                : std::clamp(std::floor(params_.fill + 0.5), 0.0, largest_value(to_));
        cv::Mat canvas(size, resized.type(), cv::Scalar::all(fill));
        resized.copyTo(canvas(inner_));
        return canvas;
    }

    Device device_;
    vdt_resize_params params_;
    const FormatLayout &from_, &to_;
    cv::Rect inner_;
    Taps across_, down_;  // empty: cv::resize
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ResizePlan>(device, query);
}

}  // namespace

const OperationEntry resize_operation = {
    .op = VDT_OP_RESIZE,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_resize,
    .plan = plan,
    .input_formats = color_formats,
    .output_formats = color_formats,
    .way = way_of_resize,
};

}  // namespace vedette::opencv
