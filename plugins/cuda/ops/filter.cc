// filter: correlation with a separable, general, Gaussian or box kernel. How: cuda/kernels/filter.h.
//
// The two variants are those of the caching criterion: with the pixels under a tile in shared memory, and without. A
// kernel whose tiles do not fit there loses its cache, as the criterion says.
#include <kernels/filter.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include "filter/border.h"
#include "filter/request.h"
#include "operands.h"
#include "pixels.h"

#include <algorithm>
#include <cstring>

namespace vedette::cuda_plugin {

namespace {

constexpr std::uint32_t direct_variant = 1;

const vdt_filter_params& params_of(const vdt_query& query) {
    return plugin::params_of<vdt_filter_params>(query);
}

// What a query asks for, with weights and borders on the host's side. The query was accepted by `support`.
struct Filtering {
    explicit Filtering(const vdt_query& query);

    // Bytes of what kernels read from memory: borders and weights.
    std::size_t table_bytes() const noexcept {
        return sizeof(std::int32_t) * (std::size_t{weights.width} + static_cast<std::size_t>(job.width) +
                                       weights.height + static_cast<std::size_t>(job.height) + weights.matrix.size() +
                                       weights.across.size() + weights.down.size());
    }
    bool is_direct(const Device& device, std::uint32_t variant) const noexcept {
        return variant == direct_variant || cuda::filter_tile(job, device.cuda.limits.shared_bytes).rows == 0;
    }
    // 0: not by strips.
    std::int32_t strip_rows(const Device& device, std::uint32_t variant) const {
        if (variant == direct_variant) return 0;
        const cuda::Current current(device.cuda.limits.ordinal);
        return cuda::filter_strip_rows(device.cuda.limits, job);
    }

