// filter: in bands of rows, in double. The border is laid around each band first, because cv::filter2D knows neither
// WRAP nor a constant other than 0.
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "calls.h"
#include "color.h"
#include "costs.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

constexpr std::uint32_t max_kernel_side = 1023;  // a larger one costs minutes, not a filter's milliseconds

// ops.h numbers the borders as OpenCV does.
static_assert(VDT_BORDER_CONSTANT == int{cv::BORDER_CONSTANT} && VDT_BORDER_REPLICATE == int{cv::BORDER_REPLICATE} &&
              VDT_BORDER_REFLECT == int{cv::BORDER_REFLECT} && VDT_BORDER_WRAP == int{cv::BORDER_WRAP} &&
              VDT_BORDER_REFLECT_101 == int{cv::BORDER_REFLECT_101});

// The kernel as one matrix (`down` empty) or as a row and a column.
struct Kernel {
    cv::Mat across, down;
    double absolute_sum = 0;  // of all weights: how far pixels can be amplified
};

cv::Mat weights_from(const float* weights, const char* name, std::uint32_t rows, std::uint32_t columns) {
    if (weights == nullptr) throw Failure(VDT_E_ARGUMENT, std::string("filter: ") + name + " is NULL");
    cv::Mat kernel(static_cast<int>(rows), static_cast<int>(columns), CV_64F);
    for (std::size_t i = 0; i < kernel.total(); ++i) {
        check_finite(double{weights[i]}, name);
        kernel.ptr<double>()[i] = double{weights[i]};
    }
    return kernel;
}

cv::Mat gaussian_weights(std::uint32_t size, double sigma, const char* name) {
    check_finite(sigma, name);
    if (sigma <= 0) throw Failure(VDT_E_ARGUMENT, std::string("filter: ") + name + " must be above 0");
    if (size % 2 == 0) throw Failure(VDT_E_ARGUMENT, "filter: the sides of a Gaussian kernel must be odd");
    return cv::getGaussianKernel(static_cast<int>(size), sigma, CV_64F).reshape(1, 1);
}

Kernel kernel_of(const vdt_filter_params& params) {
    const std::uint32_t w = params.kernel_w, h = params.kernel_h;
    Kernel kernel;
    switch (params.kind) {
        case VDT_FILTER_GENERAL:
            kernel.across = weights_from(params.kernel_x, "kernel_x", h, w);
            break;
        case VDT_FILTER_SEPARABLE:
            kernel.across = weights_from(params.kernel_x, "kernel_x", 1, w);
            kernel.down = weights_from(params.kernel_y, "kernel_y", 1, h);
            break;
        case VDT_FILTER_GAUSSIAN:
            kernel.across = gaussian_weights(w, params.sigma_x, "sigma_x");
            kernel.down = gaussian_weights(h, params.sigma_y, "sigma_y");
            break;
        case VDT_FILTER_BOX:
            kernel.across = cv::Mat(1, static_cast<int>(w), CV_64F, cv::Scalar(1.0 / w));
            kernel.down = cv::Mat(1, static_cast<int>(h), CV_64F, cv::Scalar(1.0 / h));
            break;
        default:
            throw Failure(VDT_E_ARGUMENT, "filter: there is no kind " + std::to_string(params.kind));
    }
    kernel.absolute_sum = cv::norm(kernel.across, cv::NORM_L1);
    if (!kernel.down.empty()) kernel.absolute_sum *= cv::norm(kernel.down, cv::NORM_L1);
    return kernel;
}

void check_anchor(std::int32_t anchor, std::uint32_t size, const char* name) {
    if (anchor < -1 || anchor >= static_cast<std::int64_t>(size))
        throw Failure(VDT_E_ARGUMENT, std::string("filter: ") + name + " lies outside the kernel");
}

void check_params(const vdt_filter_params& params) {
    if (params.border > VDT_BORDER_REFLECT_101)
        throw Failure(VDT_E_ARGUMENT, "filter: there is no border " + std::to_string(params.border));
    if (params.kernel_w == 0 || params.kernel_h == 0)
        throw Failure(VDT_E_ARGUMENT, "filter: the kernel has no weights");
    if (params.kernel_w > max_kernel_side || params.kernel_h > max_kernel_side)
        throw Failure(VDT_E_UNSUPPORTED_SIZE,
                      "filter: this backend takes kernels of up to " + std::to_string(max_kernel_side) + " a side");
    check_anchor(params.anchor_x, params.kernel_w, "anchor_x");
    check_anchor(params.anchor_y, params.kernel_h, "anchor_y");
    if (params.border == VDT_BORDER_CONSTANT) check_finite(double{params.border_value}, "border_value");
    check_finite(params.delta, "delta");
}

