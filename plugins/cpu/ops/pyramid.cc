// pyramid: each level from the one before, as it was rounded.
#include <algorithm>

#include "filter/border.h"
#include "kernels/per_isa.h"
#include "kernels/pyramid.h"
#include "parallel.h"
#include "pixels.h"
#include "pyramid/request.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(PyramidKernels, pyramid_kernels)

namespace {

constexpr std::uint32_t piece_pixels = 1u << 15;  // of the input, far above the cost of handing out a piece

const vdt_pyramid_params& params_of(const void* params) {
    return *static_cast<const vdt_pyramid_params*>(params);
}

std::uint64_t scratch_of_worker(const vdt_image& in) {
    const FormatLayout& layout = *layout_of(in.format);
    // The sums of a row, and behind them what vectors read beyond its end.
    return (std::uint64_t{in.width} * layout.pixel_elements * sizeof(float) + 63) / 64 * 64 + pyramid_padding_bytes;
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_pyramid(query, answer);
    if (query.input_count != 0) answer.scratch_bytes = scratch_of_worker(*query.inputs[0]) * device.workers;
}

// Rows of a level that one thread takes at a time, `width` wide in the level before.
std::uint32_t grain_of(std::uint32_t width) {
    return std::max(1u, piece_pixels / 2 / width);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const bool area = params_of(query.params).method == VDT_PYRAMID_AREA2;
    const FormatLayout& layout = *layout_of(query.inputs[0]->format);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = scratch_of_worker(*query.inputs[0]) * device.workers;
    const vdt_image* previous = query.inputs[0];
    for (std::uint32_t level = 0; level < query.output_count; ++level) {
        const vdt_image& out = *query.outputs[level];
        const double channels = layout.pixel_elements * layout.planes;
        const double in_elements = static_cast<double>(previous->width) * previous->height * channels;
        const double out_elements = static_cast<double>(out.width) * out.height * channels;
        // Down the columns of every second row, then across every second pixel.
        add_pieces(device, cost, in_elements / 2 * (area ? 1 : 7) + out_elements * (area ? 3 : 9), area ? 4 : 16,
                   pieces_of(out.height, grain_of(previous->width)),
                   traffic_of(in_elements * layout.element_bytes, out_elements * layout.element_bytes),
                   (in_elements * (area ? 1 : 2.5) + in_elements) / 8);
        previous = &out;
    }
}

// Every method has kernels of its own for each depth, and for one channel or several.
const char* way(const Device&, const vdt_query& query) {
    constexpr const char* names[2][3] = {
        {"Gaussian rows of bytes", "Gaussian rows of words", "Gaussian rows of floats"},
        {"area rows of bytes", "area rows of words", "area rows of floats"}};
    constexpr const char* of_channels[2][3] = {
        {"Gaussian rows of pixels of bytes", "Gaussian rows of pixels of words", "Gaussian rows of pixels of floats"},
        {"area rows of pixels of bytes", "area rows of pixels of words", "area rows of pixels of floats"}};
    const vdt_format format = query.inputs[0]->format;
    const bool area = params_of(query.params).method == VDT_PYRAMID_AREA2;
    const Depth depth = pixels_of(format).depth;
    const auto& all = layout_of(format)->pixel_elements == 1 ? names : of_channels;
    return all[area ? 1 : 0][depth == Depth::bits8 ? 0 : depth == Depth::bits16 ? 1 : 2];
}

class PyramidPlan final : public Plan {
public:
    PyramidPlan(const Device& device, const vdt_image& in, const vdt_pyramid_params& params)
        : device_(device),
          kernels_(select_pyramid_kernels(device.isa)),
          depth_(pixels_of(in.format).depth),
          area_(params.method == VDT_PYRAMID_AREA2),
          worker_bytes_(scratch_of_worker(in)),
          scratch_(std::make_unique<std::byte[]>(worker_bytes_ * device.workers)) {
        // The rows that row y of a level stands on, counted in the level before.
        std::uint32_t height = in.height;
        for (std::uint32_t level = 0; level < params.levels; ++level) {
            rows_.push_back(area_ ? imaging::positions_with_border(height, 0, 1, VDT_BORDER_REPLICATE)
                                  : imaging::positions_with_border(height, 2, 3, VDT_BORDER_REFLECT_101));
            height = (height + 1) / 2;
        }
    }

    vdt_code run(const vdt_call& call) override {
        imaging::check_pyramid_call(params_of(call.params), call.output_count,
                                    area_ ? VDT_PYRAMID_AREA2 : VDT_PYRAMID_GAUSS5);
        const vdt_image* in = call.inputs[0];
        for (std::uint32_t level = 0; level < call.output_count; ++level) {
            const vdt_image& out = *call.outputs[level];
            parallel_for(device_, call.token, 0, out.height, grain_of(in->width),
                         [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                             for (std::uint32_t y = begin; y < end; ++y) run_row(*in, out, level, y, worker);
                         });
            in = &out;
        }
        return VDT_OK;
    }

private:
    void run_row(const vdt_image& in, const vdt_image& out, std::uint32_t level, std::uint32_t y,
                 std::uint32_t worker) {
        switch (depth_) {
            case Depth::bits8:
                return run_row<std::uint8_t>(area_ ? kernels_.area2_8 : kernels_.gauss5_8, in, out, level, y, worker);
            case Depth::bits16:
                return run_row<std::uint16_t>(area_ ? kernels_.area2_16 : kernels_.gauss5_16, in, out, level, y,
                                              worker);
            case Depth::real32:
                return run_row<float>(area_ ? kernels_.area2_f32 : kernels_.gauss5_f32, in, out, level, y, worker);
        }
    }

    template <class T>
    void run_row(void (*kernel)(const PyramidRow<T>&), const vdt_image& in, const vdt_image& out, std::uint32_t level,
                 std::uint32_t y, std::uint32_t worker) {
        const std::int32_t* const rows = rows_[level].data() + 2 * std::uint64_t{y};
        PyramidRow<T> row{};
        row.in_width = in.width;
        row.channels = layout_of(in.format)->pixel_elements;
        row.sums = scratch_.get() + worker_bytes_ * worker;
        for (std::uint32_t plane = 0; plane < in.plane_count; ++plane) {
            for (std::uint32_t i = 0; i < (area_ ? 2u : 5u); ++i)
                row.rows[i] = row_of<const T>(in, plane, static_cast<std::uint32_t>(rows[i]));
            row.out = row_of<T>(out, plane, y);
            kernel(row);
        }
    }

    const Device& device_;
    const PyramidKernels& kernels_;
    Depth depth_;
    bool area_;
    std::uint64_t worker_bytes_;
    std::unique_ptr<std::byte[]> scratch_;
    std::vector<std::vector<std::int32_t>> rows_;  // [level]
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<PyramidPlan>(device, *query.inputs[0], params_of(query.params));
}

constexpr const char* variants[] = {"rows"};

}  // namespace

const OperationEntry pyramid_operation = {VDT_OP_PYRAMID, variants, 1, support, cost, plan, 0, 0, way};

}  // namespace vedette::cpu
