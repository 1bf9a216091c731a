// resize: bilinear by half pixels or aligned corners, and area averages; letterboxed, and fused with the conversion to
// float. How: resize/resampler.h.
#include <algorithm>
#include <cmath>

#include "resize/resampler.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

const vdt_resize_params& params_of(const void* params) {
    return *static_cast<const vdt_resize_params*>(params);
}

bool by_area(const vdt_query& query, const ResizeJob& job) {
    return imaging::is_by_area(*query.inputs[0], job.area, params_of(query.params).method);
}

ResizeJob job_of(const vdt_image& in, const vdt_image& out, const vdt_resize_params& params) {
    const bool fused = imaging::is_fused(in.format, out.format);
    return {in.format,
            out.format,
            in.width,
            in.height,
            imaging::output_area(in, out, params.flags),
            fused ? params.scale : 1,
            fused ? params.offset : 0};
}

// Means of two by two, whichever method was asked for.
bool halves(const Device& device, const vdt_query& query, const ResizeJob& job) {
    return params_of(query.params).method != VDT_RESIZE_ALIGNED_CORNERS && is_halving(device, job);
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_resize(query, answer);
    if (query.input_count == 0) return;
    const ResizeJob job = job_of(*query.inputs[0], *query.outputs[0], params_of(query.params));
    answer.scratch_bytes = by_area(query, job) ? area_scratch_bytes(device, job) : bilinear_scratch_bytes(device, job);
}

// Instructions for an element of a row that is sampled across [kernels/resize.cc]: eight elements together where
// shuffles reach their neighbours, else one after the other.
double instructions_across(const Device& device, const ResizeJob& job) {
    constexpr double alone = 10;
    const PixelLayout from = pixels_of(job.in_format), to = pixels_of(job.out_format);
    if (device.isa == Isa::portable || from.depth != Depth::bits8 || from.planar || job.in_width < 2) return alone;
    if (to.planar) return from.channels == 3 && to.channels == 3 ? 50.0 / 24 : alone;
    // Four elements and those beside them lie in sixteen bytes.
    const std::uint32_t channels = from.channels, pixels = (2 + channels) / channels - (channels == 4 ? 1 : 0);
    const std::uint32_t step = (job.in_width + job.area.width - 1) / job.area.width;
    return pixels * step * channels + 2 * channels <= 16 ? 14.0 / 8 : alone;
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const vdt_resize_params& params = params_of(query.params);
    const ResizeJob job = job_of(in, out, params);
    const FormatLayout& from = *layout_of(in.format);
    const FormatLayout& to = *layout_of(out.format);
    const double in_channels = from.pixel_elements * from.planes, out_channels = to.pixel_elements * to.planes;
    const double in_elements = static_cast<double>(in.width) * in.height * in_channels;
    const double inner = static_cast<double>(job.area.width) * job.area.height * out_channels;
    const double out_bytes = static_cast<double>(out.width) * out.height * out_channels * to.element_bytes;
    const double lanes = instruction_lanes(device.isa);
    const bool vectors = device.isa != Isa::portable;
    vdt_cost_stage stage{};
    double pieces = 1;
    if (halves(device, query, job)) {
        // 32 bytes in 21 instructions, of three channels 24 in 27.
        const double each = !vectors ? 8 : out_channels == 3 ? 27.0 / 24 : 21.0 / 32;
        stage.work = inner * each * lanes;
        stage.span = 8;
        pieces = pieces_of(job.area.height, bilinear_grain(job));
        stage.global_bytes = traffic_of(in_elements * from.element_bytes, out_bytes);
        stage.shared_refs = in_elements / 4;
        cost.scratch_bytes = bilinear_scratch_bytes(device, job);
    } else if (by_area(query, job)) {
        // Each input row is covered once, or twice where it lies across an edge: a product into a sum. Then sums
        // across, of bytes gathered eight at a time, which takes some 30 instructions for each tap; and a
        // quotient.
        constexpr double covering = 7, quotient = 7, gathered = 30.0 / 8, added = 3;
        const double rows = in.height + job.area.height - 1.0;
        const double taps = std::ceil(static_cast<double>(in.width) / job.area.width) + 1;
        const bool gathers = vectors && from.element_bytes == 1;
        stage.work =
            rows * in.width * in_channels * covering + inner * (taps * (gathers ? gathered : added) + quotient) * lanes;
        stage.span = static_cast<double>(in.height) / job.area.height + static_cast<double>(in.width) / job.area.width;
        pieces = pieces_of(job.area.height, area_grain(job));
        stage.global_bytes = traffic_of(in_elements * from.element_bytes, out_bytes);
        stage.shared_refs = rows * in.width * in_channels * 2 / 8;
        cost.scratch_bytes = area_scratch_bytes(device, job);
    } else {
        // Rows that are sampled; of a row every cache line is touched unless it is shrunk beyond that.
        constexpr double between_rows = 10;
        const double rows = std::min<double>(in.height, 2.0 * job.area.height);
        const double pixel_bytes = in_channels * from.element_bytes / from.planes;
        const double row_bytes =
            std::min<double>(in.width * pixel_bytes, job.area.width * (2 * pixel_bytes + 64)) * from.planes;
        stage.work =
            rows * job.area.width * out_channels * instructions_across(device, job) * lanes + inner * between_rows;
        stage.span = 12;
        pieces = pieces_of(job.area.height, bilinear_grain(job));
        stage.global_bytes = traffic_of(rows * row_bytes, out_bytes);
        stage.shared_refs = (rows * job.area.width * out_channels + 2 * inner) / 8;
        cost.scratch_bytes = bilinear_scratch_bytes(device, job);
    }
    cost.flags = VDT_COST_EXACT;
    add_pieces(device, cost, stage.work, stage.span, pieces, stage.global_bytes, stage.shared_refs);
}

