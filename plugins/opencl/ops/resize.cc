// resize: bilinear by half pixels or aligned corners, and area averages; letterboxed, and fused with the conversion to
// float, in one pass. How: kernels/resize.cl.
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <resize/request.h>
#include <resize/taps.h>

#include "operands.h"
#include "pixels.h"
#include "trial.h"

#include <algorithm>
#include <bit>

namespace vedette::opencl {

namespace {

using imaging::Sampling;

// Covered pixels that one work-item sums, where there are output pixels enough for all (estimate).
constexpr std::uint64_t most_of_item = 128;
constexpr std::size_t team_size = 64;

// As the kernels' records.
struct Frame {
    std::int32_t left = 0, top = 0, width = 0, height = 0;
    std::int32_t out_width = 0, out_height = 0;
    float fill = 0;
    float scale = 1, offset = 0;
    std::uint32_t unused = 0;
    std::uint64_t scale_bits = 0, offset_bits = 0, total = 0;
};
static_assert(sizeof(Frame) == 64);
struct Pair {
    std::int32_t left;
    float fraction;
};
struct Cover {
    std::int32_t first, last;
    std::uint32_t first_weight, last_weight;
};

const vdt_resize_params& params_of(const vdt_query& query) {
    return plugin::params_of<vdt_resize_params>(query);
}

// Of a query that `support` accepted.
struct ResizeJob {
    explicit ResizeJob(const vdt_query& query)
        : in(*query.inputs[0]),
          out(*query.outputs[0]),
          area(imaging::output_area(in, out, params_of(query).flags)),
          by_area(imaging::is_by_area(in, area, params_of(query).method)) {
        // Halfway between four whole numbers single precision is exact, and that is their mean.
        if (!layout_of_pixels(out.format).real() && in.width == 2 * area.width && in.height == 2 * area.height)
            by_area = false;
    }

    std::uint32_t channels() const {
        return std::min(layout_of_pixels(in.format).channels, layout_of_pixels(out.format).channels);
    }
    double covered() const {
        return (static_cast<double>(in.width) / area.width + 1) * (static_cast<double>(in.height) / area.height + 1);
    }
    bool by_team() const { return by_area && covered() > most_of_item; }
    std::uint64_t table_bytes() const {
        return (std::uint64_t{area.width} + area.height) * (by_area ? sizeof(Cover) : sizeof(Pair));
    }

    const vdt_image& in;
    const vdt_image& out;
    imaging::OutputArea area;
    bool by_area;
};

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_resize(query, answer);
    if (query.input_count != 0) answer.scratch_bytes = ResizeJob(query).table_bytes();
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const ResizeJob job(query);
    const PixelLayout from = layout_of_pixels(job.in.format), to = layout_of_pixels(job.out.format);
    const double channels = job.channels();
    const double results = static_cast<double>(job.area.width) * job.area.height;
    const double out_bytes = static_cast<double>(job.out.width) * job.out.height * pixel_bytes(job.out.format);
    const double gray = from.channels != 1 && to.channels == 1 ? 6 : 0;  // operations of each pixel that is read
    const double in_row_bytes = job.in.width * pixel_bytes(job.in.format);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = job.table_bytes();
    if (job.by_area) {
        // Sums of floats in integers that stand for doubles take about fifty operations each.
        const double each = from.real() && !device.limits().doubles ? 100 : 3;
        const double operations = job.covered() * (channels * each + gray + 4) + channels * 20;
        const double team = job.by_team() ? team_size : 1;
        plugin::add_launch(
            cost, plugin::even_stage(results * operations, operations / team + (team - 1) * channels, results * team,
                                     in_row_bytes * job.in.height + out_bytes, transaction_bytes));
        if (job.by_team()) cost.shared_bytes = team_size * job.channels() * sizeof(std::uint64_t);
        return;
    }
    // Rows that are sampled; a row is touched wholly unless its pixels lie several transactions apart.
    const double rows = std::min<double>(job.in.height, 2.0 * job.area.height);
    const double row_bytes =
        std::min(in_row_bytes, job.area.width * (2 * pixel_bytes(job.in.format) + transaction_bytes));
    const double operations = 20 + 4 * gray + channels * 18;
    plugin::add_launch(cost, plugin::even_stage(results * operations, operations, results, rows * row_bytes + out_bytes,
                                                transaction_bytes));
}

class ResizePlan final : public Plan {
public:
    ResizePlan(const Device& device, const vdt_query& query)
        : operands_(device),
          params_(params_of(query)),
          in_format_(query.inputs[0]->format),
          out_format_(query.outputs[0]->format) {
        const ResizeJob job(query);
        by_team_ = job.by_team();
        const PixelLayout from = layout_of_pixels(in_format_), to = layout_of_pixels(out_format_);
        const std::string defines =
            std::string("-D IN=") + from.type() + " -D OUT=" + to.type() + " -D IN_REAL=" + (from.real() ? "1" : "0") +
            " -D OUT_REAL=" + (to.real() ? "1" : "0") + " -D CHANNELS=" + std::to_string(job.channels());
        kernel_ = device.programs.kernel("resize",
                                         !job.by_area ? "resize_bilinear"
                                         : by_team_   ? "resize_area_team"
                                                      : "resize_area",
                                         defines);
        part_bytes_ = job.channels() * sizeof(std::uint64_t);
        frame_.left = static_cast<std::int32_t>(job.area.left);
        frame_.top = static_cast<std::int32_t>(job.area.top);
        frame_.width = static_cast<std::int32_t>(job.area.width);
        frame_.height = static_cast<std::int32_t>(job.area.height);
        frame_.out_width = static_cast<std::int32_t>(job.out.width);
        frame_.out_height = static_cast<std::int32_t>(job.out.height);
        frame_.total = std::uint64_t{job.in.width} * job.in.height;
        const bool fused = imaging::is_fused(in_format_, out_format_);
        const double scale = fused ? params_.scale : 1, offset = fused ? params_.offset : 0;
        frame_.scale = static_cast<float>(scale);
        frame_.offset = static_cast<float>(offset);
        frame_.scale_bits = std::bit_cast<std::uint64_t>(scale);
        frame_.offset_bits = std::bit_cast<std::uint64_t>(offset);
        make_tables(device, job);
        if (!by_team_) choose_group(device, job, defines);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_resize_params>(call);
        imaging::check_resize_call(params, params_, in_format_, out_format_);
        Operands::Call running(operands_, call);
        const DeviceImage in = operands_.input(0), out = operands_.output(0);
        Frame frame = frame_;
        frame.fill = imaging::fill_value(params.fill, out_format_);
        if (by_team_) {
            const std::size_t items = group_within(kernel_, team_size);
            start(operands_.queue(), in, out, frame, cover({out.width * items, out.height}, {items, 1}),
                  LocalBytes{items * part_bytes_});
        } else {
            start(operands_.queue(), in, out, frame, cover({out.width, out.height}, {group_.across, group_.down}));
        }
        running.finish();
        return VDT_OK;
    }

private:
    template <class... Local>
    void start(cl::Queue queue, const DeviceImage& in, const DeviceImage& out, const Frame& frame, const Range& range,
               const Local&... local) const {
        launch(queue, kernel_, range, in.plane(), plane_or_first(in, 1), plane_or_first(in, 2),
               layout_of_pixels(in_format_).word(), out.plane(), plane_or_first(out, 1), plane_or_first(out, 2),
               layout_of_pixels(out_format_).word(), frame, across_, down_, local...);
    }

