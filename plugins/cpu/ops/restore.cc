// restore: multiplicative iterative restoration (blind and with a known point-spread function) and Richardson-Lucy.
// How: restorer.h.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "fft/tables.h"
#include "ops/fft_kernels.h"
#include "ops/restorer.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

RestoreShape checked_shape(const vdt_query& query) {
    const auto& params = *static_cast<const vdt_restore_params*>(query.params);
    if (params.method < VDT_RESTORE_MIA_BLIND || params.method > VDT_RESTORE_RICHARDSON_LUCY)
        throw Failure(VDT_E_ARGUMENT, "restore: there is no method " + std::to_string(params.method) +
                                          "; it is MIA blind (1), MIA known (2) or Richardson-Lucy (3)");
    if (params.batch == 0) throw Failure(VDT_E_ARGUMENT, "restore: the batch must be at least 1");
    if (!(params.epsilon > 0) || !std::isfinite(params.epsilon))
        throw Failure(VDT_E_ARGUMENT, "restore: epsilon must be a positive, finite number");
    const bool blind = params.method == VDT_RESTORE_MIA_BLIND;
    if (query.input_count != 2 || query.output_count != (blind ? 2u : 1u))
        throw Failure(VDT_E_ARGUMENT, std::string("restore takes two inputs and, with this method, ") +
                                          (blind ? "two outputs" : "one output"));
    const vdt_image& first = *query.inputs[0];
    for (std::uint32_t index = 0; index < query.input_count + query.output_count; ++index) {
        const bool input = index < query.input_count;
        const vdt_image& image = input ? *query.inputs[index] : *query.outputs[index - query.input_count];
        if (image.format != VDT_FORMAT_GRAYF32)
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "restore: all images are GRAYF32");
        if (image.width != first.width || image.height != first.height)
            throw Failure(VDT_E_SIZE,
                          "restore: the point-spread function and the outputs have the size of the blurred image");
    }
    if (fft_side_index(first.width) == fft_side_count)
        throw Failure(VDT_E_SIZE,
                      "restore: the side is " + std::to_string(first.width) + "; it must be 32, 64, 128, 256 or 512");
    if (first.height != std::uint64_t{first.width} * params.batch)
        throw Failure(VDT_E_SIZE, "restore: " + std::to_string(params.batch) + " images of side " +
                                      std::to_string(first.width) + " below each other are not " +
                                      std::to_string(first.height) + " rows high");
    const double epsilon = std::clamp(params.epsilon, double{FLT_MIN}, double{FLT_MAX});
    return {params.method, first.width, params.batch, params.iterations, static_cast<float>(epsilon)};
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
        stage.width = shared ? lines / shape.batch : spread == RestoreSpread::over_images ? shape.batch * lanes : lanes;
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
