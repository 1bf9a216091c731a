// pyramid: levels of half the size, each from the level before. How: kernels/pyramid.cl.
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <pyramid/request.h>

#include "operands.h"
#include "pixels.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

constexpr std::uint32_t gauss_rows = 8;   // of a group
constexpr std::size_t gauss_group = 256;  // columns of the level before, at most

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_pyramid(query, answer);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const bool area = plugin::params_of<vdt_pyramid_params>(query).method == VDT_PYRAMID_AREA2;
    const PixelLayout layout = layout_of_pixels(query.inputs[0]->format);
    const double bytes = pixel_bytes(query.inputs[0]->format);
    cost.flags = VDT_COST_EXACT;
    if (!area) cost.shared_bytes = gauss_rows * gauss_group * 4;
    double in_pixels = static_cast<double>(query.inputs[0]->width) * query.inputs[0]->height;
    for (std::uint32_t level = 0; level < query.output_count; ++level) {
        const double out_pixels = static_cast<double>(query.outputs[level]->width) * query.outputs[level]->height;
        const double values = out_pixels * layout.channels, traffic = (in_pixels + out_pixels) * bytes;
        vdt_cost_stage stage =
            area ? plugin::even_stage(values * 16, 16, values, traffic, transaction_bytes)
                 : plugin::even_stage(values * 45, gauss_rows * 45, values / 4, traffic, transaction_bytes);
        if (!area) stage.shared_refs = values * 7;
        plugin::add_launch(cost, stage);
        if (layout.planar) cost.launches += layout.channels - 1;
        in_pixels = out_pixels;
    }
}

class PyramidPlan final : public Plan {
public:
    PyramidPlan(const Device& device, const vdt_query& query)
        : operands_(device), method_(plugin::params_of<vdt_pyramid_params>(query).method) {
        const PixelLayout layout = layout_of_pixels(query.inputs[0]->format);
        elements_ = layout.planar ? 1 : layout.channels;
        planes_ = layout.planar ? static_cast<int>(layout.channels) : 1;
        kernel_ = device.programs.kernel(
            "pyramid", area() ? "area2" : "gauss5",
            std::string("-D TYPE=") + layout.type() + " -D REAL=" + (layout.real() ? "1" : "0") +
                " -D ELEMENTS=" + std::to_string(elements_) + " -D ROWS=" + std::to_string(gauss_rows));
    }

    vdt_code run(const vdt_call& call) override {
        imaging::check_pyramid_call(plugin::params_of<vdt_pyramid_params>(call), call.output_count, method_);
        Operands::Call running(operands_, call);
        DeviceImage in = operands_.input(0);
        for (std::uint32_t level = 0; level < call.output_count; ++level) {
            const DeviceImage out = operands_.output(level);
            for (int plane = 0; plane < planes_; ++plane) halve(in, out, plane);
            in = out;
        }
        running.finish();
        return VDT_OK;
    }

private:
    bool area() const { return method_ == VDT_PYRAMID_AREA2; }

    void halve(const DeviceImage& in, const DeviceImage& out, int plane) {
        if (area()) {
            launch(operands_.queue(), kernel_,
                   cover({std::size_t{out.width} * elements_, out.height}, {group_within(kernel_, 64), 1}),
                   in.plane(plane), out.plane(plane), in.width, in.height, out.width, out.height);
            return;
        }
        const std::size_t items = group_within(kernel_, gauss_group);
        // Pixels of a row that a group makes: it needs 2 tile + 3 of the level before.
        const std::size_t tile = (items / elements_ - 3) / 2;
        const auto signed_of = [](std::uint32_t size) { return static_cast<std::int32_t>(size); };
        launch(operands_.queue(), kernel_,
               cover({(out.width + tile - 1) / tile * items, (out.height + gauss_rows - 1) / gauss_rows}, {items, 1}),
               in.plane(plane), out.plane(plane), signed_of(in.width), signed_of(in.height), signed_of(out.width),
               signed_of(out.height), static_cast<std::int32_t>(tile), LocalBytes{items * gauss_rows * 4});
    }

    Operands operands_;
    std::uint32_t method_;
    std::uint32_t elements_ = 1;  // of a pixel in a plane
    int planes_ = 1;
    Kernel kernel_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<PyramidPlan>(device, query);
}

constexpr const char* variants[] = {"level by level"};

}  // namespace

extern const Operation pyramid_operation;
const Operation pyramid_operation = {VDT_OP_PYRAMID, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
