// fft2: transforms of squares. Down the columns, then along the rows (real inverse: the other way round); between the
// two everything lies in a spectrum laid out for the kernels (kernels/fft_real.h).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include <vedette/plugin/cpp/fft_checks.hpp>

#include "fft/tables.h"
#include "formats.h"
#include "kernels/fft.h"
#include "kernels/per_isa.h"
#include "ops/fft_kernels.h"
#include "parallel.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(FftKernels, fft_kernels)

const FftKernels& fft_kernels_of(Isa isa) noexcept {
    return select_fft_kernels(isa);
}

namespace {

enum class Kind : std::uint8_t { complex_forward, complex_inverse, real_forward, real_inverse };

struct Shape {
    Kind kind = Kind::complex_forward;
    std::uint32_t side = 0;
    std::uint32_t batch = 0;

    bool is_real() const { return kind == Kind::real_forward || kind == Kind::real_inverse; }
    double pixels() const { return static_cast<double>(side) * side * batch; }
};

// Images below this many pixels in all stay on one thread: sharing them gained nothing (2-core Zen 3 VM, AVX2: 2 to 8
// real images of 32 or 64 took 0.006 to 0.03 ms either way).
constexpr std::uint64_t fewest_pixels = 1u << 15;
// A single image of this side is worth a loop over its strips and another over its groups (there: real, forward, of 128
// 0.026 ms shared and 0.024 on one thread; of 256 0.075 and 0.099; of 512 0.40 and 0.49).
constexpr std::uint32_t fewest_shared_side = 256;

Shape checked_shape(const vdt_query& query) {
    const plugin::TransformShape checked = plugin::checked_fft2(query);
    const Kind kind = checked.real ? (checked.forward ? Kind::real_forward : Kind::real_inverse)
                                   : (checked.forward ? Kind::complex_forward : Kind::complex_inverse);
    return {kind, checked.side, checked.batch};
}

const FftSideKernels& kernels_for(const Device& device, const Shape& shape) {
    return fft_kernels_of(device.isa).sides[fft_side_index(shape.side)];
}

// How the work is spread. Values do not depend on it.
enum class Spread : std::uint8_t { one_thread, over_images, inside_images };

Spread spread_of(const Device& device, const Shape& shape) {
    if (device.workers == 1 || std::uint64_t{shape.side} * shape.side * shape.batch < fewest_pixels)
        return Spread::one_thread;
    if (shape.side >= fewest_shared_side && shape.batch < 2 * device.workers) return Spread::inside_images;
    return shape.batch == 1 ? Spread::one_thread : Spread::over_images;
}

std::size_t tiles_of(const Device& device, const Shape& shape) {
    return spread_of(device, shape) == Spread::one_thread ? 1 : device.workers;
}
std::size_t spectra_of(const Device& device, const Shape& shape) {
    return spread_of(device, shape) == Spread::over_images ? device.workers : 1;
}
std::size_t spectrum_floats(const Shape& shape) {
    return std::size_t{shape.side} * shape.side * (shape.is_real() ? 1 : 2);
}

std::uint64_t scratch_bytes_of(const Device& device, const Shape& shape) {
    const std::uint64_t floats = tiles_of(device, shape) * kernels_for(device, shape).tile_floats +
                                 spectra_of(device, shape) * spectrum_floats(shape);
    return floats * sizeof(float);
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    const std::uint64_t formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32) | VDT_FORMAT_BIT(VDT_FORMAT_COMPLEXF32);
    answer.input_formats = answer.output_formats = formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    double side = fft_most_side;
    bool forward = true;
    if (query.input_count != 0) {
        const Shape shape = checked_shape(query);
        side = shape.side;
        forward = shape.kind == Kind::complex_forward || shape.kind == Kind::real_forward;
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
    const double pixels = shape.pixels();
    const double half = shape.is_real() ? 0.5 : 1;
    const double lanes = fft_kernels_of(device.isa).lanes;
    const double lines = pixels / shape.side * half;  // complex transforms along one direction
    const bool shared = spread_of(device, shape) == Spread::inside_images;
    const Radices& radices = fft_radices[fft_side_index(shape.side)];
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_bytes_of(device, shape);
    cost.launches = spread_of(device, shape) == Spread::one_thread ? 0 : (shared ? 2 * shape.batch : 1);
    for (int direction = 0; direction < 2; ++direction) {
        vdt_cost_stage stage{};
        // Squares are turned, and real columns told apart: two operations a number.
        stage.work = lines * fft_operations(shape.side) + 2 * pixels;
        stage.span = fft_operations(shape.side);
        // Strips of as many lines as a vector has lanes, or whole images, each by one thread.
        const double pieces = shared ? lines / shape.batch / lanes : shape.batch;
        stage.width =
            thread_lanes(device.isa) * (spread_of(device, shape) == Spread::one_thread ? 1 : std::max(1.0, pieces));
        stage.divergence = 1;
        // One direction reads the input or writes the output; spectra stay in the second-level cache.
        stage.global_bytes = pixels * (direction == 0 ? 1 : half * 2) * sizeof(float) * (shape.is_real() ? 1 : 2);
        stage.global_refs = stage.global_bytes / 64;
        // Each pass loads and stores every number, a vector at a time; turning does once more.
        stage.shared_refs = 4 * lines * shape.side * (radices.count + 1) / lanes;
        add_stage(cost, stage);
    }
}

class Fft2Plan final : public Plan {
public:
    Fft2Plan(const Device& device, const vdt_query& query)
        : device_(device),
          shape_(checked_shape(query)),
          params_(*static_cast<const vdt_fft2_params*>(query.params)),
          kernels_(kernels_for(device, shape_)),
          spread_(spread_of(device, shape_)),
          roots_(make_fft_roots(shape_.side)),
          tiles_(tiles_of(device, shape_) * kernels_.tile_floats),
          spectra_(spectra_of(device, shape_) * spectrum_floats(shape_)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = *static_cast<const vdt_fft2_params*>(call.params);
        if (params.direction != params_.direction || params.batch != params_.batch || params.flags != params_.flags)
            throw Failure(VDT_E_ARGUMENT, "fft2: the parameters differ from those the plan was made for");
        if (spread_ == Spread::over_images) {
            // A few pieces for each worker, so that one that is late does not hold up the others.
            const std::uint32_t grain = std::max(1u, shape_.batch / (4 * device_.workers));
            parallel_for(device_, call.token, 0, shape_.batch, grain,
                         [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                             for (std::uint32_t image = begin; image < end; ++image) transform(call, image, worker);
                         });
            return VDT_OK;
        }
        for (std::uint32_t image = 0; image < shape_.batch; ++image) {
            if (image % 16 == 15) throw_if_cancelled(device_, call.token);
            if (spread_ == Spread::inside_images)
                transform_shared(call, image);
            else
                transform(call, image, 0);
        }
        return VDT_OK;
    }

private:
    FftRows rows_of(const vdt_image& image, std::uint32_t index) const {
        return {row_of<float>(image, 0, index * shape_.side), image.plane[0].row_stride};
    }
    float* tile_of(std::uint32_t worker) const { return tiles_.data() + std::size_t{worker} * kernels_.tile_floats; }
    float* spectrum_of(std::uint32_t worker) const {
        return spectra_.data() + std::size_t{worker} * spectrum_floats(shape_);
    }
    std::uint32_t strips() const { return shape_.is_real() ? kernels_.real_strips : kernels_.complex_strips; }
    std::uint32_t groups() const { return shape_.is_real() ? kernels_.real_groups : kernels_.complex_groups; }
    bool rows_come_first() const { return shape_.kind == Kind::real_inverse; }

