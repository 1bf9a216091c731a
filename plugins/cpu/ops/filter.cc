// filter: correlation with a separable, general, Gaussian or box kernel. How: filter/filtering.h.
#include "filter/bytes.h"
#include "filter/filtering.h"
#include "filter/request.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

const vdt_filter_params& params_of(const void* params) {
    return *static_cast<const vdt_filter_params*>(params);
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

FixedWeights fixed_weights_of(const FilterShape& shape, const FilterWeights& weights, const vdt_filter_params& params) {
    return imaging::fixed_weights(params, weights, shape.in_format, shape.out_format);
}

std::uint64_t scratch_bytes_of(const Device& device, const FilterShape& shape, const FilterWeights& weights,
                               const vdt_filter_params& params) {
    return fixed_weights_of(shape, weights, params) ? ByteFiltering::scratch_bytes(device, shape, weights)
                                                    : Filtering::scratch_bytes(device, shape, weights);
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_filter(query, answer);
    if (query.input_count == 0) return;
    const vdt_filter_params& params = params_of(query.params);
    answer.scratch_bytes = scratch_bytes_of(device, shape_of(*query.inputs[0], *query.outputs[0], params),
                                            imaging::weights_of(params), params);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const vdt_filter_params& params = params_of(query.params);
    const FilterWeights weights = imaging::weights_of(params);
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
    const FilterShape shape = shape_of(in, out, params);
    const double pieces = fixed_weights_of(shape, weights, params)
                              ? pieces_of(in.height, ByteFiltering::grain_of(shape))
                              : Filtering::piece_count(device, shape, weights);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_bytes_of(device, shape, weights, params);
    add_pieces(device, cost, elements * (each + 2), each + 2, pieces,
               elements * (layout_of(in.format)->element_bytes + layout_of(out.format)->element_bytes),
               elements * (taps + 4) / 8);
}

const char* way(const Device&, const vdt_query& query) {
    const vdt_filter_params& params = params_of(query.params);
    const FilterWeights weights = imaging::weights_of(params);
    if (fixed_weights_of(shape_of(*query.inputs[0], *query.outputs[0], params), weights, params))
        return params.kind == VDT_FILTER_BOX ? "rows of bytes, box" : "rows of bytes";
    if (!weights.is_separable()) return "strips, not separable";
    if (params.kind == VDT_FILTER_BOX) return "strips, box";
    return pixels_of(query.inputs[0]->format).depth == Depth::real32 ? "strips of floats" : "strips";
}

class FilterPlan final : public Plan {
public:
    FilterPlan(const Device& device, const vdt_image& in, const vdt_image& out, const vdt_filter_params& params)
        : planned_(params) {
        const FilterShape shape = shape_of(in, out, params);
        FilterWeights weights = imaging::weights_of(params);
        if (FixedWeights fixed = fixed_weights_of(shape, weights, params))
            bytes_ = std::make_unique<ByteFiltering>(device, shape, weights, std::move(fixed));
        else
            filtering_ = std::make_unique<Filtering>(device, shape, std::move(weights));
    }

    vdt_code run(const vdt_call& call) override {
        planned_.check(params_of(call.params));
        if (bytes_ != nullptr)
            bytes_->run(*call.inputs[0], *call.outputs[0], call.token);
        else
            filtering_->run(*call.inputs[0], *call.outputs[0], call.token);
        return VDT_OK;
    }

private:
    imaging::PlannedFilter planned_;
    std::unique_ptr<ByteFiltering> bytes_;  // one of these two
    std::unique_ptr<Filtering> filtering_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FilterPlan>(device, *query.inputs[0], *query.outputs[0], params_of(query.params));
}

constexpr const char* variants[] = {"strips"};

}  // namespace

const OperationEntry filter_operation = {VDT_OP_FILTER, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cpu
