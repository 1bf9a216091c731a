// restore: the whole loop in one kernel, which ends now and then so that the call's limits are kept. How:
// cuda/kernels/restore_loop.cuh.
#include <kernels/restore.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/restore_checks.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "fft_sides.h"
#include "operands.h"
#include "pace.h"

namespace vedette::cuda_plugin {

namespace {

struct Shape {
    cuda::RestoreMethod method{};
    std::uint32_t side = 0;
    std::uint32_t batch = 0;
    std::uint32_t iterations = 0;
    float epsilon = 0;

    bool is_blind() const { return method == cuda::RestoreMethod::mia_blind; }
};

// Iterations of the first kernel of a run; each later one does twice as many, up to about two milliseconds' worth
// (estimate). Each kernel begins with what the loop needs and the transforms for it, so that a run of few iterations is
// better off with one: at 256 x 256 on an H200 a second one takes 20 us, an iteration 4 to 13.
std::uint32_t first_iterations(std::uint32_t side) {
    return std::min(64U, 8192U / side);
}
std::uint32_t most_iterations(std::uint32_t side) {
    return 32768 / side;
}
// Of the kernel after one of `iterations`.
std::uint32_t next_iterations(std::uint32_t side, std::uint32_t iterations) {
    return std::min(2 * iterations, most_iterations(side));
}
std::uint32_t kernels_of(std::uint32_t side, std::uint32_t iterations) {
    std::uint32_t count = 1, chunk = first_iterations(side);
    while (iterations > chunk && chunk < most_iterations(side)) {
        iterations -= chunk;
        chunk = next_iterations(side, chunk);
        ++count;
    }
    return iterations > chunk ? count + (iterations - 1) / chunk : count;
}

cuda::RestoreMethod method_of(std::uint32_t method) {
    if (method == VDT_RESTORE_MIA_BLIND) return cuda::RestoreMethod::mia_blind;
    return method == VDT_RESTORE_MIA_KNOWN ? cuda::RestoreMethod::mia_known : cuda::RestoreMethod::richardson_lucy;
}

Shape checked_shape(const vdt_query& query) {
    const plugin::RestoreRequest checked = plugin::checked_restore(query);
    return {method_of(checked.method), checked.side, checked.batch, checked.iterations, checked.epsilon};
}

// Scratch of a plan, and how many images a kernel works on.
struct Room {
    cuda::RestoreForm form;
    std::uint32_t images = 0;

    Room(const Device& device, const Shape& shape) {
        const cuda::Current current(device.cuda.limits.ordinal);
        form = cuda::restore_form(device.cuda.limits, shape.side, shape.batch, shape.method);
        if (form.kernel == nullptr)
            throw Failure(VDT_E_UNSUPPORTED, "restore: this device has no room for squares of side " +
                                                 std::to_string(shape.side) + "; use another backend");
        images = std::min(shape.batch, form.most_images);
    }
    std::uint64_t bytes(const Shape& shape) const {
        return std::uint64_t{form.state_bytes} * shape.batch +
               std::uint64_t{form.kept_bytes + form.exchange_bytes} * images + std::uint64_t{8} * shape.side;
    }
};

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    // For pixels up to 255 and up to 200 iterations: two per cent of the range in any one pixel. The 2-norm of all
    // differences stays below 0.2 % of the image's: single pixels on steep edges are what differs most.
    answer.tolerance = 0.02 * 255;
    if (query.input_count == 0) return;
    const Shape shape = checked_shape(query);
    answer.scratch_bytes = on(device, [&] { return Room(device, shape).bytes(shape); });
}

// One stage for all transforms of the loop with the steps between them.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const Shape shape = checked_shape(query);
    const Room room = on(device, [&] { return Room(device, shape); });
    const double pixels = static_cast<double>(shape.side) * shape.side * shape.batch;
    const bool known = shape.method == cuda::RestoreMethod::mia_known;
    const double transforms = (shape.is_blind() ? 6.0 : known ? 2.0 : 4.0) * shape.iterations + (known ? 3 : 1);
    const double rounds = (shape.batch + room.images - 1) / room.images;
    // Complex numbers are half as many as pixels; the steps and products between transforms take six operations each.
    const double numbers = pixels / 2;
    const double threads = static_cast<double>(room.form.blocks) * room.form.threads;
    const double values = static_cast<double>(shape.side) * shape.side / 2 / threads;
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = room.bytes(shape);
    cost.shared_bytes = room.form.shared_bytes;
    cost.launches = static_cast<std::uint32_t>(kernels_of(shape.side, shape.iterations) * rounds);
    vdt_cost_stage stage{};
    stage.work = transforms * numbers * (2 * fft_operations_of_number(shape.side) + 6);
    stage.span = transforms * rounds * values * (2 * fft_operations_of_number(shape.side) + 6);
    stage.width = threads * room.images;
    stage.divergence = 1;
    const double kept = static_cast<double>(room.form.kept_bytes) * shape.batch * shape.iterations;
    const double exchanged = room.form.cooperative ? transforms * numbers * 16 : 0;
    stage.global_bytes = sizeof(float) * pixels * (shape.is_blind() ? 4 : 3) + kept + exchanged;
    stage.global_refs = stage.global_bytes / transaction_bytes;
    // Two changes of place within a line and, but for cooperative blocks, one across the team; stored and loaded.
    stage.shared_refs = transforms * numbers * (room.form.cooperative ? 4 : 6) / 16;
    plugin::add_stage(cost, stage);
}

