// integral: sums of everything above and left, of squares, and tilted by 45 degrees. Sums and squares in one kernel
// however many are asked for; tilted sums in four more. How: cuda/kernels/integral_tiles.cuh, integral_tilted.cu.
#include <kernels/integral.h>

#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/integral_checks.hpp>

#include "operands.h"

namespace vedette::cuda_plugin {

namespace {

bool is_bytes(const vdt_image& in) {
    return in.format == VDT_FORMAT_GRAY8;
}

// Of a query that `support` accepted.
cuda::IntegralShape shape_of(const vdt_query& query) {
    const vdt_image& in = *query.inputs[0];
    const std::uint32_t flags = plugin::params_of<vdt_integral_params>(query).flags;
    cuda::IntegralShape shape;
    shape.width = static_cast<std::int32_t>(in.width);
    shape.height = static_cast<std::int32_t>(in.height);
    shape.bytes = is_bytes(in);
    std::uint32_t index = 0;
    const auto type_of = [&](std::uint32_t flag) {
        if ((flags & flag) == 0) return cuda::SumType::none;
        return query.outputs[index++]->format == VDT_FORMAT_F64 ? cuda::SumType::real : cuda::SumType::integer;
    };
    shape.sum = type_of(VDT_INTEGRAL_SUM);
    shape.squares = type_of(VDT_INTEGRAL_SQUARED);
    shape.tilted = type_of(VDT_INTEGRAL_TILTED);
    return shape;
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    plugin::answer_integral(query, answer);
    if (query.input_count != 0) answer.scratch_bytes = cuda::integral_scratch(shape_of(query)).bytes;
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const cuda::IntegralShape shape = shape_of(query);
    const double pixels = static_cast<double>(shape.width) * shape.height;
    const double in_bytes = pixels * (shape.bytes ? 1 : 4);
    const auto bytes_of = [&](cuda::SumType type, double integer) {
        if (type == cuda::SumType::none) return 0.0;
        return pixels * (type == cuda::SumType::real ? 8 : integer);
    };
    const auto add = [&](double work, double span, double width, double bytes) {
        plugin::add_launch(cost, plugin::even_stage(work, span, width, bytes, transaction_bytes));
    };
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = cuda::integral_scratch(shape).bytes;
    const double sums = (shape.sum != cuda::SumType::none ? 1 : 0) + (shape.squares != cuda::SumType::none ? 1 : 0);
    if (sums != 0) {
        const cuda::IntegralTiles tiles = cuda::integral_tiles(shape);
        // A lane adds up its part of a tile twice (rows, columns) and once more going down; then tiles look back.
        const double lane = static_cast<double>(tiles.width) * tiles.height / 256;
        add(pixels * sums * 5, sums * 5 * lane + tiles.across + tiles.down, pixels / lane,
            in_bytes + bytes_of(shape.sum, 4) + bytes_of(shape.squares, 8));
        cost.shared_bytes = static_cast<std::uint64_t>(sums) * (shape.bytes ? 5 : 12) * 1024;
    }
    if (shape.tilted == cuda::SumType::none) return;
    constexpr double band = 32;
    const double prefix_bytes = pixels * (shape.bytes ? 4 : 8);
    const double sum_bytes = pixels * (shape.tilted == cuda::SumType::real ? 8 : 4);
    add(pixels * 3, shape.width / 32.0 * 3, shape.height * 32.0, in_bytes + prefix_bytes);
    add(pixels * 2, band * 2, pixels / band, 2 * prefix_bytes + 2 * sum_bytes / band);
    add(pixels * 2 / band, shape.height / band, 2.0 * shape.width, 4 * sum_bytes / band);
    add(pixels * 3, band * 3, pixels / band, prefix_bytes + sum_bytes);
}

const char* way(const Device&, const vdt_query& query) {
    const cuda::IntegralShape shape = shape_of(query);
    if (shape.tilted != cuda::SumType::none) return "look back, tilted";
    if (!shape.bytes) return "look back, floats";
    return shape.squares != cuda::SumType::none ? "look back, squares" : "look back";
}

class IntegralPlan final : public Plan {
public:
    IntegralPlan(const Device& device, const vdt_query& query)
        : operands_(device), shape_(shape_of(query)), flags_(plugin::params_of<vdt_integral_params>(query).flags) {
        const cuda::IntegralScratch scratch = cuda::integral_scratch(shape_);
        scratch_ = cuda::Block<std::byte>(device.cuda.memory, scratch.bytes);
        const cuda::Stream stream = cuda::make_stream();
        cuda::check(cudaMemsetAsync(scratch_.data(), 0, scratch.cleared_bytes, stream.get()), "clearing scratch");
        cuda::synchronize(stream.get());
    }

    vdt_code run(const vdt_call& call) override {
        if (plugin::params_of<vdt_integral_params>(call).flags != flags_)
            throw Failure(VDT_E_ARGUMENT, "integral: the flags differ from those the plan was made for");
        Operands::Call running(operands_, call);
        cuda::IntegralImages images;
        images.in = operands_.input(0).view<const std::byte>();
        std::uint32_t index = 0;
        for (const auto& [flag, view] :
             {std::pair{VDT_INTEGRAL_SUM, &images.sum}, std::pair{VDT_INTEGRAL_SQUARED, &images.squares},
              std::pair{VDT_INTEGRAL_TILTED, &images.tilted}})
            if ((flags_ & flag) != 0) *view = operands_.output(index++).view<std::byte>();
        cuda::integrate(shape_, images, scratch_.data(), operands_.stream());
        running.finish();
        return VDT_OK;
    }

private:
    Operands operands_;
    cuda::IntegralShape shape_;
    std::uint32_t flags_;
    cuda::Block<std::byte> scratch_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<IntegralPlan>(device, query);
}

constexpr const char* variants[] = {"look back"};

}  // namespace

const Operation integral_operation = {VDT_OP_INTEGRAL, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cuda_plugin