    imaging::FilterWeights weights;
    imaging::FixedWeights fixed;
    cuda::FilterJob job;  // without what lies in device memory
};

template <class T>
cuda::FilterLine line_of(const imaging::LineWeights& line, const std::vector<T>& weights) {
    cuda::FilterLine result;
    result.taps = static_cast<std::int32_t>(line.taps);
    result.symmetric = line.symmetric;
    for (std::size_t i = 0; i < weights.size() && line.taps <= cuda::most_known_taps; ++i)
        if constexpr (std::is_same_v<T, float>)
            result.known.real[i] = weights[i];
        else
            result.known.fixed[i] = weights[i];
    return result;
}

Filtering::Filtering(const vdt_query& query)
    : weights(imaging::weights_of(params_of(query))),
      fixed(imaging::fixed_weights(params_of(query), weights, query.inputs[0]->format, query.outputs[0]->format)) {
    const vdt_filter_params& params = params_of(query);
    const vdt_image& in = *query.inputs[0];
    const cuda::PixelLayout from = layout_of_pixels(in.format), to = layout_of_pixels(query.outputs[0]->format);
    job.kind = fixed ? cuda::FilterKind::fixed_lines
                     : (weights.is_separable() ? cuda::FilterKind::lines : cuda::FilterKind::matrix);
    job.in_depth = from.depth;
    job.out_depth = to.depth;
    job.width = static_cast<std::int32_t>(in.width);
    job.height = static_cast<std::int32_t>(in.height);
    const bool together = !from.planar && !to.planar;
    job.elements = together ? from.channels : 1;
    job.groups = together ? 1 : from.channels;
    job.apart = job.groups != 1 && from.planar != to.planar;
    job.kernel_width = static_cast<std::int32_t>(weights.width);
    job.kernel_height = static_cast<std::int32_t>(weights.height);
    job.anchor_x = static_cast<std::int32_t>(weights.anchor_x);
    job.anchor_y = static_cast<std::int32_t>(weights.anchor_y);
    job.border_value = params.border == VDT_BORDER_CONSTANT ? params.border_value : 0;
    job.delta = static_cast<float>(params.delta);
    if (job.kind == cuda::FilterKind::lines) {
        job.across = line_of(weights.across_line(), weights.across);
        job.down = line_of(weights.down_line(), weights.down);
    } else if (fixed) {
        job.across = line_of(weights.across_line(), fixed.across);
        job.down = line_of(weights.down_line(), fixed.down);
    }
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_filter(query, answer);
    if (query.input_count == 0) return;
    const Filtering filtering(query);
    answer.scratch_bytes = filtering.table_bytes() + cuda::filter_direct_scratch(filtering.job);
}

// Operations of a line for each result; a symmetric one adds pixels of equal weight first.
double operations_of(const cuda::FilterLine& line, bool fused) {
    const double products = line.symmetric ? (line.taps + 1) / 2 : line.taps;
    return (line.symmetric ? line.taps / 2 : 0) + products * (fused ? 1 : 2);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const Filtering filtering(query);
    const cuda::FilterJob& job = filtering.job;
    const double results = static_cast<double>(job.width) * job.height * job.elements * job.groups;
    const double in_bytes = results * plugin::layout_of(query.inputs[0]->format)->element_bytes;
    const double out_bytes = results * plugin::layout_of(query.outputs[0]->format)->element_bytes;
    const bool fused = job.out_depth == cuda::Depth::real32 || job.kind == cuda::FilterKind::fixed_lines;
    const bool matrix = job.kind == cuda::FilterKind::matrix;
    const double area = static_cast<double>(job.kernel_width) * job.kernel_height;
    const double across = matrix ? area * (fused ? 1 : 2) : operations_of(job.across, fused);
    const double down = matrix ? 0 : operations_of(job.down, fused);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = filtering.table_bytes();
    if (const std::int32_t rows = filtering.strip_rows(device, query.variant); rows != 0) {
        // Of a strip's pixels and rows, how many more are needed for its results.
        const double lanes = 32, pixels = 4, width = cuda::filter_strip_width(job);
        const double wider = lanes * pixels / width, higher = (rows + job.kernel_height - 1.0) / rows;
        const double operations = wider * ((across + 6) * higher + down + 6);
        vdt_cost_stage stage = plugin::even_stage(results * operations, pixels * rows * operations,
                                                  results / (pixels * rows), in_bytes + out_bytes, transaction_bytes);
        stage.global_refs = (in_bytes * wider * higher + out_bytes) / transaction_bytes;
        // Shuffles go the way of shared memory: all that a lane's four sums stand on, but for its own.
        stage.shared_refs = results * wider * higher * (job.kernel_width - 1) / pixels;
        plugin::add_launch(cost, stage);
        return;
    }
    if (!filtering.is_direct(device, query.variant)) {
        const cuda::FilterTile tile = cuda::filter_tile(job, device.cuda.limits.shared_bytes);
        // Of a tile's pixels and rows, how many more are needed for its results.
        const double wider = (tile.pixels + job.kernel_width - 1.0) / tile.pixels;
        const double higher = (tile.rows + job.kernel_height - 1.0) / tile.rows;
        const double first = matrix ? 1 : (job.kind == cuda::FilterKind::fixed_lines ? wider : higher);
        const double operations = across * (job.kind == cuda::FilterKind::fixed_lines ? 1 : first) +
                                  down * (job.kind == cuda::FilterKind::fixed_lines ? first : 1) + 6 * wider * higher +
                                  12;
        vdt_cost_stage stage = plugin::even_stage(results * operations, 8 * operations, results / 8,
                                                  in_bytes + out_bytes, transaction_bytes);
        stage.global_refs = (in_bytes * wider * higher + out_bytes) / transaction_bytes;
        // Eight neighbours share what they stand on.
        const auto reads = [](double taps) { return (taps + 7) / 8; };
        stage.shared_refs = results * (wider * higher + 1 +
                                       (matrix ? reads(job.kernel_width) * job.kernel_height
                                               : first * (reads(job.kernel_width) + 1) + reads(job.kernel_height)));
        cost.shared_bytes = tile.shared_bytes;
        plugin::add_launch(cost, stage);
        return;
    }
    const auto add = [&](double taps, double operations, double from_bytes, double to_bytes) {
        vdt_cost_stage stage = plugin::even_stage(results * (operations + 2 * taps + 20), operations + 2 * taps + 20,
                                                  results, from_bytes + to_bytes, transaction_bytes);
        stage.global_refs = (from_bytes * taps + to_bytes) / transaction_bytes;
        stage.constant_refs = results * taps;
        plugin::add_launch(cost, stage);
    };
    if (matrix) return add(area, across, in_bytes, out_bytes);
    const double between = results * (job.kind == cuda::FilterKind::fixed_lines ? 2 : 4);
    cost.scratch_bytes += cuda::filter_direct_scratch(job);
    add(job.kernel_width, across, in_bytes, between);
    add(job.kernel_height, down, between, out_bytes);
}

class FilterPlan final : public Plan {
public:
    FilterPlan(const Device& device, const vdt_query& query) : operands_(device), planned_(params_of(query)) {
        Filtering filtering(query);
        job_ = filtering.job;
        strip_rows_ = filtering.strip_rows(device, query.variant);
        direct_ = filtering.is_direct(device, query.variant);
        if (strip_rows_ != 0) {
            // Nothing but the tables.
        } else if (direct_) {
            scratch_ = cuda::Block<std::byte>(device.cuda.memory, cuda::filter_direct_scratch(job_));
        } else {
            tile_ = cuda::filter_tile(job_, device.cuda.limits.shared_bytes);
            cuda::allow_filter_tiles(job_, tile_);
        }
        upload(device, filtering, params_of(query).border);
    }

