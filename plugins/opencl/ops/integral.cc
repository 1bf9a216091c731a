// integral: sums of everything above and left, of squares, and tilted by 45 degrees, in passes over tiles, bands and
// again tiles: no group waits for another. Each output on its own. How: ops/integral_sums.h.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/integral_checks.hpp>

#include "operands.h"
#include "ops/integral_sums.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

bool is_bytes(const vdt_image& in) {
    return in.format == VDT_FORMAT_GRAY8;
}

// One for each output of a query that `support` accepted.
std::vector<IntegralForm> forms_of(const vdt_query& query) {
    const std::uint32_t flags = plugin::params_of<vdt_integral_params>(query).flags;
    const bool bytes = is_bytes(*query.inputs[0]);
    std::vector<IntegralForm> forms;
    for (const std::uint32_t flag : {VDT_INTEGRAL_SUM, VDT_INTEGRAL_SQUARED, VDT_INTEGRAL_TILTED}) {
        if ((flags & flag) == 0) continue;
        const bool squares = flag == VDT_INTEGRAL_SQUARED;
        const bool real_output = query.outputs[forms.size()]->format == VDT_FORMAT_F64;
        forms.push_back({bytes, squares, flag == VDT_INTEGRAL_TILTED, real_output, squares || real_output || !bytes});
    }
    return forms;
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    plugin::answer_integral(query, answer);
    if (query.input_count == 0) return;
    for (const IntegralForm& form : forms_of(query))
        answer.scratch_bytes += IntegralSums::scratch_bytes(form, query.inputs[0]->width, query.inputs[0]->height);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const double width = in.width, height = in.height, pixels = width * height;
    const double in_bytes = pixels * (is_bytes(in) ? 1 : 4);
    cost.flags = VDT_COST_EXACT;
    const auto add = [&](double work, double span, double items, double bytes) {
        plugin::add_launch(cost, plugin::even_stage(work, span, items, bytes, transaction_bytes));
    };
    for (const IntegralForm& form : forms_of(query)) {
        const double size = form.sum_bytes(), prefix = form.prefix_bytes();
        const double out_bytes = pixels * size;
        cost.scratch_bytes += IntegralSums::scratch_bytes(form, in.width, in.height);
        if (form.tilted) {
            const double bands = integral_parts(in.height, integral_band);
            add(pixels * 2, 2 * width / integral_scan_group + 16, height * integral_scan_group,
                in_bytes + pixels * prefix);
            add(pixels * 2, 2.0 * integral_band, pixels / integral_band, pixels * prefix + 2 * width * bands * size);
            add(2 * (width + height) * bands, 2 * bands, 2 * (width + height), 4 * width * bands * size);
            add(pixels, integral_band, pixels / integral_band, pixels * prefix + out_bytes);
            add(pixels, integral_band, pixels / integral_band, pixels * prefix + 2 * out_bytes);
            continue;
        }
        const double rows = form.tile_height(), bands = integral_parts(in.height, form.tile_height());
        const double tiles = integral_parts(in.width, integral_tile_width), square = form.squares ? 2 : 1;
        const double sums = (width * bands + height * tiles) * size;
        add(pixels * 2 * square, (rows + integral_tile_width) * square, width * bands, in_bytes + sums);
        add(width * bands + height * tiles, std::max(bands, tiles), width + height, 2 * sums);
        add(width * bands * 2, 2 * width / integral_scan_group + 16, bands * integral_scan_group,
            2 * width * bands * size);
        add(pixels * 2 * square, (rows + integral_tile_width) * square, width * bands, in_bytes + sums + out_bytes);
        cost.shared_bytes = std::max<std::uint64_t>(
            cost.shared_bytes, std::uint64_t{form.sum_bytes()} * form.tile_height() * (integral_tile_width + 1));
    }
}

class IntegralPlan final : public Plan {
public:
    IntegralPlan(const Device& device, const vdt_query& query)
        : operands_(device), flags_(plugin::params_of<vdt_integral_params>(query).flags) {
        for (const IntegralForm& form : forms_of(query))
            outputs_.emplace_back(device, form, query.inputs[0]->width, query.inputs[0]->height);
    }

    vdt_code run(const vdt_call& call) override {
        if (plugin::params_of<vdt_integral_params>(call).flags != flags_)
            throw Failure(VDT_E_ARGUMENT, "integral: the flags differ from those the plan was made for");
        Operands::Call running(operands_, call);
        const Plane in = operands_.input(0).plane();
        for (std::uint32_t index = 0; index < outputs_.size(); ++index)
            outputs_[index].run(operands_.queue(), in, operands_.output(index).plane(), call.inputs[0]->height);
        running.finish();
        return VDT_OK;
    }

private:
    Operands operands_;
    std::uint32_t flags_;
    std::vector<IntegralSums> outputs_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<IntegralPlan>(device, query);
}

constexpr const char* variants[] = {"tiles and bands"};

}  // namespace

extern const Operation integral_operation;
const Operation integral_operation = {VDT_OP_INTEGRAL, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
