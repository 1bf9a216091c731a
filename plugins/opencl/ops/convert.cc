// convert: between all 8-bit, 16-bit and float colour formats. Exact: every value is rounded once from the formula of
// ops.h. Integers become floats by a table. Floats become integers and gray in double precision; where the device has
// none they become integers by thresholds, and gray by integer arithmetic.
#include <vedette/plugin/cpp/convert_checks.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include "operands.h"
#include "pixels.h"
#include "trial.h"

#include <bit>
#include <cmath>

namespace vedette::opencl {

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support&) {
    plugin::check_convert(query);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const vdt_image& out = *query.outputs[0];
    const double pixels = static_cast<double>(in.width) * in.height;
    const PixelLayout from = layout_of_pixels(in.format);
    const PixelLayout to = layout_of_pixels(out.format);
    // Multiplications and additions of the gray sum, then one to three steps a channel for the depth.
    const double gray = to.channels == 1 && from.channels != 1 ? 6 : 0;
    const double depth = from.element_bytes == to.element_bytes ? 1 : (from.real() || to.real() ? 3 : 2);
    const double operations = gray + depth * to.channels;
    cost.flags = VDT_COST_EXACT;
    // A work-item has four pixels.
    plugin::add_launch(
        cost, plugin::even_stage(pixels * operations, 4 * operations, pixels / 4,
                                 pixels * (pixel_bytes(in.format) + pixel_bytes(out.format)), transaction_bytes));
}

// Floats in their order as integers, and back. No NaN.
std::int64_t order_of(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits >= 0 ? bits : std::int64_t{INT32_MIN} - bits;
}
float float_at(std::int64_t order) {
    return std::bit_cast<float>(static_cast<std::int32_t>(order >= 0 ? order : std::int64_t{INT32_MIN} - order));
}

// What integers below `count` become as floats.
void fill_table(std::vector<float>& table, std::size_t count, double scale, double offset) {
    table.resize(count);
    for (std::size_t value = 0; value < count; ++value)
        table[value] = static_cast<float>(static_cast<double>(value) * scale + offset);
}

// The least float that becomes k or more, for k = 1 .. most; `scale` is positive. Infinite where none does.
void fill_thresholds(std::vector<float>& thresholds, std::size_t most, double scale, double offset) {
    thresholds.resize(most);
    std::int64_t low = order_of(-HUGE_VALF);
    for (std::size_t k = 1; k <= most; ++k) {
        const auto enough = [&](std::int64_t order) {
            return std::nearbyint(float_at(order) * scale + offset) >= static_cast<double>(k);
        };
        std::int64_t high = order_of(HUGE_VALF);
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (enough(middle))
                high = middle;
            else
                low = middle + 1;
        }
        thresholds[k - 1] = float_at(low);
    }
}

class ConvertPlan final : public Plan {
public:
    ConvertPlan(const Device& device, const vdt_query& query)
        : operands_(device),
          from_(layout_of_pixels(query.inputs[0]->format)),
          to_(layout_of_pixels(query.outputs[0]->format)),
          same_(query.inputs[0]->format == query.outputs[0]->format) {
        if (same_) return;
        const auto define = [](const char* side, const PixelLayout& layout) {
            const std::string name = side;
            return "-D " + name + "=" + layout.type() + " -D " + name + "_REAL=" + (layout.real() ? "1" : "0") +
                   " -D " + name + "_WIDE=" + (layout.element_bytes == 2 ? "1" : "0");
        };
        kernel_ = device.programs.kernel("convert", "convert", define("IN", from_) + " " + define("OUT", to_));
        const bool by_table = !from_.real() && to_.real();
        by_thresholds_ = from_.real() && !to_.real() && !device.limits().doubles;
        const std::uint32_t integer_bytes = by_table ? from_.element_bytes : to_.element_bytes;
        if (by_table || by_thresholds_) table_ = device.buffer<float>(std::size_t{1} << 8 * integer_bytes);
        choose_group(device, query);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_convert_params>(call);
        plugin::check_convert_values(params, call.inputs[0]->format, call.outputs[0]->format);
        Operands::Call running(operands_, call);
        if (same_)
            operands_.copy_input_to_output();
        else
            start(operands_.queue(), operands_.input(0), operands_.output(0), params, group_);
        running.finish();
        return VDT_OK;
    }

private:
    void choose_group(const Device& device, const vdt_query& query) {
        const vdt_image& image = *query.inputs[0];
        const std::uint32_t rows = trial_rows(image.width, image.height);
        const auto& params = plugin::params_of<vdt_convert_params>(query);
        const std::string what = std::string("convert from ") + plugin::layout_of(image.format)->name + " to " +
                                 plugin::layout_of(query.outputs[0]->format)->name;
        group_ = choose_shape(device, "convert", what, {&kernel_}, (image.width + 3) / 4, rows, [&](cl::Queue queue) {
            const TrialImage in(device, queue, image.format, image.width, rows);
            const TrialImage out(device, queue, query.outputs[0]->format, image.width, rows);
            return [this, queue, in, out, params](GroupShape shape) {
                start(queue, in.image(), out.image(), params, shape);
            };
        });
    }

    void start(cl::Queue queue, const DeviceImage& in, const DeviceImage& out, const vdt_convert_params& params,
               GroupShape group) {
        const std::size_t across = (in.width + 3) / 4;
        const auto go = [&](const auto&... depth) {
            launch(queue, kernel_, cover({across, in.height}, {group.across, group.down}), in.plane(),
                   plane_or_first(in, 1), plane_or_first(in, 2), out.plane(), plane_or_first(out, 1),
                   plane_or_first(out, 2), in.width, in.height, from_.channels, std::uint32_t{from_.planar},
                   to_.channels, std::uint32_t{to_.planar}, std::uint32_t{from_.rgb},
                   std::uint32_t{from_.rgb != to_.rgb}, depth...);
        };
        if (from_.real() && !to_.real() && !by_thresholds_) {
            go(params.scale, params.offset);
        } else if (table_) {
            prepare(queue, params);
            if (by_thresholds_)
                go(params.scale < 0 ? -1.0f : 1.0f, table_);
            else
                go(table_);
        } else {
            go(std::uint32_t{0});
        }
    }

    // The table of these parameters, which are mostly those of the call before.
    void prepare(cl::Queue queue, const vdt_convert_params& params) {
        if (!values_.empty() && params.scale == scale_ && params.offset == offset_) return;
        values_.clear();
        if (by_thresholds_)
            fill_thresholds(values_, table_.size() - 1, std::fabs(params.scale), params.offset);
        else
            fill_table(values_, table_.size(), params.scale, params.offset);
        write(queue, table_, values_.data(), values_.size(), cl::blocking);
        scale_ = params.scale;
        offset_ = params.offset;
    }

    Operands operands_;
    PixelLayout from_, to_;
    bool same_;
    bool by_thresholds_ = false;
    Kernel kernel_;
    GroupShape group_;
    Buffer<float> table_;
    std::vector<float> values_;
    double scale_ = 0, offset_ = 0;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<ConvertPlan>(device, query);
}

constexpr const char* variants[] = {"groups of four"};

}  // namespace

extern const Operation convert_operation;
const Operation convert_operation = {VDT_OP_CONVERT,       variants, 1, support, cost, plan, plugin::color_formats,
                                     plugin::color_formats};

}  // namespace vedette::opencl
