// integral: sums of everything above and left, of squares, and tilted by 45 degrees. How: integral_sums.h.
#include "ops/integral_sums.h"

#include <vedette/plugin/cpp/integral_checks.hpp>

#include "kernels/per_isa.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(IntegralKernels, integral_kernels)

namespace {

std::uint32_t count_of(std::uint32_t flags) {
    return static_cast<std::uint32_t>(__builtin_popcount(flags));
}

bool is_bytes(const vdt_image& in) {
    return in.format == VDT_FORMAT_GRAY8;
}

// Sums and sums of squares, without the tilted ones.
std::uint32_t upright_count(std::uint32_t flags) {
    return count_of(flags & ~static_cast<std::uint32_t>(VDT_INTEGRAL_TILTED));
}

std::uint64_t scratch_bytes_of(const Device& device, const vdt_image& in, std::uint32_t flags) {
    std::uint64_t bytes = 0;
    if (is_bytes(in)) bytes += ByteSums::scratch_bytes(device, in.width, in.height, upright_count(flags));
    if ((flags & VDT_INTEGRAL_TILTED) != 0) bytes += TiltedSums::scratch_bytes(device, in.width, in.height);
    return bytes;
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    plugin::answer_integral(query, answer);
    if (query.input_count != 0)
        answer.scratch_bytes =
            scratch_bytes_of(device, *query.inputs[0], plugin::params_of<vdt_integral_params>(query).flags);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const std::uint32_t flags = static_cast<const vdt_integral_params*>(query.params)->flags;
    const double pixels = static_cast<double>(in.width) * in.height;
    const double in_bytes = pixels * (is_bytes(in) ? 1 : 4);
    double out_bytes = 0;
    double tilted_bytes = 0;
    for (std::uint32_t index = 0; index < query.output_count; ++index) {
        const double bytes = pixels * layout_of(query.outputs[index]->format)->element_bytes;
        const bool is_tilted = (flags & VDT_INTEGRAL_TILTED) != 0 && index + 1 == query.output_count;
        (is_tilted ? tilted_bytes : out_bytes) += bytes;
    }
    const double sums = upright_count(flags);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_bytes_of(device, in, flags);
    // A sum is widened, added up along its vector in three steps, carried on, and added to the row above; a column's
    // sum is widened and added. Running sums stay in registers: no references to the first caches are counted.
    constexpr double of_sum = 10, of_column = 2;
    const auto loop_of = [&](double work, double span, double pieces, double bytes) {
        add_pieces(device, cost, work, span, pieces, bytes, 0);
    };
    if (sums != 0 && is_bytes(in)) {
        const double bands = ByteSums::band_count(device, in.width, in.height);
        if (bands > 1)
            loop_of(pixels * sums * of_column * (bands - 1) / bands, in.height / bands, 2 * (bands - 1), in_bytes);
        loop_of(pixels * sums * of_sum, in.height / bands, bands, in_bytes + out_bytes);
    } else if (sums != 0) {
        loop_of(pixels * sums * of_sum, in.width, 4.0 * device.workers, in_bytes + out_bytes);
        loop_of(pixels * sums, in.height, device.workers, 2 * out_bytes);
    }
    // The tilted sums follow each other row by row, each worker on columns of its own.
    if (tilted_bytes != 0)
        loop_of(pixels * 5, in.height, TiltedSums::tile_count(device, in.width, in.height), in_bytes + tilted_bytes);
}

const char* way(const Device&, const vdt_query& query) {
    const std::uint32_t flags = static_cast<const vdt_integral_params*>(query.params)->flags;
    if ((flags & VDT_INTEGRAL_TILTED) != 0) return "bands, tilted";
    if (!is_bytes(*query.inputs[0])) return "bands of floats";
    return (flags & VDT_INTEGRAL_SQUARED) != 0 ? "bands with squares" : "bands";
}

std::uint64_t bytes_of(const vdt_image* const* images, std::uint32_t count) {
    std::uint64_t bytes = 0;
    for (std::uint32_t index = 0; index < count; ++index)
        bytes += row_bytes(*layout_of(images[index]->format), images[index]->width) * images[index]->height;
    return bytes;
}

class IntegralPlan final : public Plan {
public:
    IntegralPlan(const Device& device, const vdt_query& query, std::uint32_t flags) : device_(device), flags_(flags) {
        const vdt_image& in = *query.inputs[0];
        const bool sums = (flags & VDT_INTEGRAL_SUM) != 0;
        const bool squares = (flags & VDT_INTEGRAL_SQUARED) != 0;
        if (is_bytes(in) && (sums || squares))
            bytes_ = std::make_unique<ByteSums>(device, in.width, in.height, sums, squares,
                                                bytes_of(query.outputs, upright_count(flags)));
        if ((flags & VDT_INTEGRAL_TILTED) != 0) tilted_ = std::make_unique<TiltedSums>(device, in.width, in.height);
    }

    vdt_code run(const vdt_call& call) override {
        if (static_cast<const vdt_integral_params*>(call.params)->flags != flags_)
            throw Failure(VDT_E_ARGUMENT, "integral: the flags differ from those the plan was made for");
        const vdt_image& in = *call.inputs[0];
        IntegralTarget targets[3];
        std::uint32_t count = 0;
        for (std::uint32_t flag = VDT_INTEGRAL_SUM; flag <= VDT_INTEGRAL_TILTED; flag <<= 1) {
            if ((flags_ & flag) == 0) continue;
            targets[count] = {call.outputs[count], flag};
            ++count;
        }
        const std::uint32_t upright = upright_count(flags_);
        if (bytes_ != nullptr)
            bytes_->run(in, targets, upright, call.token);
        else if (upright != 0)
            integrate_reals(device_, in, targets, upright, call.token);
        if (tilted_ != nullptr) tilted_->run(in, targets[upright], call.token);
        return VDT_OK;
    }

private:
    const Device& device_;
    std::uint32_t flags_;
    std::unique_ptr<ByteSums> bytes_;
    std::unique_ptr<TiltedSums> tilted_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<IntegralPlan>(device, query, static_cast<const vdt_integral_params*>(query.params)->flags);
}

constexpr const char* variants[] = {"bands"};

}  // namespace

const IntegralKernels& integral_kernels_of(Isa isa) noexcept {
    return select_integral_kernels(isa);
}

const OperationEntry integral_operation = {VDT_OP_INTEGRAL, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cpu