// By the kernels behind the resamplers.
const char* way(const Device& device, const vdt_query& query) {
    const vdt_format in = query.inputs[0]->format, out = query.outputs[0]->format;
    const ResizeJob job = job_of(*query.inputs[0], *query.outputs[0], params_of(query.params));
    const bool bytes = pixels_of(in).depth == Depth::bits8, color = pixels_of(in).channels != 1;
    if (halves(device, query, job)) return "rows, halved";
    if (by_area(query, job)) return bytes ? (color ? "area rows of colours" : "area rows of gray") : "area rows";
    if (!bytes || pixels_of(out).depth != Depth::bits8) return in == out ? "bilinear rows" : "bilinear rows, converted";
    return color ? "bilinear rows of colours" : "bilinear rows of gray";
}

class ResizePlan final : public Plan {
public:
    ResizePlan(const Device& device, const vdt_query& query)
        : params_(params_of(query.params)), job_(job_of(*query.inputs[0], *query.outputs[0], params_)) {
        if (by_area(query, job_))
            resampler_ = make_area(device, job_);
        else
            resampler_ = make_bilinear(
                device, job_,
                params_.method == VDT_RESIZE_ALIGNED_CORNERS ? Sampling::aligned_corners : Sampling::half_pixel);
    }

    vdt_code run(const vdt_call& call) override {
        const vdt_resize_params& params = params_of(call.params);
        const vdt_image& out = *call.outputs[0];
        imaging::check_resize_call(params, params_, job_.in_format, job_.out_format);
        resampler_->run(*call.inputs[0], out, call.token);
        if ((params.flags & VDT_RESIZE_LETTERBOX) != 0) fill_around(out, params.fill);
        return VDT_OK;
    }

private:
    void fill_around(const vdt_image& out, float fill) const {
        const OutputArea& area = job_.area;
        fill_rows(out, fill, 0, area.top, 0, out.width);
        fill_rows(out, fill, area.top, area.top + area.height, 0, area.left);
        fill_rows(out, fill, area.top, area.top + area.height, area.left + area.width, out.width);
        fill_rows(out, fill, area.top + area.height, out.height, 0, out.width);
    }

    static void fill_rows(const vdt_image& out, float fill, std::uint32_t top, std::uint32_t bottom, std::uint32_t left,
                          std::uint32_t right) {
        const FormatLayout& layout = *layout_of(out.format);
        const Depth depth = pixels_of(out.format).depth;
        const float rounded = imaging::fill_value(fill, out.format);
        const std::uint64_t begin = std::uint64_t{left} * layout.pixel_elements;
        const std::uint64_t end = std::uint64_t{right} * layout.pixel_elements;
        for (std::uint32_t plane = 0; plane < layout.planes; ++plane)
            for (std::uint32_t y = top; y < bottom; ++y) {
                if (depth == Depth::bits8) {
                    auto* const row = row_of<std::uint8_t>(out, plane, y);
                    std::fill(row + begin, row + end, static_cast<std::uint8_t>(rounded));
                } else if (depth == Depth::bits16) {
                    auto* const row = row_of<std::uint16_t>(out, plane, y);
                    std::fill(row + begin, row + end, static_cast<std::uint16_t>(rounded));
                } else {
                    auto* const row = row_of<float>(out, plane, y);
                    std::fill(row + begin, row + end, rounded);
                }
            }
    }

    vdt_resize_params params_;
    ResizeJob job_;
    std::unique_ptr<Resampler> resampler_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ResizePlan>(device, query);
}

constexpr const char* variants[] = {"rows"};

}  // namespace

const OperationEntry resize_operation = {VDT_OP_RESIZE, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cpu
