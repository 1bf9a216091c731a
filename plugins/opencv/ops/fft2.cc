// fft2 by cv::dft in double, a square at a time. Real squares are transformed as complex ones.
#include <cmath>
#include <string>

#include "calls.h"
#include "costs.h"
#include "formats.h"
#include "image_view.h"
#include "op.h"
#include "ops/squares.h"

namespace vedette::opencv {

namespace {

constexpr std::uint64_t formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32) | VDT_FORMAT_BIT(VDT_FORMAT_COMPLEXF32);

void check_size(const vdt_image& image, const char* role, std::uint32_t width, std::uint64_t height) {
    if (image.width != width || image.height != height)
        throw Failure(VDT_E_SIZE, std::string("fft2: the ") + role + " must be " + std::to_string(width) + " x " +
                                      std::to_string(height) + " here, it is " + std::to_string(image.width) + " x " +
                                      std::to_string(image.height));
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_fft2_params>(query);
    const bool forward = params.direction == VDT_FFT_FORWARD;
    if (!forward && params.direction != VDT_FFT_INVERSE)
        throw Failure(VDT_E_ARGUMENT, "fft2: there is no direction " + std::to_string(params.direction));
    if (params.flags != 0) throw Failure(VDT_E_ARGUMENT, "fft2: flags must be 0");
    if (params.batch == 0) throw Failure(VDT_E_ARGUMENT, "fft2: the batch must be at least 1");
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const vdt_image &plain = forward ? in : out, &spectrum = forward ? out : in;
    if (spectrum.format != VDT_FORMAT_COMPLEXF32)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "fft2: the side of the frequencies must be COMPLEXF32");
    const std::uint32_t side = plain.width;
    check_side("fft2", side);
    const std::uint64_t height = std::uint64_t{side} * params.batch;
    check_size(plain, forward ? "input" : "output", side, height);
    check_size(spectrum, forward ? "output" : "input", plain.format == VDT_FORMAT_GRAYF32 ? side / 2 + 1 : side,
               height);
    support.input_formats = VDT_FORMAT_BIT(in.format);
    support.output_formats = VDT_FORMAT_BIT(out.format);
    // In double all errors stay far below the rounding to float, of numbers that are at most n^2 times the largest.
    const double largest = largest_value(*layout_of(VDT_FORMAT_GRAYF32)) * std::sqrt(2.0);
    promise_within(support, largest * (forward ? static_cast<double>(side) * side : 1) / (1 << 23));
}

// The whole square of frequencies that a real square's half stands for.
cv::Mat whole_of(const cv::Mat& half) {
    const int side = half.rows;
    cv::Mat whole(side, side, CV_64FC2);
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u) {
            const int down = (side - v) % side, across = (side - u) % side;
            const bool given = u <= side / 2;
            const auto& number = half.at<cv::Vec2d>(given ? v : down, given ? u : across);
            auto& value = whole.at<cv::Vec2d>(v, u);
            value = given ? number : cv::Vec2d(number[0], -number[1]);
            if (u != across) continue;
            // Its own partner's column: the part that a real square can have.
            const auto& partner = half.at<cv::Vec2d>(down, u);
            value = {(number[0] + partner[0]) / 2, (number[1] - partner[1]) / 2};
        }
    return whole;
}

class Fft2Plan final : public Plan {
public:
    explicit Fft2Plan(const Device& device) : device_(device) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_fft2_params>(call);
        const bool inverse = params.direction == VDT_FFT_INVERSE;
        const vdt_image& out = *call.outputs[0];
        const cv::Mat in = read_pixels(*call.inputs[0]);
        const int side = in.rows / static_cast<int>(params.batch);
        for_each_piece(*device_.host, call.token, params.batch, [&](std::uint32_t index) {
            const int top = static_cast<int>(index) * side;
            cv::Mat square, real, pixels;
            in.rowRange(top, top + side).convertTo(square, CV_64F);
            if (square.cols != side) square = whole_of(square);
            const cv::Mat result = transformed(square, inverse);
            if (out.format == VDT_FORMAT_GRAYF32) {
                cv::extractChannel(result, real, 0);
                real.convertTo(pixels, CV_32F);
            } else {
                result.colRange(0, static_cast<int>(out.width)).convertTo(pixels, CV_32F);
            }
            write_pixels(pixels, out, top);
        });
        return VDT_OK;
    }

private:
    Device device_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<Fft2Plan>(device);
}

}  // namespace

const OperationEntry fft2_operation = {
    .op = VDT_OP_FFT2,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_fft2,
    .plan = plan,
    .input_formats = formats,
    .output_formats = formats,
};

}  // namespace vedette::opencv
