// filter: correlation with a separable, general, Gaussian or box kernel. How: filter/filtering.h.
#include <cmath>
#include <cstring>
#include <string>

#include "filter/bytes.h"
#include "filter/filtering.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

const vdt_filter_params& params_of(const void* params) {
    return *static_cast<const vdt_filter_params*>(params);
}

// An input's own format, and float of the same channels in the same order.
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

void check_format(const vdt_image& image, std::uint64_t formats, const char* role) {
    if (image.format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(image.format)) != 0) return;
    const FormatLayout* const layout = layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("filter: the ") + role + " cannot have the format " +
                                                (layout == nullptr ? "NONE" : layout->name));
}

FilterShape shape_of(const vdt_image& in, const vdt_image& out, const vdt_filter_params& params) {
    return {in.format,
            out.format,
            in.width,
            in.height,
            params.border,
            params.border_value,
            static_cast<float>(params.delta)};
}

// A Gaussian on bytes runs in fixed point. Other kernels keep to single precision: their weights may not be small.
bool takes_bytes(const FilterShape& shape, const FilterWeights& weights, const vdt_filter_params& params) {
    return params.kind == VDT_FILTER_GAUSSIAN && ByteFiltering::takes(shape, weights);
}

std::uint64_t scratch_bytes_of(const Device& device, const FilterShape& shape, const FilterWeights& weights,
                               const vdt_filter_params& params) {
    return takes_bytes(shape, weights, params) ? ByteFiltering::scratch_bytes(device, shape, weights)
                                               : Filtering::scratch_bytes(device, shape, weights);
}

// Every product and sum is rounded to 2^-24 of at most gain times the largest pixel: a chain along a row of the kernel
// and one down its rows, the weights, and delta.
double error_of(const FilterWeights& weights, vdt_format in, const vdt_filter_params& params) {
    const double largest = std::max(largest_value(pixels_of(in).depth),
                                    params.border == VDT_BORDER_CONSTANT ? std::abs(double{params.border_value}) : 0);
    return ((weights.width + weights.height + 8.0) * largest * weights.gain + 2 * std::abs(params.delta)) * 0x1p-24;
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = color_formats;
    answer.output_formats = color_formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 1;
    if (query.input_count == 0) return;
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "filter takes one input and one output");
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    check_format(in, color_formats, "input");
    answer.output_formats = outputs_of(in.format);
    check_format(out, answer.output_formats, "output of this input");
    if (in.width != out.width || in.height != out.height)
        throw Failure(VDT_E_SIZE, "filter: input and output differ in size");
    const vdt_filter_params& params = params_of(query.params);
    check_filter_params(params);
    const FilterWeights weights = weights_of(params);
    const FilterShape shape = shape_of(in, out, params);
    const bool bytes = takes_bytes(shape, weights, params);
    const double error = bytes ? ByteFiltering::error(weights) : error_of(weights, in.format, params);
    // Integers: both sides are rounded.
    answer.tolerance = pixels_of(out.format).depth == Depth::real32 ? error : std::floor(error + 1);
    answer.scratch_bytes = scratch_bytes_of(device, shape, weights, params);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const vdt_filter_params& params = params_of(query.params);
    const FilterWeights weights = weights_of(params);
    const auto elements_of = [](const vdt_image& image) {
        const FormatLayout& layout = *layout_of(image.format);
        return static_cast<double>(image.width) * image.height * layout.pixel_elements * layout.planes;
    };
    const double elements = elements_of(in);
    // Additions and products of a line of weights; where it is symmetric, pairs share a product.
    const auto operations = [](const LineWeights& line) {
        return line.symmetric ? line.taps + (line.taps + 1) / 2.0 : 2.0 * line.taps;
    };
    const double taps =
        weights.is_separable() ? weights.width + weights.height : static_cast<double>(weights.matrix.size());
    const double each =
        weights.is_separable() ? operations(weights.across_line()) + operations(weights.down_line()) : 2.0 * taps;
    vdt_cost_stage stage{};
    stage.work = elements * (each + 2);
    stage.span = each + 2;
    stage.width = elements;
    stage.divergence = 1;
    stage.global_bytes =
        elements * layout_of(in.format)->element_bytes + elements * layout_of(out.format)->element_bytes;
    stage.global_refs = stage.global_bytes / 64;
    stage.shared_refs = elements * (taps + 4) / 8;
    cost.flags = VDT_COST_EXACT;
    cost.launches = 1;
    cost.scratch_bytes = scratch_bytes_of(device, shape_of(in, out, params), weights, params);
    add_stage(cost, stage);
}

class FilterPlan final : public Plan {
public:
    FilterPlan(const Device& device, const vdt_image& in, const vdt_image& out, const vdt_filter_params& params)
        : params_(params) {
        const FilterShape shape = shape_of(in, out, params);
        FilterWeights weights = weights_of(params);
        if (takes_bytes(shape, weights, params))
            bytes_ = std::make_unique<ByteFiltering>(device, shape, weights);
        else
            filtering_ = std::make_unique<Filtering>(device, shape, std::move(weights));
        if (params.kind == VDT_FILTER_GENERAL)
            kernel_x_.assign(params.kernel_x, params.kernel_x + std::uint64_t{params.kernel_w} * params.kernel_h);
        if (params.kind == VDT_FILTER_SEPARABLE) {
            kernel_x_.assign(params.kernel_x, params.kernel_x + params.kernel_w);
            kernel_y_.assign(params.kernel_y, params.kernel_y + params.kernel_h);
        }
    }

    vdt_code run(const vdt_call& call) override {
        const vdt_filter_params& params = params_of(call.params);
        if (!is_planned(params))
            throw Failure(VDT_E_ARGUMENT, "filter: the parameters differ from those the plan was made for");
        if (bytes_ != nullptr)
            bytes_->run(*call.inputs[0], *call.outputs[0], call.token);
        else
            filtering_->run(*call.inputs[0], *call.outputs[0], call.token);
        return VDT_OK;
    }

private:
    static bool same(const std::vector<float>& planned, const float* weights) {
        return planned.empty() ||
               (weights != nullptr && std::memcmp(planned.data(), weights, planned.size() * sizeof(float)) == 0);
    }

    bool is_planned(const vdt_filter_params& p) const {
        const bool gaussian = p.kind == VDT_FILTER_GAUSSIAN;
        return p.kind == params_.kind && p.border == params_.border && p.kernel_w == params_.kernel_w &&
               p.kernel_h == params_.kernel_h && p.anchor_x == params_.anchor_x && p.anchor_y == params_.anchor_y &&
               (p.border != VDT_BORDER_CONSTANT || p.border_value == params_.border_value) &&
               (!gaussian || (p.sigma_x == params_.sigma_x && p.sigma_y == params_.sigma_y)) &&
               p.delta == params_.delta && same(kernel_x_, p.kernel_x) && same(kernel_y_, p.kernel_y);
    }

    vdt_filter_params params_;  // its kernel pointers are not followed
    std::vector<float> kernel_x_, kernel_y_;
    std::unique_ptr<ByteFiltering> bytes_;  // one of these two
    std::unique_ptr<Filtering> filtering_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FilterPlan>(device, *query.inputs[0], *query.outputs[0], params_of(query.params));
}

constexpr const char* variants[] = {"strips"};

}  // namespace

const OperationEntry filter_operation = {VDT_OP_FILTER, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