    void run_strip(const vdt_call& call, std::uint32_t image, std::uint32_t strip, float* tile, float* spectrum) const {
        const std::uint32_t left = strip * (shape_.side / 2 / kernels_.real_strips);
        switch (shape_.kind) {
            case Kind::complex_forward:
            case Kind::complex_inverse:
                kernels_.complex_columns(roots_.data(), rows_of(*call.inputs[0], image),
                                         shape_.kind == Kind::complex_inverse, strip, tile, spectrum);
                break;
            case Kind::real_forward: {
                const FftRows in = rows_of(*call.inputs[0], image);
                kernels_.real_columns_forward(roots_.data(), in.first + left, in.first + left + shape_.side / 2,
                                              in.stride, tile, spectrum, strip);
                break;
            }
            case Kind::real_inverse: {
                const FftRows out = rows_of(*call.outputs[0], image);
                kernels_.real_columns_inverse(roots_.data(), spectrum, strip, tile, out.first + left,
                                              out.first + left + shape_.side / 2, out.stride);
                break;
            }
        }
    }
    void run_group(const vdt_call& call, std::uint32_t image, std::uint32_t group, float* spectrum) const {
        const float scale = 1.0F / static_cast<float>(shape_.side * shape_.side);
        float* const slots = spectrum + std::size_t{group} * kernels_.group_floats;
        switch (shape_.kind) {
            case Kind::complex_forward:
            case Kind::complex_inverse: {
                const bool inverse = shape_.kind == Kind::complex_inverse;
                kernels_.complex_rows(roots_.data(), spectrum, group, inverse, inverse ? scale : 1,
                                      rows_of(*call.outputs[0], image));
                break;
            }
            case Kind::real_forward:
                kernels_.rows_forward(roots_.data(), slots);
                kernels_.write_half(spectrum, group, rows_of(*call.outputs[0], image));
                break;
            case Kind::real_inverse:
                kernels_.read_half(rows_of(*call.inputs[0], image), scale, spectrum, group);
                kernels_.rows_inverse(roots_.data(), slots);
                break;
        }
    }

    void transform(const vdt_call& call, std::uint32_t image, std::uint32_t worker) const {
        float* const tile = tile_of(worker);
        float* const spectrum = spectrum_of(worker);
        const auto columns = [&] {
            for (std::uint32_t strip = 0; strip < strips(); ++strip) run_strip(call, image, strip, tile, spectrum);
        };
        if (!rows_come_first()) columns();
        for (std::uint32_t group = 0; group < groups(); ++group) run_group(call, image, group, spectrum);
        if (rows_come_first()) columns();
    }
    void transform_shared(const vdt_call& call, std::uint32_t image) const {
        float* const spectrum = spectra_.data();
        const auto columns = [&] {
            parallel_for(device_, call.token, 0, strips(), 1,
                         [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                             for (std::uint32_t strip = begin; strip < end; ++strip)
                                 run_strip(call, image, strip, tile_of(worker), spectrum);
                         });
        };
        if (!rows_come_first()) columns();
        parallel_for(device_, call.token, 0, groups(), 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            for (std::uint32_t group = begin; group < end; ++group) run_group(call, image, group, spectrum);
        });
        if (rows_come_first()) columns();
    }

    const Device& device_;
    Shape shape_;
    vdt_fft2_params params_;
    const FftSideKernels& kernels_;
    Spread spread_;
    AlignedFloats roots_, tiles_, spectra_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<Fft2Plan>(device, query);
}

constexpr const char* variants[] = {"strips"};

}  // namespace

const OperationEntry fft2_operation = {VDT_OP_FFT2, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
