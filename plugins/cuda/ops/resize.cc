// resize: bilinear by half pixels or aligned corners, and area averages; letterboxed, and fused with the conversion to
// float, in one pass over the rows that are needed. How: cuda/kernels/resize_bilinear.cu, resize_area.cu.
#include <kernels/resize.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "bands.h"
#include "operands.h"
#include "pixels.h"
#include "resize/request.h"
#include "resize/taps.h"

#include <algorithm>

namespace vedette::cuda_plugin {

namespace {

using imaging::Sampling;

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
        if (layout_of_pixels(out.format).depth != cuda::Depth::real32 && in.width == 2 * area.width &&
            in.height == 2 * area.height)
            by_area = false;
    }

    const vdt_image& in;
    const vdt_image& out;
    imaging::OutputArea area;
    bool by_area;
    std::uint64_t table_bytes() const {
        const std::uint64_t entry = by_area ? sizeof(cuda::AreaCover) : sizeof(cuda::PairPlace);
        return (std::uint64_t{area.width} + area.height) * entry;
    }
};

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_resize(query, answer);
    if (query.input_count != 0) answer.scratch_bytes = ResizeJob(query).table_bytes();
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const ResizeJob job(query);
    const cuda::PixelLayout from = layout_of_pixels(job.in.format), to = layout_of_pixels(job.out.format);
    const double channels = std::min(from.channels, to.channels);
    const double results = static_cast<double>(job.area.width) * job.area.height;
    const double out_bytes = static_cast<double>(job.out.width) * job.out.height * pixel_bytes(job.out.format);
    const double gray = from.channels != 1 && to.channels == 1 ? 6 : 0;  // operations of each pixel that is read
    const double in_row_bytes = job.in.width * pixel_bytes(job.in.format);
    vdt_cost_stage stage{};
    if (job.by_area) {
        const double covered = (static_cast<double>(job.in.width) / job.area.width + 1) *
                               (static_cast<double>(job.in.height) / job.area.height + 1);
        const double team =
            cuda::area_team(static_cast<std::int32_t>(job.in.width), static_cast<std::int32_t>(job.in.height),
                            static_cast<std::int32_t>(job.area.width), static_cast<std::int32_t>(job.area.height));
        const double operations = covered * (channels * 3 + gray + 4) + channels * 20;
        stage = plugin::even_stage(results * operations, operations / team, results * team,
                                   in_row_bytes * job.in.height + out_bytes, transaction_bytes);
    } else {
        // Rows that are sampled; a row is touched wholly unless its pixels lie several sectors apart.
        constexpr double sector = 32;
        const double rows = std::min<double>(job.in.height, 2.0 * job.area.height);
        const double row_bytes = std::min(in_row_bytes, job.area.width * (2 * pixel_bytes(job.in.format) + sector));
        const double operations = 20 + 4 * gray + channels * 18;
        stage = plugin::even_stage(results * operations, 2 * operations, results / 2, rows * row_bytes + out_bytes,
                                   transaction_bytes);
    }
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = job.table_bytes();
    plugin::add_launch(cost, stage);
}

const char* way(const Device&, const vdt_query& query) {
    return ResizeJob(query).by_area ? "one pass, area" : "one pass";
}

