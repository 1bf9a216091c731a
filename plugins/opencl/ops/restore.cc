// restore: multiplicative iterative restoration (blind and with a known point-spread function) and Richardson-Lucy. All
// images of a job side by side, nothing read back between iterations. How: kernels/restore.cl.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/loop.hpp>
#include <vedette/plugin/cpp/restore_checks.hpp>

#include "fft_form.h"
#include "operands.h"

#include <algorithm>
#include <limits>

namespace vedette::opencl {

namespace {

// Places in an image's scratch, as the kernels have them; in floats.
struct Layout {
    std::uint32_t square, packed_square;
    bool blind;

    explicit Layout(const plugin::RestoreRequest& request)
        : square(request.side * request.side),
          packed_square(request.side * (request.side + 8)),
          blind(request.method == VDT_RESTORE_MIA_BLIND) {}

    std::uint32_t estimate() const { return 0; }
    std::uint32_t packed() const { return (blind ? 5 : 3) * square; }
    std::uint32_t floats() const { return packed() + (blind ? 4 : 1) * packed_square; }
    // Blind.
    std::uint32_t spread_estimate() const { return square; }
    std::uint32_t spectra() const { return 2 * square; }  // of both estimates
    std::uint32_t blurred() const { return 4 * square; }  // the image's spectrum
    std::uint32_t spread_packed() const { return packed() + packed_square; }
    // Others.
    std::uint32_t given() const { return square; }
    std::uint32_t lens() const { return 2 * square; }
};

constexpr std::size_t most_scratch_bytes = std::size_t{64} << 20;  // of a job's images (estimate)

std::uint32_t images_of_job(const Device& device, const plugin::RestoreRequest& request) {
    const std::size_t most = std::min(most_scratch_bytes, device.limits().largest_allocation);
    const std::size_t images = std::max<std::size_t>(1, most / (Layout(request).floats() * sizeof(float)));
    return static_cast<std::uint32_t>(std::min<std::size_t>(request.batch, images));
}

std::uint64_t scratch_bytes_of(const Device& device, const plugin::RestoreRequest& request) {
    return sizeof(float) * (std::uint64_t{Layout(request).floats()} * images_of_job(device, request) +
                            std::uint64_t{2} * request.side + 3 + request.batch);
}

// Iterations that are queued together: few at first, so that a call with a small limit ends soon, and then as many as a
// small device does in some hundredths of a second (estimate: 2^23 pixels).
constexpr std::uint32_t first_iterations = 8;
std::uint32_t most_iterations(const plugin::RestoreRequest& request, std::uint32_t images) {
    return std::max(1u, (1u << 23) / (request.side * request.side) / images);
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    // For pixels up to 255 and up to 200 iterations: two per cent of the range in any one pixel. The 2-norm of all
    // differences stays below 0.2 % of the image's: single pixels on steep edges are what differs most.
    answer.tolerance = 0.02 * 255;
    if (query.input_count == 0) return;
    answer.scratch_bytes = scratch_bytes_of(device, plugin::checked_restore(query));
}

// Kernels of an iteration, and its transforms along one direction (each of which the other direction has as well).
std::uint32_t kernels_of_iteration(std::uint32_t method) {
    return method == VDT_RESTORE_RICHARDSON_LUCY ? 4 : method == VDT_RESTORE_MIA_BLIND ? 3 : 2;
}
double transforms_of_iteration(std::uint32_t method) {
    return method == VDT_RESTORE_MIA_BLIND ? 6 : method == VDT_RESTORE_MIA_KNOWN ? 2 : 4;
}

// One stage for all kernels along x and one for all along y: an iteration's own repeat so often that nobody would want
// them one by one.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const plugin::RestoreRequest request = plugin::checked_restore(query);
    const FftForm form = FftForms(device.limits(), request.side).front();
    const std::uint32_t images = images_of_job(device, request);
    const double jobs = (request.batch + images - 1) / images;
    const double numbers = static_cast<double>(request.side) * request.side / 2 * request.batch;
    const bool known = request.method == VDT_RESTORE_MIA_KNOWN, blind = request.method == VDT_RESTORE_MIA_BLIND;
    // Of the loop and of what comes before it.
    const double transforms = transforms_of_iteration(request.method) * request.iterations + (known ? 4 : 2);
    const double kernels = static_cast<double>(kernels_of_iteration(request.method)) * request.iterations;
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_bytes_of(device, request);
    cost.shared_bytes = form.local_bytes();
    cost.launches = static_cast<std::uint32_t>(std::min(jobs * (kernels + (known ? 6 : blind ? 5 : 4)), 4e9));
    for (const bool along_y : {false, true}) {
        // Taking rows apart and multiplying; or the step with its division.
        const double operations = fft_operations_of_number(request.side) + (along_y ? 8 : 10);
        // Numbers that are read and written in an iteration: packed ones, spectra, and as pixels what steps need. Blind
        // along x: two squares to spectra, each of four products from two spectra; along y four squares, two estimates.
        const double steps = request.method == VDT_RESTORE_RICHARDSON_LUCY ? 2 : 1;
        const double moved = along_y ? (blind ? 10 : steps * (known ? 5 : 4)) : (blind ? 16 : steps * 3);
        vdt_cost_stage stage =
            plugin::even_stage(numbers * operations * transforms, 8 * operations * transforms * jobs,
                               numbers / 8 / jobs, numbers * 8 * moved * request.iterations, transaction_bytes);
        stage.shared_refs = transforms * numbers * 4 * (request.side > 64 ? 2 : 1);
        plugin::add_stage(cost, stage);
    }
}

// A kernel of the loop.
struct Step {
    Kernel kernel;
    std::uint32_t squares = 1;  // of an image, groups of their own
    bool on_pixels = false;     // between transforms along y, and so with epsilon
};

// METHOD of the kernels that all methods begin and end with.
constexpr std::uint32_t of_all_methods = 0;

// The kernels of a method in one form.
struct Kernels {
    Kernels(const Device& device, const plugin::RestoreRequest& request, const FftForm& by)
        : layout(request), form(by) {
        const auto kernel_of = [&](std::uint32_t method, const char* name) {
            if (one_program_for_all(device.limits())) method = 4;
            return device.programs.kernel("restore", name, form.defines() + " -D METHOD=" + std::to_string(method));
        };
        const auto kernel = [&](const char* name) { return kernel_of(request.method, name); };
        begin = kernel_of(of_all_methods, "begin");
        spectrum = kernel_of(of_all_methods, "spectrum");
        end = kernel_of(of_all_methods, "end");
        switch (request.method) {
            case VDT_RESTORE_MIA_BLIND:
                loop.push_back({kernel("products"), 4});
                loop.push_back({kernel("blind_ratio"), 2, true});
                break;
            case VDT_RESTORE_MIA_KNOWN:
                before.push_back({kernel("through_conjugate")});
                before.push_back({kernel("numerator"), 1, true});
                loop.push_back({kernel("through_power")});
                loop.push_back({kernel("ratio"), 1, true});
                break;
            default:
                loop.push_back({kernel("through")});
                loop.push_back({kernel("quotient"), 1, true});
                loop.push_back({kernel("through_conjugate")});
                loop.push_back({kernel("product"), 1, true});
        }
    }