class RestorePlan final : public Plan {
public:
    RestorePlan(const Device& device, const vdt_query& query)
        : device_(device),
          shape_(checked_shape(query)),
          params_(plugin::params_of<vdt_restore_params>(query)),
          room_(device, shape_),
          operands_(device),
          roots_(device.cuda.memory, 2 * shape_.side),
          state_(device.cuda.memory, room_.form.state_bytes * shape_.batch),
          barrier_(device.cuda.memory, 1),
          problems_(device.cuda.pinned, 1),
          pace_(device) {
        if (room_.form.kept_bytes != 0)
            kept_ = cuda::Block<std::byte>(device.cuda.memory, room_.form.kept_bytes * room_.images);
        if (room_.form.exchange_bytes != 0)
            exchange_ = cuda::Block<std::byte>(device.cuda.memory, room_.form.exchange_bytes * room_.images);
        upload_roots(roots_, shape_.side);
        const cuda::Stream stream = cuda::make_stream();
        cuda::check(cudaMemsetAsync(barrier_.data(), 0, barrier_.bytes(), stream.get()), "clearing a barrier");
        cuda::synchronize(stream.get());
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_restore_params>(call);
        if (params.method != params_.method || params.iterations != params_.iterations ||
            params.batch != params_.batch || params.epsilon != params_.epsilon)
            throw Failure(VDT_E_ARGUMENT, "restore: the parameters differ from those the plan was made for");
        Operands::Call running(operands_, call);
        *problems_.data() = no_problems;
        cuda::RestoreJob job;
        job.blurred = operands_.input(0).view<const float>();
        job.spread = operands_.input(1).view<const float>();
        job.restored = operands_.output(0).view<float>();
        if (shape_.is_blind()) job.final_spread = operands_.output(1).view<float>();
        job.roots = reinterpret_cast<const cuda::Number*>(roots_.data());
        job.state = reinterpret_cast<cuda::Number*>(state_.data());
        job.kept = reinterpret_cast<cuda::Number*>(kept_.data());
        job.exchange = reinterpret_cast<cuda::Number*>(exchange_.data());
        job.barrier = barrier_.data();
        job.problems = problems_.data();
        job.epsilon = shape_.epsilon;
        pace_.start(call.token, operands_.stream());
        for (std::uint32_t image = 0; image < shape_.batch; image += room_.images) {
            job.first_image = image;
            iterate(job, std::min(room_.images, shape_.batch - image));
        }
        // What the pixels tell is known when the device is done; a call without a stream waits once only.
        if (call.stream != nullptr) {
            running.wait();
            throw_if_wrong();
        }
        running.finish();
        throw_if_wrong();
        return VDT_OK;
    }

private:
    static constexpr cuda::RestoreProblems no_problems{-1, -1, -1, -1};

    void iterate(cuda::RestoreJob& job, std::uint32_t images) {
        std::uint32_t left = shape_.iterations, chunk = first_iterations(shape_.side);
        for (job.first = true;; job.first = false) {
            pace_.step();
            job.iterations = std::min(left, chunk);
            left -= job.iterations;
            job.last = left == 0;
            cuda::restore(room_.form, job, images, operands_.stream());
            if (job.last) return;
            chunk = next_iterations(shape_.side, chunk);
        }
    }

    void throw_if_wrong() {
        const cuda::RestoreProblems& found = *problems_.data();
        const auto refuse_value = [](int input, int row) {
            throw Failure(VDT_E_ARGUMENT, "restore: input " + std::to_string(input) + " holds a value in row " +
                                              std::to_string(row) + " that is not finite");
        };
        if (found.blurred_row >= 0) refuse_value(0, found.blurred_row);
        if (found.spread_row >= 0) refuse_value(1, found.spread_row);
        if (found.negative_row >= 0)
            throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function has a negative value in row " +
                                              std::to_string(found.negative_row));
        if (found.zero_image >= 0)
            throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function of image " +
                                              std::to_string(found.zero_image) +
                                              " is zero everywhere; it must have at least one positive value");
    }

    const Device& device_;
    Shape shape_;
    vdt_restore_params params_;
    Room room_;
    Operands operands_;
    cuda::Block<float> roots_;
    cuda::Block<std::byte> state_;
    cuda::Block<std::byte> kept_;
    cuda::Block<std::byte> exchange_;
    cuda::Block<unsigned> barrier_;
    cuda::Block<cuda::RestoreProblems> problems_;
    Pace pace_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<RestorePlan>(device, query);
}

constexpr const char* variants[] = {"resident loop"};

}  // namespace

const Operation restore_operation = {VDT_OP_RESTORE, variants, 1, support, cost, plan};

}  // namespace vedette::cuda_plugin