class ResizePlan final : public Plan {
public:
    ResizePlan(const Device& device, const vdt_query& query)
        : device_(device),
          operands_(device),
          params_(params_of(query)),
          in_format_(query.inputs[0]->format),
          out_format_(query.outputs[0]->format) {
        const ResizeJob job(query);
        by_area_ = job.by_area;
        columns_ = job.area.width;
        frame_.left = static_cast<std::int32_t>(job.area.left);
        frame_.top = static_cast<std::int32_t>(job.area.top);
        frame_.width = static_cast<std::int32_t>(job.area.width);
        frame_.height = static_cast<std::int32_t>(job.area.height);
        frame_.full_height = frame_.height;
        frame_.in_height = static_cast<std::int32_t>(job.in.height);
        if (imaging::is_fused(in_format_, out_format_)) {
            frame_.scale = params_.scale;
            frame_.offset = params_.offset;
        }
        const Sampling sampling =
            params_.method == VDT_RESIZE_ALIGNED_CORNERS ? Sampling::aligned_corners : Sampling::half_pixel;
        std::vector<cuda::AreaCover> covers;
        std::vector<cuda::PairPlace> pairs;
        for (const auto& [in, out] :
             {std::pair{job.in.width, job.area.width}, std::pair{job.in.height, job.area.height}})
            if (by_area_)
                for (const imaging::AreaTap& tap : imaging::area_taps(in, out)) {
                    covers.push_back({static_cast<std::int32_t>(tap.first), static_cast<std::int32_t>(tap.last),
                                      tap.first_weight, tap.last_weight});
                    spans_.push_back({tap.first, tap.last - tap.first + 1});
                }
            else
                for (const imaging::PairTap& tap : imaging::pair_taps(sampling, in, out)) {
                    pairs.push_back({static_cast<std::int32_t>(tap.left), tap.left == tap.right ? 0.0f : tap.fraction});
                    spans_.push_back({tap.left, tap.right - tap.left + 1});
                }
        spans_.erase(spans_.begin(), spans_.begin() + columns_);
        const void* const table = by_area_ ? static_cast<const void*>(covers.data()) : pairs.data();
        table_ = cuda::Block<std::byte>(device.cuda.memory, job.table_bytes());
        const cuda::Stream stream = cuda::make_stream();
        cuda::check(cudaMemcpyAsync(table_.data(), table, job.table_bytes(), cudaMemcpyHostToDevice, stream.get()),
                    "copying where pixels lie");
        cuda::synchronize(stream.get());
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_resize_params>(call);
        imaging::check_resize_call(params, params_, in_format_, out_format_);
        const std::uint32_t rows = call.outputs[0]->height;
        bands_.begin();
        bands_.run(rows, [&](const Rows& band) {
            try {
                if (band.count == rows)
                    make_rows(call, band, {0, call.inputs[0]->height});
                else
                    make_band(call, band);
            } catch (const cuda::Error&) {
                operands_.release();
                throw;
            }
        });
        return VDT_OK;
    }

private:
    // Rows of the output where device memory did not suffice for all.
    void make_band(const vdt_call& call, const Rows& band) {
        if (band.first == 0) begin_parts(call);
        plugin::throw_if_cancelled(*device_.host, call.token);
        const Rows shown = rows_shown(band);
        Rows span = spans_[shown.first];
        for (std::uint32_t row = shown.first; row < shown.end(); ++row) {
            const std::uint32_t end = std::max(span.end(), spans_[row].end());
            span.first = std::min(span.first, spans_[row].first);
            span.count = end - span.first;
        }
        const vdt_image in = rows_of(*call.inputs[0], span), out = rows_of(*call.outputs[0], band);
        const vdt_image* const inputs[] = {&in};
        const vdt_image* const outputs[] = {&out};
        vdt_call part = call;
        part.inputs = inputs;
        part.outputs = outputs;
        part.stream = nullptr;
        part.done = nullptr;
        make_rows(part, band, span);
        if (band.end() == call.outputs[0]->height) end_parts(call);
    }

    // The rows of the picture that lie in a band of the output: at least one, which kernels may look at though no pixel
    // of it is shown.
    Rows rows_shown(const Rows& band) const noexcept {
        const auto top = static_cast<std::uint32_t>(frame_.top), height = static_cast<std::uint32_t>(frame_.height);
        const std::uint32_t first = std::min(std::max(band.first, top) - top, height - 1);
        const std::uint32_t end = std::min(std::max(band.end(), top) - top, height);
        return {first, end > first ? end - first : 1};
    }

    // `call` has the rows `band` of the output and the rows `span` of the input.
    void make_rows(const vdt_call& call, const Rows& band, const Rows& span) {
        const Rows shown = rows_shown(band);
        cuda::ResizeFrame frame = frame_;
        frame.top += static_cast<std::int32_t>(shown.first) - static_cast<std::int32_t>(band.first);
        frame.height = static_cast<std::int32_t>(shown.count);
        const bool any = frame.top < static_cast<std::int32_t>(band.count) && frame.top + frame.height > 0;
        if (!any) frame.top = static_cast<std::int32_t>(band.count);
        frame.fill = imaging::fill_value(plugin::params_of<vdt_resize_params>(call).fill, out_format_);
        Operands::Call running(operands_, call);
        cuda::PixelPlanes in = pixel_planes(operands_.input(0));
        const cuda::PixelPlanes out = pixel_planes(operands_.output(0));
        // The table counts the rows of the whole input.
        for (auto& plane : in.plane)
            if (plane.data != nullptr) plane.data -= span.first * plane.stride;
        if (by_area_) {
            const auto* const covers = reinterpret_cast<const cuda::AreaCover*>(table_.data());
            cuda::resize_area(in, out, covers, covers + columns_ + shown.first, frame, operands_.stream());
        } else {
            const auto* const pairs = reinterpret_cast<const cuda::PairPlace*>(table_.data());
            cuda::resize_bilinear(in, out, pairs, pairs + columns_ + shown.first, frame, operands_.stream());
        }
        running.finish();
    }

    const Device& device_;
    Operands operands_;
    vdt_resize_params params_;
    vdt_format in_format_, out_format_;
    bool by_area_ = false;
    std::uint32_t columns_ = 0;
    cuda::ResizeFrame frame_;
    cuda::Block<std::byte> table_;  // across, then down
    std::vector<Rows> spans_;       // of the input, under each row of the picture
    Bands bands_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ResizePlan>(device, query);
}

constexpr const char* variants[] = {"one pass"};

}  // namespace

const Operation resize_operation = {VDT_OP_RESIZE, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cuda_plugin