    Layout layout;
    FftForm form;
    Kernel begin, spectrum, end;
    std::vector<Step> before, loop;
};

// Work on `images` images side by side, of which the scratch holds so many.
class Restoring {
public:
    Restoring(const Kernels& kernels, cl::Queue queue, const Buffer<float>& scratch, const Buffer<float>& roots,
              std::uint32_t images, float epsilon)
        : kernels_(kernels), queue_(queue), scratch_(scratch), roots_(roots), images_(images), epsilon_(epsilon) {}

    // Images `first` and so on of the call; `found` is what the kernels write what is wrong to.
    void begin(const Plane& blurred, const Plane& spread, std::uint32_t first,
               const Buffer<std::int32_t>& found) const {
        const Layout& at = kernels_.layout;
        const auto load = [&](const Plane& image, bool is_spread, std::uint32_t square, std::uint32_t other_square,
                              std::uint32_t packed) {
            launch(queue_, kernels_.begin, range(1), image, first, std::uint32_t{is_spread}, square, other_square,
                   packed, scratch_, at.floats(), roots_, found);
        };
        if (at.blind) {
            load(spread, true, at.spread_estimate(), at.spread_estimate(), at.spread_packed());
            load(blurred, false, at.estimate(), at.estimate(), at.packed());
            transform_rows(1, at.packed(), at.blurred());
            return;
        }
        load(spread, true, at.given(), at.given(), at.packed());
        transform_rows(1, at.packed(), at.lens());
        load(blurred, false, at.estimate(), at.given(), at.packed());
        // The numerator IFFT(conj(H) G) of the known method is the same in every iteration; then only |H|^2 is needed.
        run(kernels_.before);
    }
    void iterate() const {
        if (kernels_.layout.blind) transform_rows(2, kernels_.layout.packed(), kernels_.layout.spectra());
        run(kernels_.loop);
    }
    // A square of each image to the result.
    void end(std::uint32_t square, const Plane& image, std::uint32_t first) const {
        const std::uint32_t side = kernels_.form.side;
        const std::size_t across = std::min<std::size_t>(side, group_within(kernels_.end, 64));
        launch(queue_, kernels_.end, cover({side, side, images_}, {across, 1, 1}), scratch_, kernels_.layout.floats(),
               square, image, first);
    }

private:
    Range range(std::uint32_t squares) const { return kernels_.form.range(kernels_.form.side / 2, squares * images_); }
    // `count` packed squares of each image to spectra.
    void transform_rows(std::uint32_t count, std::uint32_t from, std::uint32_t to) const {
        launch(queue_, kernels_.spectrum, range(count), scratch_, kernels_.layout.floats(), roots_, count, from, to);
    }
    void run(const std::vector<Step>& steps) const {
        for (const Step& step : steps)
            if (step.on_pixels)
                launch(queue_, step.kernel, range(step.squares), scratch_, kernels_.layout.floats(), roots_, epsilon_);
            else
                launch(queue_, step.kernel, range(step.squares), scratch_, kernels_.layout.floats(), roots_);
    }

