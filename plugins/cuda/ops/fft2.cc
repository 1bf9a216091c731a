// fft2: transforms of squares, an image in one kernel where a block or a cluster of blocks holds it, else its rows in
// one and its columns in another. How: cuda/kernels/fft_square.cuh, fft2_lines.cu.
#include <kernels/fft2.h>

#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/fft_checks.hpp>

#include <algorithm>
#include <cmath>

#include "fft_sides.h"
#include "operands.h"
#include "pace.h"

namespace vedette::cuda_plugin {

namespace {

struct Shape {
    cuda::Fft2Kind kind{};
    std::uint32_t side = 0;
    std::uint32_t batch = 0;

    bool is_real() const { return kind == cuda::Fft2Kind::real_forward || kind == cuda::Fft2Kind::real_inverse; }
    bool is_forward() const { return kind == cuda::Fft2Kind::complex_forward || kind == cuda::Fft2Kind::real_forward; }
};

Shape checked_shape(const vdt_query& query) {
    using cuda::Fft2Kind;
    const plugin::TransformShape checked = plugin::checked_fft2(query);
    const Fft2Kind kind = checked.real ? (checked.forward ? Fft2Kind::real_forward : Fft2Kind::real_inverse)
                                       : (checked.forward ? Fft2Kind::complex_forward : Fft2Kind::complex_inverse);
    return {kind, checked.side, checked.batch};
}

// More images than this in one job would only take memory for their spectra (estimate: several times what the device
// works on at once).
constexpr std::uint64_t most_scratch_bytes = 64u << 20;

struct Room {
    cuda::Fft2Form form;
    std::uint32_t images = 0;  // of a job

    Room(const Device& device, const Shape& shape) {
        const cuda::Current current(device.cuda.limits.ordinal);
        form = cuda::fft2_form(device.cuda.limits, shape.side, shape.kind);
        images = std::min(shape.batch, form.most_images);
        if (form.scratch_bytes != 0)
            images = std::min(images, static_cast<std::uint32_t>(most_scratch_bytes / form.scratch_bytes));
    }
    std::uint64_t bytes(const Shape& shape) const {
        return std::uint64_t{form.scratch_bytes} * images + std::uint64_t{8} * shape.side;
    }
};

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    const std::uint64_t formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32) | VDT_FORMAT_BIT(VDT_FORMAT_COMPLEXF32);
    answer.input_formats = answer.output_formats = formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    double side = 512;
    bool forward = true;
    if (query.input_count != 0) {
        const Shape shape = checked_shape(query);
        side = shape.side;
        forward = shape.is_forward();
        answer.scratch_bytes = on(device, [&] { return Room(device, shape).bytes(shape); });
        answer.input_formats = VDT_FORMAT_BIT(query.inputs[0]->format);
        answer.output_formats = VDT_FORMAT_BIT(query.outputs[0]->format);
    }
    // Numbers between -255 and 255. The error's 2-norm is below 4 * 2^-24 * log2(n^2) of the result's, which is at most
    // n times that of the input (n * n * 255 * sqrt 2 at most) forward and 1 / n of it inverse [Higham, Accuracy and
    // Stability of Numerical Algorithms, 24.1]; no single error is larger than the norm of all.
    answer.tolerance = 4 * 0x1p-24 * 2 * std::log2(side) * 255 * std::sqrt(2.0) * (forward ? side * side : 1);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const Shape shape = checked_shape(query);
    const Room room = on(device, [&] { return Room(device, shape); });
    const bool two = room.form.second != nullptr;
    const double rounds = (shape.batch + room.images - 1) / room.images;
    const double numbers = static_cast<double>(shape.side) * shape.side * shape.batch * (shape.is_real() ? 0.5 : 1);
    const double threads = static_cast<double>(room.form.blocks) * room.form.threads;
    const double operations = fft_operations_of_number(shape.side) + 3;
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = room.bytes(shape);
    cost.shared_bytes = room.form.shared_bytes;
    cost.launches = static_cast<std::uint32_t>(rounds) * (two ? 2 : 1);
    // Rows and columns, each with its memory traffic where it is a kernel of its own.
    for (int pass = 0; pass < (two ? 2 : 1); ++pass) {
        vdt_cost_stage stage{};
        stage.work = numbers * operations * (two ? 1 : 2);
        stage.span = numbers / shape.batch / threads * operations * rounds * (two ? 1 : 2);
        stage.width = threads * room.images;
        stage.divergence = 1;
        stage.global_bytes = numbers * 16;
        stage.global_refs = stage.global_bytes / transaction_bytes;
        stage.shared_refs = numbers * (two ? 2 : 6) / 16;
        plugin::add_stage(cost, stage);
    }
}

class Fft2Plan final : public Plan {
public:
    Fft2Plan(const Device& device, const vdt_query& query)
        : shape_(checked_shape(query)),
          params_(plugin::params_of<vdt_fft2_params>(query)),
          room_(device, shape_),
          operands_(device),
          roots_(device.cuda.memory, 2 * shape_.side),
          pace_(device) {
        if (room_.form.scratch_bytes != 0)
            scratch_ = cuda::Block<std::byte>(device.cuda.memory, room_.form.scratch_bytes * room_.images);
        upload_roots(roots_, shape_.side);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_fft2_params>(call);
        if (params.direction != params_.direction || params.batch != params_.batch || params.flags != params_.flags)
            throw Failure(VDT_E_ARGUMENT, "fft2: the parameters differ from those the plan was made for");
        Operands::Call running(operands_, call);
        cuda::Fft2Job job;
        job.in = operands_.input(0).view<const float>(floats_of(*call.inputs[0]));
        job.out = operands_.output(0).view<float>(floats_of(*call.outputs[0]));
        job.roots = reinterpret_cast<const cuda::Number*>(roots_.data());
        job.scratch = reinterpret_cast<cuda::Number*>(scratch_.data());
        pace_.start(call.token, operands_.stream());
        for (std::uint32_t image = 0; image < shape_.batch; image += room_.images) {
            pace_.step();
            job.first_image = image;
            cuda::fft2(room_.form, job, std::min(room_.images, shape_.batch - image), operands_.stream());
        }
        running.finish();
        return VDT_OK;
    }

private:
    static int floats_of(const vdt_image& image) { return image.format == VDT_FORMAT_COMPLEXF32 ? 2 : 1; }

    Shape shape_;
    vdt_fft2_params params_;
    Room room_;
    Operands operands_;
    cuda::Block<float> roots_;
    cuda::Block<std::byte> scratch_;
    Pace pace_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<Fft2Plan>(device, query);
}

constexpr const char* variants[] = {"lines"};

}  // namespace

const Operation fft2_operation = {VDT_OP_FFT2, variants, 1, support, cost, plan};

}  // namespace vedette::cuda_plugin