    void choose_group(const Device& device, const ResizeJob& job, const std::string& defines) {
        const std::uint32_t rows = trial_rows(job.out.width, job.out.height);
        const std::string what = std::string(job.by_area ? "area " : "bilinear ") + defines + " from " +
                                 std::to_string(std::bit_width(job.in.width)) + " bits across";
        group_ = choose_shape(device, "resize", what, {&kernel_}, job.out.width, rows, [&](cl::Queue queue) {
            const TrialImage in(device, queue, in_format_, job.in.width, job.in.height);
            const TrialImage out(device, queue, out_format_, job.out.width, rows);
            return [this, queue, in, out](GroupShape shape) {
                Frame frame = frame_;
                frame.top = 0;  // not the border above the picture
                frame.out_height = static_cast<std::int32_t>(out.image().height);
                start(queue, in.image(), out.image(), frame,
                      cover({out.image().width, out.image().height}, {shape.across, shape.down}));
            };
        });
    }

    void make_tables(const Device& device, const ResizeJob& job) {
        const Queue queue = device.make_queue();
        const auto upload = [&](const auto& table, Buffer<std::byte>& to) {
            const std::size_t bytes = table.size() * sizeof(table[0]);
            to = device.buffer<std::byte>(bytes);
            write(queue.get(), to, reinterpret_cast<const std::byte*>(table.data()), bytes, cl::blocking);
        };
        const Sampling sampling =
            params_.method == VDT_RESIZE_ALIGNED_CORNERS ? Sampling::aligned_corners : Sampling::half_pixel;
        const auto make = [&](std::uint32_t in, std::uint32_t out, Buffer<std::byte>& to) {
            if (job.by_area) {
                std::vector<Cover> covers;
                for (const imaging::AreaTap& tap : imaging::area_taps(in, out))
                    covers.push_back({static_cast<std::int32_t>(tap.first), static_cast<std::int32_t>(tap.last),
                                      tap.first_weight, tap.last_weight});
                upload(covers, to);
                return;
            }
            std::vector<Pair> pairs;
            for (const imaging::PairTap& tap : imaging::pair_taps(sampling, in, out))
                pairs.push_back({static_cast<std::int32_t>(tap.left), tap.left == tap.right ? 0.0F : tap.fraction});
            upload(pairs, to);
        };
        make(job.in.width, job.area.width, across_);
        make(job.in.height, job.area.height, down_);
    }

    Operands operands_;
    vdt_resize_params params_;
    vdt_format in_format_, out_format_;
    bool by_team_ = false;
    std::size_t part_bytes_ = 0;  // of a work-item's sums
    Frame frame_;
    Kernel kernel_;
    GroupShape group_;
    Buffer<std::byte> across_, down_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ResizePlan>(device, query);
}

constexpr const char* variants[] = {"one pass"};

}  // namespace

extern const Operation resize_operation;
const Operation resize_operation = {VDT_OP_RESIZE, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