    const Kernels& kernels_;
    const cl::Queue queue_;
    const Buffer<float>& scratch_;
    const Buffer<float>& roots_;
    const std::uint32_t images_;
    const float epsilon_;
};

class RestorePlan final : public Plan {
public:
    RestorePlan(const Device& device, const vdt_query& query)
        : device_(device),
          request_(plugin::checked_restore(query)),
          params_(plugin::params_of<vdt_restore_params>(query)),
          layout_(request_),
          images_(images_of_job(device, request_)),
          operands_(device),
          roots_(fft_roots(device, request_.side)),
          scratch_(device.buffer<float>(std::size_t{layout_.floats()} * images_)),
          found_(device.buffer<std::int32_t>(positive + request_.batch)),
          problems_(positive + request_.batch),
          kernels_(device, request_, choose_fft_form(device, request_.side, images_, roots_)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_restore_params>(call);
        if (params.method != params_.method || params.iterations != params_.iterations ||
            params.batch != params_.batch || params.epsilon != params_.epsilon)
            throw Failure(VDT_E_ARGUMENT, "restore: the parameters differ from those the plan was made for");
        Operands::Call running(operands_, call);
        const Plane blurred = operands_.input(0).plane(), spread = operands_.input(1).plane();
        const Plane restored = operands_.output(0).plane();
        const Plane final_spread = layout_.blind ? operands_.output(1).plane() : Plane{};
        std::fill_n(problems_.begin(), positive, none);
        std::fill(problems_.begin() + positive, problems_.end(), 0);
        write(queue(), found_, problems_.data(), problems_.size());
        for (std::uint32_t image = 0; image < request_.batch; image += images_) {
            const std::uint32_t images = std::min(images_, request_.batch - image);
            const Restoring restoring(kernels_, queue(), scratch_, roots_, images, request_.epsilon);
            restoring.begin(blurred, spread, image, found_);
            // What the pixels tell is known when the device gets here.
            check(cl::api().EnqueueReadBuffer(queue(), found_.get(), cl::queued, 0, found_.bytes(), problems_.data(), 0,
                                              nullptr, nullptr),
                  "copying from the device");
            iterate(restoring, images, image + images, call.token);
            restoring.end(layout_.estimate(), restored, image);
            if (layout_.blind) restoring.end(layout_.spread_estimate(), final_spread, image);
        }
        // A call without a stream waits once only.
        if (call.stream != nullptr) {
            running.wait();
            throw_if_wrong(request_.batch);
        }
        running.finish();
        throw_if_wrong(request_.batch);
        return VDT_OK;
    }

private:
    // As the kernels number what is wrong.
    enum Problem : std::size_t { blurred_row, spread_row, negative_row, positive };
    static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

