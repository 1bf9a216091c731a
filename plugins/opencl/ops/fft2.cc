// fft2: transforms of squares, along one direction in one kernel and along the other in a second. How: kernels/fft2.cl.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/fft_checks.hpp>

#include "fft_form.h"
#include "operands.h"

#include <algorithm>
#include <cmath>

namespace vedette::opencl {

namespace {

enum class Direction : std::uint8_t { complex_forward, complex_inverse, real_forward, real_inverse };

struct Shape {
    Direction direction{};
    std::uint32_t side = 0;
    std::uint32_t batch = 0;

    bool is_real() const { return direction == Direction::real_forward || direction == Direction::real_inverse; }
    bool is_forward() const { return direction == Direction::complex_forward || direction == Direction::real_forward; }
    // Complex lines along either direction.
    std::uint32_t lines() const { return is_real() ? side / 2 : side; }
    // PACKED_SQUARE and COMPLEX_SQUARE of the kernels.
    std::size_t packed_floats() const { return std::size_t{2} * lines() * (side + 8); }
};

Shape checked_shape(const vdt_query& query) {
    const plugin::TransformShape checked = plugin::checked_fft2(query);
    const Direction direction = checked.real
                                    ? (checked.forward ? Direction::real_forward : Direction::real_inverse)
                                    : (checked.forward ? Direction::complex_forward : Direction::complex_inverse);
    return {direction, checked.side, checked.batch};
}

// More images than this in one job would only take memory for what lies between the kernels (estimate: several times
// what a device works on at once).
constexpr std::size_t most_scratch_bytes = std::size_t{64} << 20;

std::uint32_t images_of_job(const Device& device, const Shape& shape) {
    const std::size_t most = std::min(most_scratch_bytes, device.limits().largest_allocation);
    const std::size_t images = std::max<std::size_t>(1, most / (shape.packed_floats() * sizeof(float)));
    return static_cast<std::uint32_t>(std::min<std::size_t>(shape.batch, images));
}

std::uint64_t scratch_bytes_of(const Device& device, const Shape& shape) {
    return sizeof(float) * (shape.packed_floats() * images_of_job(device, shape) + std::uint64_t{2} * shape.side);
}

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
        answer.scratch_bytes = scratch_bytes_of(device, shape);
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
    const FftForm form = FftForms(device.limits(), shape.side).front();
    const double numbers = static_cast<double>(shape.lines()) * shape.side * shape.batch;
    const double operations = fft_operations_of_number(shape.side) + (shape.is_real() ? 3 : 1);
    const std::uint32_t images = images_of_job(device, shape);
    const std::uint32_t jobs = (shape.batch + images - 1) / images;
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_bytes_of(device, shape);
    cost.shared_bytes = form.local_bytes();
    cost.launches = 2 * jobs;
    // Both read a number and write one; a number changes places once or twice within its line, in two parts.
    for (int pass = 0; pass < 2; ++pass) {
        vdt_cost_stage stage = plugin::even_stage(numbers * operations, 8 * operations * jobs, numbers / 8 / jobs,
                                                  numbers * 16, transaction_bytes);
        stage.shared_refs = numbers * 4 * (shape.side > 64 ? 2 : 1);
        plugin::add_stage(cost, stage);
    }
}

// The two kernels of a form.
struct Transform {
    Transform(const Device& device, const Shape& of, const FftForm& by) : shape(of), form(by) {
        struct Names {
            int kind;  // as KIND of the kernels
            const char *first, *second;
        };
        constexpr Names all_names[] = {{0, "complex_columns", "complex_rows"},
                                       {0, "complex_columns", "complex_rows"},
                                       {1, "real_forward_columns", "real_forward_rows"},
                                       {2, "real_inverse_rows", "real_inverse_columns"}};
        const Names& names = all_names[static_cast<int>(shape.direction)];
        const int kind = one_program_for_all(device.limits()) ? 3 : names.kind;
        const std::string defines = form.defines() + " -D KIND=" + std::to_string(kind);
        first = device.programs.kernel("fft2", names.first, defines);
        second = device.programs.kernel("fft2", names.second, defines);
    }

    // `images` images from row `top` on.
    void run(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t top, std::uint32_t images,
             const Buffer<float>& packed, const Buffer<float>& roots) const {
        const Range range = form.range(shape.lines(), images);
        if (shape.is_real()) {
            launch(queue, first, range, in, top, packed, roots);
            launch(queue, second, range, packed, roots, out, top);
        } else {
            const std::uint32_t inverse = shape.is_forward() ? 0 : 1;
            launch(queue, first, range, in, top, packed, roots, inverse);
            launch(queue, second, range, packed, roots, out, top, inverse);
        }
    }

    Shape shape;
    FftForm form;
    Kernel first, second;
};

class Fft2Plan final : public Plan {
public:
    Fft2Plan(const Device& device, const vdt_query& query)
        : shape_(checked_shape(query)),
          params_(plugin::params_of<vdt_fft2_params>(query)),
          images_(images_of_job(device, shape_)),
          operands_(device),
          roots_(fft_roots(device, shape_.side)),
          packed_(device.buffer<float>(shape_.packed_floats() * images_)),
          transform_(device, shape_, choose_fft_form(device, shape_.side, images_, roots_)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_fft2_params>(call);
        if (params.direction != params_.direction || params.batch != params_.batch || params.flags != params_.flags)
            throw Failure(VDT_E_ARGUMENT, "fft2: the parameters differ from those the plan was made for");
        Operands::Call running(operands_, call);
        const Plane in = operands_.input(0).plane(), out = operands_.output(0).plane();
        for (std::uint32_t image = 0; image < shape_.batch; image += images_)
            transform_.run(operands_.queue(), in, out, image * shape_.side, std::min(images_, shape_.batch - image),
                           packed_, roots_);
        running.finish();
        return VDT_OK;
    }

private:
    Shape shape_;
    vdt_fft2_params params_;
    std::uint32_t images_;  // of a job
    Operands operands_;
    Buffer<float> roots_;
    Buffer<float> packed_;
    Transform transform_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<Fft2Plan>(device, query);
}

constexpr const char* variants[] = {"lines"};

}  // namespace

extern const Operation fft2_operation;
const Operation fft2_operation = {VDT_OP_FFT2, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