    vdt_code run(const vdt_call& call) override {
        planned_.check(plugin::params_of<vdt_filter_params>(call));
        Operands::Call running(operands_, call);
        const cuda::FilterGroups groups = groups_of(operands_.input(0), operands_.output(0));
        if (strip_rows_ != 0)
            cuda::filter_by_strips(job_, strip_rows_, groups, operands_.stream());
        else if (direct_)
            cuda::filter_directly(job_, groups, scratch_.data(), operands_.stream());
        else
            cuda::filter_by_tiles(job_, tile_, groups, operands_.stream());
        running.finish();
        return VDT_OK;
    }

private:
    // Puts borders and weights into device memory and completes the job.
    void upload(const Device& device, const Filtering& filtering, std::uint32_t border) {
        const imaging::FilterWeights& weights = filtering.weights;
        std::vector<std::byte> table;
        const auto append = [&](const auto& values) {
            const std::size_t at = table.size();
            table.resize(at + values.size() * sizeof values[0]);
            if (!values.empty()) std::memcpy(table.data() + at, values.data(), values.size() * sizeof values[0]);
            return at;
        };
        const std::size_t columns = append(imaging::positions_with_border(
            static_cast<std::uint32_t>(job_.width), weights.anchor_x, weights.width - 1 - weights.anchor_x, border));
        const std::size_t rows = append(imaging::positions_with_border(
            static_cast<std::uint32_t>(job_.height), weights.anchor_y, weights.height - 1 - weights.anchor_y, border));
        const auto words = [](const std::vector<std::int16_t>& fixed) {
            return std::vector<std::int32_t>(fixed.begin(), fixed.end());
        };
        const std::size_t matrix = append(weights.matrix);
        const std::size_t across = filtering.fixed ? append(words(filtering.fixed.across)) : append(weights.across);
        const std::size_t down = filtering.fixed ? append(words(filtering.fixed.down)) : append(weights.down);
        table_ = cuda::Block<std::byte>(device.cuda.memory, table.size());
        const cuda::Stream stream = cuda::make_stream();
        cuda::check(cudaMemcpyAsync(table_.data(), table.data(), table.size(), cudaMemcpyHostToDevice, stream.get()),
                    "copying weights");
        cuda::synchronize(stream.get());
        const auto* const given = table_.data();
        job_.columns = reinterpret_cast<const std::int32_t*>(given + columns);
        job_.rows = reinterpret_cast<const std::int32_t*>(given + rows);
        job_.matrix = reinterpret_cast<const float*>(given + matrix);
        job_.across.weight = given + across;
        job_.down.weight = given + down;
    }

    cuda::FilterGroups groups_of(const DeviceImage& in, const DeviceImage& out) const {
        const cuda::PixelPlanes from = pixel_planes(in), to = pixel_planes(out);
        cuda::FilterGroups groups;
        for (std::int32_t index = 0; index < job_.groups; ++index) {
            cuda::FilterGroup& group = groups.group[index];
            const cuda::View<std::byte>& source = from.plane[from.layout.planar ? index : 0];
            group.in = {source.data, source.stride, source.width, source.height};
            group.out = to.plane[to.layout.planar ? index : 0];
            if (job_.groups == 1) continue;
            if (!from.layout.planar) group.in_first = index, group.in_step = from.layout.channels;
            if (!to.layout.planar) group.out_first = index, group.out_step = to.layout.channels;
        }
        return groups;
    }

    Operands operands_;
    imaging::PlannedFilter planned_;
    cuda::FilterJob job_;
    std::int32_t strip_rows_ = 0;  // 0: not by strips
    bool direct_ = false;
    cuda::FilterTile tile_;
    cuda::Block<std::byte> table_;
    cuda::Block<std::byte> scratch_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FilterPlan>(device, query);
}

constexpr const char* variants[] = {"tile-cached", "direct"};

const char* way(const Device& device, const vdt_query& query) {
    constexpr const char* of_bytes[] = {"tile-cached, bytes", "direct, bytes"};
    constexpr const char* of_matrix[] = {"tile-cached, not separable", "direct, not separable"};
    const Filtering filtering(query);
    if (filtering.strip_rows(device, query.variant) != 0) return "in strips";
    const cuda::FilterKind kind = filtering.job.kind;
    return (kind == cuda::FilterKind::matrix        ? of_matrix
            : kind == cuda::FilterKind::fixed_lines ? of_bytes
                                                    : variants)[query.variant];
}

}  // namespace

const Operation filter_operation = {VDT_OP_FILTER, variants, 2, support, cost, plan, 0, 0, way};

}  // namespace vedette::cuda_plugin