    cl::Queue queue() const { return operands_.queue(); }

    // Never more than two portions ahead of the device, so that a call that is cancelled ends soon. Images before
    // `begun` have been looked at.
    void iterate(const Restoring& restoring, std::uint32_t images, std::uint32_t begun, vdt_token* token) const {
        const std::uint32_t most = most_iterations(request_, images);
        std::uint32_t portion = std::min(first_iterations, most);
        Event ended[2];
        for (std::uint32_t left = request_.iterations, turn = 0; left > 0; ++turn) {
            if (const cl::Event event = ended[turn % 2].get(); event != nullptr) {
                check_wait(cl::api().WaitForEvents(1, &event), "waiting for iterations");
                throw_if_wrong(begun);
            }
            plugin::throw_if_cancelled(*device_.host, token);
            portion = std::min(portion, left);
            for (std::uint32_t iteration = 0; iteration < portion; ++iteration) restoring.iterate();
            left -= portion;
            if (left > 0) ended[turn % 2] = mark(queue());
            portion = std::min(2 * portion, most);
        }
    }

    // Of the images before `checked`.
    void throw_if_wrong(std::uint32_t checked) const {
        const auto refuse_value = [](int input, std::int32_t row) {
            throw Failure(VDT_E_ARGUMENT, "restore: input " + std::to_string(input) + " holds a value in row " +
                                              std::to_string(row) + " that is not finite");
        };
        if (problems_[blurred_row] != none) refuse_value(0, problems_[blurred_row]);
        if (problems_[spread_row] != none) refuse_value(1, problems_[spread_row]);
        if (problems_[negative_row] != none)
            throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function has a negative value in row " +
                                              std::to_string(problems_[negative_row]));
        for (std::uint32_t image = 0; image < checked; ++image)
            if (problems_[positive + image] == 0)
                throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function of image " + std::to_string(image) +
                                                  " is zero everywhere; it must have at least one positive value");
    }

    const Device& device_;
    plugin::RestoreRequest request_;
    vdt_restore_params params_;
    Layout layout_;
    std::uint32_t images_;  // of a job
    Operands operands_;
    Buffer<float> roots_;
    Buffer<float> scratch_;
    Buffer<std::int32_t> found_;
    std::vector<std::int32_t> problems_;
    Kernels kernels_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<RestorePlan>(device, query);
}

constexpr const char* variants[] = {"resident loop"};

}  // namespace

extern const Operation restore_operation;
const Operation restore_operation = {VDT_OP_RESTORE, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
