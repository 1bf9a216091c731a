// convert: between all 8-bit, 16-bit and float colour formats. Exact: every value is rounded once from the formula of
// ops.h.
#include "kernels/convert.h"

#include <vedette/plugin/cpp/convert_checks.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "formats.h"
#include "kernels/per_isa.h"
#include "parallel.h"
#include "pixels.h"
#include "processor.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(ConvertKernels, convert_kernels)

namespace {

constexpr std::uint64_t formats = color_formats;
// Pieces of about this many pixels: far above the cost of handing out a piece, far below the caches.
constexpr std::uint32_t piece_pixels = 1u << 15;
// Smaller images are one piece: a second thread gains nothing on 300 x 200 pixels (0.021 to 0.022 ms with two, 0.014 to
// 0.021 with one; bgra to bgr, medians of three runs, 2-core Zen 3, AVX2).
constexpr std::uint32_t fewest_pixels = 1u << 17;

void check_format(vdt_format format, const char* role) {
    if (format < 64 && (formats & VDT_FORMAT_BIT(format)) != 0) return;
    const FormatLayout* const layout = layout_of(format);
    throw Failure(VDT_E_UNSUPPORTED_FORMAT, std::string("convert: the ") + role + "'s format " +
                                                (layout == nullptr ? "NONE" : layout->name) +
                                                " is not a colour format");
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = formats;
    answer.output_formats = formats;
    if (query.input_count == 0) return;
    if (query.input_count != 1 || query.output_count != 1)
        throw Failure(VDT_E_ARGUMENT, "convert takes one input and one output");
    check_format(query.inputs[0]->format, "input");
    check_format(query.outputs[0]->format, "output");
    plugin::check_convert(query);
}

// Rows that one thread takes at a time.
std::uint32_t grain_of(const vdt_image& in) {
    const std::uint32_t pixels = std::uint64_t{in.width} * in.height < fewest_pixels ? fewest_pixels : piece_pixels;
    return std::max(1u, pixels / in.width);
}

bool takes_bytes(const PixelLayout& from, const PixelLayout& to) {
    return from.depth == Depth::bits8 && from.channels != 1 && to.depth == Depth::bits8;
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const double pixels = static_cast<double>(in.width) * in.height;
    const auto bytes_of = [pixels](vdt_format format) {
        const FormatLayout& layout = *layout_of(format);
        return pixels * layout.element_bytes * layout.pixel_elements * layout.planes;
    };
    const PixelLayout from = pixels_of(in.format);
    const PixelLayout to = pixels_of(out.format);
    const bool to_gray = to.channels == 1 && from.channels != 1;
    double each = 0;
    if (takes_bytes(from, to)) {
        // 32 pixels in 41 instructions, and sixteen in sixteen where bytes are only put in another order; one pixel
        // after the other without shuffles.
        const bool shuffles = device.isa != Isa::portable;
        each = (to_gray ? (shuffles ? 41.0 / 32 : 8) : shuffles ? 1 : 6) * instruction_lanes(device.isa);
    } else {
        // Multiplications and additions of the gray sum, then one step a channel for the depth.
        const double depth =
            from.depth == to.depth ? 1 : (from.depth == Depth::real32 || to.depth == Depth::real32 ? 3 : 2);
        each = (to_gray ? 6 : 0) + depth * to.channels;
    }
    // Bytes in another order are written past the caches.
    const bool streams = takes_bytes(from, to) && !to_gray;
    const double traffic =
        streams ? bytes_of(in.format) + bytes_of(out.format) : traffic_of(bytes_of(in.format), bytes_of(out.format));
    cost.flags = VDT_COST_EXACT;
    add_pieces(device, cost, pixels * each, 8, pieces_of(in.height, grain_of(in)), traffic, 0);
}

// The ways of convert_row.
const char* way(const Device&, const vdt_query& query) {
    const vdt_format in = query.inputs[0]->format, out = query.outputs[0]->format;
    const PixelLayout from = pixels_of(in), to = pixels_of(out);
    if (in == out) return "copied rows";
    if (takes_bytes(from, to)) return to.channels == 1 ? "rows of bytes to gray" : "rows of bytes in another order";
    return "rows";
}

std::uint64_t bytes_of(const vdt_image& image) {
    const FormatLayout& layout = *layout_of(image.format);
    return row_bytes(layout, image.width) * image.height * layout.planes;
}

class ConvertPlan final : public Plan {
public:
    ConvertPlan(const Device& device, const vdt_image& in, const vdt_image& out, const vdt_convert_params& params)
        : device_(device),
          kernels_(select_convert_kernels(device.isa)),
          from_(pixels_of(in.format)),
          to_(pixels_of(out.format)),
          same_(in.format == out.format),
          past_caches_(goes_past_caches(bytes_of(in) + bytes_of(out))),
          scale_(kernels_.make_scale(params.scale, params.offset)) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = *static_cast<const vdt_convert_params*>(call.params);
        const vdt_image& in = *call.inputs[0];
        const vdt_image& out = *call.outputs[0];
        plugin::check_convert_values(params, in.format, out.format);
        const bool scaled = plugin::is_real_format(in.format) != plugin::is_real_format(out.format);
        if (scaled && (params.scale != scale_.scale || params.offset != scale_.offset))
            throw Failure(VDT_E_ARGUMENT, "convert: scale and offset differ from those the plan was made for");
        parallel_for(device_, call.token, 0, in.height, grain_of(in),
                     [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                         for (std::uint32_t y = begin; y < end; ++y) convert_row(in, out, y);
                     });
        return VDT_OK;
    }

private:
    void convert_row(const vdt_image& in, const vdt_image& out, std::uint32_t y) const {
        if (same_) return copy_row(in, out, y);
        if (takes_bytes(from_, to_)) {
            const auto* const first = row_of<const std::uint8_t>(in, 0, y);
            auto* const result = row_of<std::uint8_t>(out, 0, y);
            if (to_.channels == 1) return kernels_.gray8(first, from_.channels, from_.rgb, result, in.width);
            return kernels_.reorder8(first, from_.channels, result, to_.channels, from_.rgb != to_.rgb, in.width,
                                     past_caches_);
        }
        ConvertRow row{};
        row.from = from_;
        row.to = to_;
        row.width = in.width;
        row.scale = scale_;
        for (std::uint32_t plane = 0; plane < in.plane_count; ++plane) row.in[plane] = row_of<const void>(in, plane, y);
        for (std::uint32_t plane = 0; plane < out.plane_count; ++plane) row.out[plane] = row_of<void>(out, plane, y);
        kernels_.row(row);
    }

    static void copy_row(const vdt_image& in, const vdt_image& out, std::uint32_t y) {
        const FormatLayout& layout = *layout_of(in.format);
        for (std::uint32_t plane = 0; plane < layout.planes; ++plane)
            std::memcpy(row_of<void>(out, plane, y), row_of<const void>(in, plane, y), row_bytes(layout, in.width));
    }

    const Device& device_;
    const ConvertKernels& kernels_;
    PixelLayout from_;
    PixelLayout to_;
    bool same_;
    bool past_caches_;
    Scale scale_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ConvertPlan>(device, *query.inputs[0], *query.outputs[0],
                                         *static_cast<const vdt_convert_params*>(query.params));
}

constexpr const char* variants[] = {"rows"};

}  // namespace

const OperationEntry convert_operation = {VDT_OP_CONVERT, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cpu