// The formats that an input's pixels may be filtered into: its own, and float of the same channels in the same order.
std::uint64_t outputs_of(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
        case VDT_FORMAT_GRAY16:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
        case VDT_FORMAT_BGR8:
        case VDT_FORMAT_BGR16:
        case VDT_FORMAT_BGRF32:
        case VDT_FORMAT_PLANAR_BGRF32:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_BGRF32) |
                   VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_BGRF32);
        case VDT_FORMAT_RGB8:
        case VDT_FORMAT_RGB16:
            return VDT_FORMAT_BIT(format) | VDT_FORMAT_BIT(VDT_FORMAT_PLANAR_RGBF32);
        default:
            return VDT_FORMAT_BIT(format);
    }
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const auto& params = params_of<vdt_filter_params>(query);
    support.output_formats = outputs_of(in.format);
    check_format(out, support.output_formats, "the output of this input's filter");
    if (in.width != out.width || in.height != out.height)
        throw Failure(VDT_E_SIZE, "filter needs an output of the input's size");
    check_params(params);
    const double gain = kernel_of(params).absolute_sum;
    const FormatLayout& to = *layout_of(out.format);
    // In double all errors stay far below a rounding; only a value that lies on a rounding edge can tip over.
    const double largest = largest_value(*layout_of(in.format));
    promise_within(support, to.depth == CV_32F ? (largest * gain + std::abs(params.delta)) * 1.001 / (1 << 24) : 1);
}

class FilterPlan final : public Plan {
public:
    FilterPlan(const Device& device, const vdt_filter_params& params)
        : device_(device),
          kernel_(kernel_of(params)),
          anchor_(centred(params.anchor_x, params.kernel_w), centred(params.anchor_y, params.kernel_h)),
          size_(static_cast<int>(params.kernel_w), static_cast<int>(params.kernel_h)),
          border_(static_cast<int>(params.border)),
          border_value_(cv::Scalar::all(double{params.border_value})),
          delta_(params.delta) {}

    vdt_code run(const vdt_call& call) override {
        const vdt_image& out = *call.outputs[0];
        const FormatLayout& to = *layout_of(out.format);
        const cv::Mat in = read_pixels(*call.inputs[0]);
        for_each_band(*device_.host, call.token, in.rows, [&](int begin, int end) {
            const cv::Mat filtered = filter_band(in, begin, end);
            cv::Mat pixels;
            if (to.depth == CV_32F)
                filtered.convertTo(pixels, CV_32F);
            else
                pixels = floats_to_integers(filtered, to.depth, 1, 0);
            write_pixels(pixels, out, begin);
        });
        return VDT_OK;
    }

private:
    static int centred(std::int32_t anchor, std::uint32_t size) {
        return anchor < 0 ? static_cast<int>(size / 2) : anchor;
    }

    // Rows begin .. end - 1 of the result, CV_64F.
    cv::Mat filter_band(const cv::Mat& in, int begin, int end) const {
        const int above = anchor_.y, below = size_.height - 1 - anchor_.y;
        cv::Mat band(end - begin + above + below, in.cols, CV_MAKETYPE(CV_64F, in.channels()), border_value_);
        for (int y = 0; y < band.rows; ++y) {
            const int source = cv::borderInterpolate(begin - above + y, in.rows, border_);
            if (source < 0) continue;  // CONSTANT
            cv::Mat row = band.row(y);
            in.row(source).convertTo(row, CV_64F);
        }
        cv::Mat framed, out;
        cv::copyMakeBorder(band, framed, 0, 0, anchor_.x, size_.width - 1 - anchor_.x, border_, border_value_);
        // What these do at their own border is cut off below.
        if (kernel_.down.empty())
            cv::filter2D(framed, out, CV_64F, kernel_.across, anchor_, delta_, cv::BORDER_REPLICATE);
        else
            cv::sepFilter2D(framed, out, CV_64F, kernel_.across, kernel_.down, anchor_, delta_, cv::BORDER_REPLICATE);
        return out(cv::Rect(anchor_.x, above, in.cols, end - begin));
    }

    Device device_;
    Kernel kernel_;
    cv::Point anchor_;
    cv::Size size_;
    int border_;
    cv::Scalar border_value_;
    double delta_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FilterPlan>(device, params_of<vdt_filter_params>(query));
}

}  // namespace

const OperationEntry filter_operation = {
    .op = VDT_OP_FILTER,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_filter,
    .plan = plan,
    .input_formats = color_formats,
    .output_formats = color_formats,
    .way = way_of_filter,
};

}  // namespace vedette::opencv
