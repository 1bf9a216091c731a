// resize: bilinear by half pixels or aligned corners, and area averages; letterboxed, and fused with the conversion to
// float. How: resize/resampler.h.
#include <algorithm>
#include <cmath>
#include <string>

#include "resize/resampler.h"
#include "stages.h"

namespace vedette::cpu {

namespace {

const vdt_resize_params& params_of(const void* params) {
    return *static_cast<const vdt_resize_params*>(params);
}

bool is_real(vdt_format format) {
    return pixels_of(format).depth == Depth::real32;
}

// All of the output, or the largest centred part with the input's aspect ratio.
OutputArea area_of(const vdt_image& in, const vdt_image& out, std::uint32_t flags) {
    std::uint64_t width = out.width, height = out.height;
    if ((flags & VDT_RESIZE_LETTERBOX) != 0) {
        if (width * in.height < height * in.width)
            height = std::max<std::uint64_t>(1, in.height * width / in.width);
        else
            width = std::max<std::uint64_t>(1, in.width * height / in.height);
    }
    return {static_cast<std::uint32_t>((out.width - width) / 2), static_cast<std::uint32_t>((out.height - height) / 2),
            static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
}

bool by_area(const ResizeJob& job, std::uint32_t method) {
    return method == VDT_RESIZE_AREA && job.area.width <= job.in_width && job.area.height <= job.in_height;
}

ResizeJob job_of(const vdt_image& in, const vdt_image& out, const vdt_resize_params& params) {
    const bool fused = is_real(out.format) && !is_real(in.format);
    return {in.format,
            out.format,
            in.width,
            in.height,
            area_of(in, out, params.flags),
            fused ? params.scale : 1,
            fused ? params.offset : 0};
}

std::uint64_t outputs_of(vdt_format in) {
    const Depth depth = pixels_of(in).depth;
    std::uint64_t formats = 0;
    for (vdt_format format = 1; format < VDT_FORMAT_COUNT; ++format)
        if (is_color(format) && (is_real(format) || pixels_of(format).depth == depth))
            formats |= VDT_FORMAT_BIT(format);
    return formats;
}

void check_format(const vdt_image& image, std::uint64_t formats, const char* role) {
    if (image.format < VDT_FORMAT_COUNT && (formats & VDT_FORMAT_BIT(image.format)) != 0) return;
    const FormatLayout* const layout = layout_of(image.format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("resize: the ") + role + " cannot have the format " +
                                                (layout == nullptr ? "NONE" : layout->name));
}

void check_values(const vdt_resize_params& params, vdt_format in, vdt_format out) {
    if (params.method < VDT_RESIZE_HALF_PIXEL || params.method > VDT_RESIZE_ALIGNED_CORNERS)
        throw Failure(VDT_E_ARGUMENT, "resize: there is no method " + std::to_string(params.method));
    if ((params.flags & ~std::uint32_t{VDT_RESIZE_LETTERBOX}) != 0)
        throw Failure(VDT_E_ARGUMENT, "resize: the only flag is letterbox");
    if ((params.flags & VDT_RESIZE_LETTERBOX) != 0 && !std::isfinite(params.fill))
        throw Failure(VDT_E_ARGUMENT, "resize: fill must be finite");
    if (is_real(out) && !is_real(in) && !(std::isfinite(params.scale) && std::isfinite(params.offset)))
        throw Failure(VDT_E_ARGUMENT, "resize: scale and offset must be finite");
}

// Largest difference from the exact value. Bilinear: five roundings of single precision along a row and four down,
// each to 2^-24 of a value that is at most twice the largest; then scale, product, offset and sum. Area averages of
// integers are exact up to the last rounding, those of floats lose 2^-53 for each covered pixel.
double tolerance_of(const ResizeJob& job, std::uint32_t method) {
    constexpr double step = 0x1p-24;
    const Depth from = pixels_of(job.in_format).depth;
    const double largest = largest_value(from);
    const double scaled = largest * std::abs(job.scale) + std::abs(job.offset);
    if (by_area(job, method)) return is_real(job.out_format) ? scaled * 2 * step : 0;
    if (is_real(job.out_format)) return largest * std::abs(job.scale) * 16 * step + scaled * 4 * step;
    return 1;  // where the exact value lies on the edge between two results
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = color_formats;
    answer.output_formats = color_formats;
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 1;
    if (query.input_count == 0) return;
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "resize takes one input and one output");
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    check_format(in, color_formats, "input");
    answer.output_formats = outputs_of(in.format);
    check_format(out, answer.output_formats, "output of this input");
    const vdt_resize_params& params = params_of(query.params);
    check_values(params, in.format, out.format);
    const ResizeJob job = job_of(in, out, params);
    const bool area = by_area(job, params.method);
    answer.tolerance = tolerance_of(job, params.method);
    if (answer.tolerance == 0) answer.determinism = VDT_DETERMINISM_EXACT;
    answer.scratch_bytes = area ? area_scratch_bytes(device, job) : bilinear_scratch_bytes(device, job);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const vdt_resize_params& params = params_of(query.params);
    const ResizeJob job = job_of(in, out, params);
    const FormatLayout& from = *layout_of(in.format);
    const FormatLayout& to = *layout_of(out.format);
    const double in_channels = from.pixel_elements * from.planes, out_channels = to.pixel_elements * to.planes;
    const double inner = static_cast<double>(job.area.width) * job.area.height * out_channels;
    const double out_bytes = static_cast<double>(out.width) * out.height * out_channels * to.element_bytes;
    vdt_cost_stage stage{};
    stage.divergence = 1;
    if (by_area(job, params.method)) {
        // Each input row is covered once, or twice where it lies across an edge.
        const double rows = in.height + job.area.height - 1.0;
        stage.work = rows * in.width * in_channels * 2 + job.area.height * (in.width * in_channels) + inner * 6;
        stage.span = static_cast<double>(in.height) / job.area.height + static_cast<double>(in.width) / job.area.width;
        stage.width = job.area.height * static_cast<double>(in.width) * in_channels;
        stage.global_bytes = static_cast<double>(in.width) * in.height * in_channels * from.element_bytes + out_bytes;
        stage.shared_refs = rows * in.width * in_channels * 2 / 8;
        cost.scratch_bytes = area_scratch_bytes(device, job);
    } else {
        // Rows that are sampled; of a row every cache line is touched unless it is shrunk beyond that.
        const double rows = std::min<double>(in.height, 2.0 * job.area.height);
        const double pixel_bytes = in_channels * from.element_bytes / from.planes;
        const double row_bytes =
            std::min<double>(in.width * pixel_bytes, job.area.width * (2 * pixel_bytes + 64)) * from.planes;
        stage.work = rows * job.area.width * out_channels * 6 + inner * 6;
        stage.span = 12;
        stage.width = inner;
        stage.global_bytes = rows * row_bytes + out_bytes;
        stage.shared_refs = (rows * job.area.width * out_channels + 2 * inner) / 8;
        cost.scratch_bytes = bilinear_scratch_bytes(device, job);
    }
    stage.global_refs = stage.global_bytes / 64;
    cost.flags = VDT_COST_EXACT;
    cost.launches = 1;
    add_stage(cost, stage);
}

class ResizePlan final : public Plan {
public:
    ResizePlan(const Device& device, const vdt_query& query)
        : params_(params_of(query.params)), job_(job_of(*query.inputs[0], *query.outputs[0], params_)) {
        if (by_area(job_, params_.method))
            resampler_ = make_area(device, job_);
        else
            resampler_ = make_bilinear(
                device, job_,
                params_.method == VDT_RESIZE_ALIGNED_CORNERS ? Sampling::aligned_corners : Sampling::half_pixel);
    }

    vdt_code run(const vdt_call& call) override {
        const vdt_resize_params& params = params_of(call.params);
        const vdt_image& out = *call.outputs[0];
        check_values(params, job_.in_format, job_.out_format);
        const bool fused = is_real(job_.out_format) && !is_real(job_.in_format);
        if (params.method != params_.method || params.flags != params_.flags ||
            (fused && (params.scale != params_.scale || params.offset != params_.offset)))
            throw Failure(VDT_E_ARGUMENT, "resize: the parameters differ from those the plan was made for");
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
        const double rounded = std::clamp(std::floor(fill + 0.5), 0.0, largest_value(depth));
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
                    std::fill(row + begin, row + end, fill);
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

const OperationEntry resize_operation = {VDT_OP_RESIZE, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
