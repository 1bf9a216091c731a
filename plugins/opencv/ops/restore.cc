// restore by cv::dft in double, as ops.h writes it down.
#include <cmath>
#include <limits>
#include <string>

#include "calls.h"
#include "costs.h"
#include "image_view.h"
#include "op.h"
#include "ops/squares.h"

namespace vedette::opencv {

namespace {

constexpr int iterations_between_checks = 4;

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const auto& params = params_of<vdt_restore_params>(query);
    if (params.method < VDT_RESTORE_MIA_BLIND || params.method > VDT_RESTORE_RICHARDSON_LUCY)
        throw Failure(VDT_E_ARGUMENT, "restore: there is no method " + std::to_string(params.method));
    if (params.batch == 0) throw Failure(VDT_E_ARGUMENT, "restore: the batch must be at least 1");
    if (!(params.epsilon > 0) || !std::isfinite(params.epsilon))
        throw Failure(VDT_E_ARGUMENT, "restore: epsilon must be a positive, finite number");
    check_count(query.output_count, params.method == VDT_RESTORE_MIA_BLIND ? 2 : 1,
                params.method == VDT_RESTORE_MIA_BLIND ? 2 : 1, "outputs");
    const vdt_image& first = *query.inputs[0];
    const std::uint64_t gray = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    const auto check = [&](const vdt_image& image) {
        check_format(image, gray, "an image of restore");
        if (image.width != first.width || image.height != first.height)
            throw Failure(VDT_E_SIZE, "restore: all images have the size of the blurred one");
    };
    for (std::uint32_t i = 0; i < query.input_count; ++i) check(*query.inputs[i]);
    for (std::uint32_t i = 0; i < query.output_count; ++i) check(*query.outputs[i]);
    check_side("restore", first.width);
    if (first.height != std::uint64_t{first.width} * params.batch)
        throw Failure(VDT_E_SIZE, "restore: " + std::to_string(params.batch) + " squares of side " +
                                      std::to_string(first.width) + " are not " + std::to_string(first.height) +
                                      " rows high");
    // Within rounding to float of what doubles give, for pixels up to 255; iterations magnify the doubles' own
    // rounding.
    promise_within(support, 0.01);
}

void check_pixels(const cv::Mat& spread, const cv::Mat& blurred) {
    constexpr double most = std::numeric_limits<float>::max();
    if (!cv::checkRange(blurred, true, nullptr, -most * 1.01, most * 1.01))
        throw Failure(VDT_E_ARGUMENT, "restore: the blurred image holds a value that is not finite");
    if (!cv::checkRange(spread, true, nullptr, 0, most * 1.01))
        throw Failure(VDT_E_ARGUMENT,
                      "restore: the point-spread function holds a value that is negative or not finite");
    if (cv::countNonZero(spread) == 0)
        throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function is zero everywhere");
}

cv::Mat product(const cv::Mat& a, const cv::Mat& b, bool conjugate_b) {
    cv::Mat out;
    cv::mulSpectrums(a, b, out, 0, conjugate_b);
    return out;
}

cv::Mat real_inverse(const cv::Mat& spectrum) {
    cv::Mat out;
    cv::extractChannel(transformed(spectrum, true), out, 0);
    return out;
}

// Estimates are never negative and stay finite; what is not a number is 0.
cv::Mat limited(const cv::Mat& values) {
    cv::Mat out = cv::Mat::zeros(values.size(), CV_64F);
    values.copyTo(out, values == values);
    return cv::min(cv::max(out, 0), 1e30);
}

class Restoration {
public:
    Restoration(const vdt_restore_params& params, const cv::Mat& blurred, const cv::Mat& spread)
        : params_(params), blurred_(cv::max(blurred, 0)), given_(transformed(blurred_, false)) {
        image_ = blurred_.clone();
        spread_ = spread.clone();
    }
    const cv::Mat& image() const { return image_; }
    const cv::Mat& spread() const { return spread_; }

    void iterate() {
        const cv::Mat f = transformed(image_, false), h = transformed(spread_, false);
        if (params_.method == VDT_RESTORE_RICHARDSON_LUCY) {
            const cv::Mat ratio = transformed(quotient(blurred_, real_inverse(product(f, h, false))), false);
            image_ = limited(image_.mul(cv::max(real_inverse(product(ratio, h, true)), 0)));
            return;
        }
        image_ = limited(image_.mul(correction(h, f)));
        if (params_.method == VDT_RESTORE_MIA_BLIND) spread_ = limited(spread_.mul(correction(f, h)));
    }

private:
    cv::Mat quotient(const cv::Mat& above, const cv::Mat& below) const {
        return above / cv::max(below, params_.epsilon);
    }
    // IFFT(conj(A) G) / IFFT(|A|^2 B).
    cv::Mat correction(const cv::Mat& a, const cv::Mat& b) const {
        const cv::Mat above = real_inverse(product(given_, a, true));
        return quotient(cv::max(above, 0), real_inverse(product(product(b, a, false), a, true)));
    }

    const vdt_restore_params& params_;
    const cv::Mat blurred_;
    const cv::Mat given_;  // its transform
    cv::Mat image_, spread_;
};

class RestorePlan final : public Plan {
public:
    explicit RestorePlan(const Device& device) : device_(device) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = params_of<vdt_restore_params>(call);
        cv::Mat blurred, spread;
        read_pixels(*call.inputs[0]).convertTo(blurred, CV_64F);
        read_pixels(*call.inputs[1]).convertTo(spread, CV_64F);
        for_each_piece(*device_.host, call.token, params.batch, [&](std::uint32_t index) {
            const cv::Mat square = square_of(blurred, index), lens = square_of(spread, index);
            check_pixels(lens, square);
            Restoration restoration(params, square, lens);
            for (std::uint32_t i = 0; i < params.iterations; ++i) {
                if (i % iterations_between_checks == 0) plugin::throw_if_cancelled(*device_.host, call.token);
                restoration.iterate();
            }
            write(restoration.image(), *call.outputs[0], index);
            if (call.output_count > 1) write(restoration.spread(), *call.outputs[1], index);
        });
        return VDT_OK;
    }

private:
    static void write(const cv::Mat& square, const vdt_image& out, std::uint32_t index) {
        cv::Mat pixels;
        square.convertTo(pixels, CV_32F);
        write_pixels(pixels, out, static_cast<int>(index) * square.rows);
    }

    Device device_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query&) {
    return std::make_unique<RestorePlan>(device);
}

}  // namespace

const OperationEntry restore_operation = {
    .op = VDT_OP_RESTORE,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_restore,
    .plan = plan,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
};

}  // namespace vedette::opencv
