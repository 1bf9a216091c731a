// integral: by cv::integral in double, where whole numbers are exact up to 2^53.
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "costs.h"
#include "formats.h"
#include "image_view.h"
#include "op.h"

namespace vedette::opencv {

namespace {

constexpr std::uint32_t all_flags = VDT_INTEGRAL_SUM | VDT_INTEGRAL_SQUARED | VDT_INTEGRAL_TILTED;

// The flags that are set, in the order of the outputs.
std::vector<std::uint32_t> flags_of(const vdt_integral_params& params) {
    std::vector<std::uint32_t> flags;
    for (std::uint32_t flag = 1; flag <= VDT_INTEGRAL_TILTED; flag <<= 1)
        if ((params.flags & flag) != 0) flags.push_back(flag);
    return flags;
}

std::uint64_t output_formats(std::uint32_t flag, bool floats) {
    const std::uint64_t whole =
        flag == VDT_INTEGRAL_SQUARED ? VDT_FORMAT_BIT(VDT_FORMAT_I64) : VDT_FORMAT_BIT(VDT_FORMAT_I32);
    return VDT_FORMAT_BIT(VDT_FORMAT_F64) | (floats ? 0 : whole);
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const vdt_image& in = *query.inputs[0];
    const auto& params = params_of<vdt_integral_params>(query);
    if (params.flags == 0 || (params.flags & ~all_flags) != 0)
        throw Failure(VDT_E_ARGUMENT, "integral: flags must name at least one of sum, squared and tilted");
    const std::vector<std::uint32_t> flags = flags_of(params);
    if (query.output_count != flags.size())
        throw Failure(VDT_E_ARGUMENT, "integral needs one output for each flag that is set");
    const bool floats = in.format == VDT_FORMAT_GRAYF32;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const vdt_image& out = *query.outputs[i];
        check_format(out, output_formats(flags[i], floats), "an output of this input's integral");
        if (out.width != in.width + 1 || out.height != in.height + 1)
            throw Failure(VDT_E_SIZE, "integral: outputs are one pixel wider and higher than the input");
    }
    support.output_formats = output_formats(flags[0], floats);
    if (!floats) return promise_exact(support);
    // Each value is a chain of width + height sums in double. Float pixels up to 255 are assumed.
    const double pixels = static_cast<double>(in.width) * in.height;
    const double largest = (params.flags & VDT_INTEGRAL_SQUARED) != 0 ? 255.0 * 255.0 : 255.0;
    promise_within(support, pixels * largest * (in.width + in.height + 4.0) * std::ldexp(1, -53));
}

// The value modulo 2^32, as a signed number; sums are below 2^53, hence exact.
cv::Mat wrapped(const cv::Mat& sums) {
    cv::Mat out(sums.size(), CV_32S);
    for (int y = 0; y < sums.rows; ++y)
        for (int x = 0; x < sums.cols; ++x)
            out.at<std::int32_t>(y, x) = static_cast<std::int32_t>(
                static_cast<std::uint32_t>(static_cast<std::uint64_t>(sums.at<double>(y, x))));
    return out;
}

void write_as_int64(const cv::Mat& sums, const vdt_image& out) {
    for (int y = 0; y < sums.rows; ++y) {
        auto* row = plugin::row_of<std::int64_t>(out.plane[0], static_cast<std::uint32_t>(y));
        for (int x = 0; x < sums.cols; ++x) row[x] = static_cast<std::int64_t>(sums.at<double>(y, x));
    }
}

class IntegralPlan final : public Plan {
public:
    explicit IntegralPlan(const vdt_integral_params& params)
        : flags_(flags_of(params)), tilted_((params.flags & VDT_INTEGRAL_TILTED) != 0) {}

    vdt_code run(const vdt_call& call) override {
        const cv::Mat in = read_pixels(*call.inputs[0]);
        cv::Mat sum, squared, tilted;
        if (tilted_)
            cv::integral(in, sum, squared, tilted, CV_64F, CV_64F);
        else
            cv::integral(in, sum, squared, CV_64F, CV_64F);
        for (std::size_t i = 0; i < flags_.size(); ++i) {
            const cv::Mat& sums = flags_[i] == VDT_INTEGRAL_SUM       ? sum
                                  : flags_[i] == VDT_INTEGRAL_SQUARED ? squared
                                                                      : tilted;
            const vdt_image& out = *call.outputs[i];
            if (out.format == VDT_FORMAT_I64)
                write_as_int64(sums, out);
            else
                write_pixels(out.format == VDT_FORMAT_I32 ? wrapped(sums) : sums, out);
        }
        return VDT_OK;
    }

private:
    std::vector<std::uint32_t> flags_;
    bool tilted_;
};

std::unique_ptr<Plan> plan(const Device&, const vdt_query& query) {
    return std::make_unique<IntegralPlan>(params_of<vdt_integral_params>(query));
}

}  // namespace

const OperationEntry integral_operation = {
    .op = VDT_OP_INTEGRAL,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_integral,
    .plan = plan,
    .input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_I32) | VDT_FORMAT_BIT(VDT_FORMAT_I64) | VDT_FORMAT_BIT(VDT_FORMAT_F64),
    .way = way_of_integral,
};

}  // namespace vedette::opencv
