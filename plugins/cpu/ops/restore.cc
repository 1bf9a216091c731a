// restore: multiplicative iterative restoration (blind and with a known point-spread function) and Richardson-Lucy.
// How: restorer.h.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <vedette/plugin/cpp/restore_checks.hpp>

#include "fft/tables.h"
#include "ops/fft_kernels.h"
#include "ops/restorer.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

RestoreShape checked_shape(const vdt_query& query) {
    const plugin::RestoreRequest checked = plugin::checked_restore(query);
    return {checked.method, checked.side, checked.batch, checked.iterations, checked.epsilon};
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    // For pixels up to 255 and up to 200 iterations: two per cent of the range in any one pixel. The 2-norm of all
    // differences stays below 0.2 % of the image's: single pixels on steep edges are what differs most.
    answer.tolerance = 0.02 * 255;
    if (query.input_count == 0) return;
    answer.scratch_bytes = Restorer::scratch_bytes(device, checked_shape(query));
}

// One stage for all loops over strips and one for all over groups: an iteration's own repeat so often that nobody would
// want them one by one.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const RestoreShape shape = checked_shape(query);
    const Radices& radices = fft_radices[fft_side_index(shape.side)];
    const double lanes = fft_kernels_of(device.isa).lanes;
    const double pixels = static_cast<double>(shape.pixels()) * shape.batch;
    const double lines = pixels / shape.side / 2;  // complex transforms along one direction
    const bool known = shape.method == VDT_RESTORE_MIA_KNOWN;
    // Transforms of the loop and of what comes before it; loops over strips or groups: one for each pair.
    const double transforms = (shape.is_blind() ? 6.0 : known ? 2.0 : 4.0) * shape.iterations + (known ? 4 : 2);
    const double rounds = (shape.is_blind() || known ? 1.0 : 2.0) * shape.iterations + 2;
    const RestoreSpread spread = restore_spread(device, shape);
    const bool shared = spread == RestoreSpread::inside_images;
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = Restorer::scratch_bytes(device, shape);
    if (spread == RestoreSpread::over_images) cost.launches = 1;
    if (shared) cost.launches = static_cast<std::uint32_t>(std::min(2 * rounds * shape.batch, 4e9));
    for (const bool columns : {true, false}) {
        vdt_cost_stage stage{};
        // Columns: real columns told apart, and the step with its division. Rows: the product with the lens.
        stage.work = transforms * (lines * fft_operations(shape.side) + (columns ? 6 : 3) * pixels);
        stage.span = transforms * fft_operations(shape.side) * (spread == RestoreSpread::over_images ? 1 : shape.batch);
        const double pieces = shared                                 ? lines / shape.batch / lanes
                              : spread == RestoreSpread::over_images ? shape.batch
                                                                     : 1;
        stage.width = thread_lanes(device.isa) * std::max(1.0, pieces);
        stage.divergence = 1;
        // Images come once and go once; spectra and strips stay in the caches.
        stage.global_bytes = (columns ? 2.0 : 1.0) * sizeof(float) * pixels;
        stage.global_refs = stage.global_bytes / 64;
        stage.shared_refs = transforms * 4 * lines * shape.side * (radices.count + 1) / lanes;
        add_stage(cost, stage);
    }
}

class RestorePlan final : public Plan {
public:
    RestorePlan(const Device& device, const vdt_query& query)
        : params_(*static_cast<const vdt_restore_params*>(query.params)), restorer_(device, checked_shape(query)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = *static_cast<const vdt_restore_params*>(call.params);
        if (params.method != params_.method || params.iterations != params_.iterations ||
            params.batch != params_.batch || params.epsilon != params_.epsilon)
            throw Failure(VDT_E_ARGUMENT, "restore: the parameters differ from those the plan was made for");
        restorer_.run(*call.inputs[0], *call.inputs[1], *call.outputs[0],
                      call.output_count > 1 ? call.outputs[1] : nullptr, call.token);
        return VDT_OK;
    }

private:
    vdt_restore_params params_;
    Restorer restorer_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<RestorePlan>(device, query);
}

constexpr const char* variants[] = {"strips"};

}  // namespace

const OperationEntry restore_operation = {VDT_OP_RESTORE, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
