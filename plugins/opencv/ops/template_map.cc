// template_map: the six scores of cv::matchTemplate from exact sums. cv::matchTemplate itself works in float: on flat
// and nearly flat windows, which make up most of a desktop, its normed scores are noise of any size between -1 and 1.
#include <algorithm>
#include <cmath>
#include <string>

#include "calls.h"
#include "costs.h"
#include "formats.h"
#include "image_view.h"
#include "op.h"
#include "window_sums.h"

namespace vedette::opencv {

namespace {

constexpr std::uint64_t scene_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8) | VDT_FORMAT_BIT(VDT_FORMAT_BGR8);

bool is_normed(std::uint32_t method) {
    return method == VDT_MATCH_SQDIFF_NORMED || method == VDT_MATCH_CCORR_NORMED || method == VDT_MATCH_CCOEFF_NORMED;
}

void support(const Device&, const vdt_query& query, vdt_op_support& support) {
    const vdt_image &scene = *query.inputs[0], &pattern = *query.inputs[1], &mask = *query.inputs[2];
    const vdt_image& out = *query.outputs[0];
    const auto& params = params_of<vdt_template_map_params>(query);
    if (params.method > VDT_MATCH_CCOEFF_NORMED)
        throw Failure(VDT_E_ARGUMENT, "template_map: there is no method " + std::to_string(params.method));
    if (pattern.format != scene.format)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "template_map: the pattern must have the scene's format");
    if (mask.format != VDT_FORMAT_NONE) {
        check_format(mask, VDT_FORMAT_BIT(VDT_FORMAT_GRAY8), "the mask");
        if (mask.width != pattern.width || mask.height != pattern.height)
            throw Failure(VDT_E_SIZE, "template_map: the mask must have the pattern's size");
    }
    if (pattern.width > scene.width || pattern.height > scene.height)
        throw Failure(VDT_E_SIZE, "template_map: the pattern is larger than the scene");
    if (out.width != scene.width - pattern.width + 1 || out.height != scene.height - pattern.height + 1)
        throw Failure(VDT_E_SIZE, "template_map: the output must have scene - pattern + 1 pixels each way");
    if (!WindowSums::can_hold(size_of(pattern), size_of(scene)))
        throw Failure(VDT_E_UNSUPPORTED_SIZE, "template_map: the pattern is too large for this backend");
    // The rounding to float of values whose sums are exact. A masked SQDIFF_NORMED has no cap: it is the larger of the
    // two norms over the smaller one.
    const double channels = layout_of(scene.format)->channels;
    const double largest = 65025.0 * channels * pattern.width * pattern.height;
    const double value = !is_normed(params.method)                  ? largest
                         : params.method != VDT_MATCH_SQDIFF_NORMED ? 1
                         : mask.format == VDT_FORMAT_NONE           ? 1
                                                                    : 2 * std::sqrt(largest);
    promise_within(support, value * 1.001 / (1 << 24));
}

double squared_difference(const Moments& moments, const WindowSums& pattern) {
    return static_cast<double>(moments.squares - 2 * moments.product + pattern.squares());
}

double ratio(double value, double squared_divisor, double low, double high, double without) {
    if (squared_divisor == 0) return without;
    return std::clamp(value / std::sqrt(squared_divisor), low, high);
}

double value_of(const Moments& moments, const WindowSums& pattern, std::uint32_t method, bool masked) {
    const double energies = static_cast<double>(moments.squares) * static_cast<double>(pattern.squares());
    const double difference = squared_difference(moments, pattern);
    switch (method) {
        case VDT_MATCH_SQDIFF:
            return difference;
        case VDT_MATCH_SQDIFF_NORMED:  // OpenCV caps it without a mask only
            return ratio(difference, energies, 0, masked ? HUGE_VAL : 1, difference == 0 ? 0 : 1);
        case VDT_MATCH_CCORR:
            return static_cast<double>(moments.product);
        case VDT_MATCH_CCORR_NORMED:
            return ratio(static_cast<double>(moments.product), energies, 0, 1, 0);
        case VDT_MATCH_CCOEFF:
            return pattern.count() == 0
                       ? 0
                       : static_cast<double>(moments.covariance) / static_cast<double>(pattern.count());
        default:
            return ratio(static_cast<double>(moments.covariance),
                         static_cast<double>(moments.variance) * static_cast<double>(pattern.variance()), -1, 1, 0);
    }
}

class TemplateMapPlan final : public Plan {
public:
    TemplateMapPlan(const Device& device, std::uint32_t method) : device_(device), method_(method) {}

    vdt_code run(const vdt_call& call) override {
        const bool masked = call.inputs[2]->format != VDT_FORMAT_NONE;
        const cv::Mat scene = read_pixels(*call.inputs[0]);
        const WindowSums pattern(read_pixels(*call.inputs[1]), masked ? read_pixels(*call.inputs[2]) : cv::Mat(),
                                 scene.size());
        cv::Mat map(size_of(*call.outputs[0]), CV_32F);
        for_each_piece(*device_.host, call.token, static_cast<std::uint32_t>(pattern.tiles().size()),
                       [&](std::uint32_t i) {
                           const cv::Rect& tile = pattern.tiles()[i];
                           const WindowSums::Tile sums = pattern.sums(scene, tile);
                           for (int y = 0; y < tile.height; ++y)
                               for (int x = 0; x < tile.width; ++x)
                                   map.at<float>(tile.y + y, tile.x + x) =
                                       static_cast<float>(value_of(sums.at(y, x), pattern, method_, masked));
                       });
        write_pixels(map, *call.outputs[0]);
        return VDT_OK;
    }

private:
    Device device_;
    std::uint32_t method_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<TemplateMapPlan>(device, params_of<vdt_template_map_params>(query).method);
}

}  // namespace

const OperationEntry template_map_operation = {
    .op = VDT_OP_TEMPLATE_MAP,
    .variants = variants,
    .variant_count = 1,
    .support = support,
    .cost = cost_of_template_map,
    .plan = plan,
    .input_formats = scene_formats,
    .output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32),
};

}  // namespace vedette::opencv
