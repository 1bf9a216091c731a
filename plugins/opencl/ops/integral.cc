// integral: sums of everything above and left, of squares, and tilted by 45 degrees, in passes over tiles, bands and
// again tiles: no group waits for another. Each output on its own. How: kernels/integral.cl, integral_tilted.cl.
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/integral_checks.hpp>

#include "operands.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

constexpr std::uint32_t tile_width = 64;
constexpr std::uint32_t band = 32;  // rows, of tilted sums
constexpr std::size_t scan_group = 256;

bool is_bytes(const vdt_image& in) {
    return in.format == VDT_FORMAT_GRAY8;
}

std::uint32_t parts(std::uint32_t size, std::uint32_t part) {
    return (size + part - 1) / part;
}

// One output of a query that `support` accepted.
struct Form {
    bool bytes, squares, tilted, real_output;

    // Sums of bytes stay below 2^53 and become doubles at the end. Without `doubles` a ulong holds one.
    const char* sum(bool doubles) const { return !bytes && doubles ? "double" : wide() ? "ulong" : "uint"; }
    bool wide() const { return squares || real_output || !bytes; }
    std::uint32_t sum_bytes() const { return wide() ? 8 : 4; }
    std::uint32_t prefix_bytes() const { return bytes ? 4 : 8; }
    // So that a tile takes 16 KiB and a bit.
    std::uint32_t tile_height() const { return sum_bytes() == 4 ? 64 : 32; }
};

std::vector<Form> forms_of(const vdt_query& query) {
    const std::uint32_t flags = plugin::params_of<vdt_integral_params>(query).flags;
    std::vector<Form> forms;
    for (const std::uint32_t flag : {VDT_INTEGRAL_SUM, VDT_INTEGRAL_SQUARED, VDT_INTEGRAL_TILTED})
        if ((flags & flag) != 0)
            forms.push_back({is_bytes(*query.inputs[0]), flag == VDT_INTEGRAL_SQUARED, flag == VDT_INTEGRAL_TILTED,
                             query.outputs[forms.size()]->format == VDT_FORMAT_F64});
    return forms;
}

struct Scratch {
    std::size_t columns = 0, rows = 0;    // of upright sums, numbers of sum_bytes
    std::size_t prefix = 0, falling = 0;  // of tilted ones; four arrays like `falling`
    std::uint64_t bytes(const Form& form) const {
        return std::uint64_t{form.sum_bytes()} * (columns + rows + 4 * falling) +
               std::uint64_t{form.prefix_bytes()} * prefix;
    }
};

Scratch scratch_of(const Form& form, std::uint32_t width, std::uint32_t height) {
    Scratch scratch;
    if (form.tilted) {
        scratch.prefix = (std::size_t{width} + 1) * height;
        scratch.falling = (std::size_t{width} + 1) * parts(height, band);
    } else {
        scratch.columns = std::size_t{width} * parts(height, form.tile_height());
        scratch.rows = std::size_t{height} * parts(width, tile_width);
    }
    return scratch;
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    plugin::answer_integral(query, answer);
    if (query.input_count == 0) return;
    for (const Form& form : forms_of(query))
        answer.scratch_bytes += scratch_of(form, query.inputs[0]->width, query.inputs[0]->height).bytes(form);
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& in = *query.inputs[0];
    const double width = in.width, height = in.height, pixels = width * height;
    const double in_bytes = pixels * (is_bytes(in) ? 1 : 4);
    cost.flags = VDT_COST_EXACT;
    const auto add = [&](double work, double span, double items, double bytes) {
        plugin::add_launch(cost, plugin::even_stage(work, span, items, bytes, transaction_bytes));
    };
    for (const Form& form : forms_of(query)) {
        const double size = form.sum_bytes(), prefix = form.prefix_bytes();
        const double out_bytes = pixels * size;
        cost.scratch_bytes += scratch_of(form, in.width, in.height).bytes(form);
        if (form.tilted) {
            const double bands = parts(in.height, band);
            add(pixels * 2, 2 * width / scan_group + 16, height * scan_group, in_bytes + pixels * prefix);
            add(pixels * 2, 2.0 * band, pixels / band, pixels * prefix + 2 * width * bands * size);
            add(2 * (width + height) * bands, 2 * bands, 2 * (width + height), 4 * width * bands * size);
            add(pixels, band, pixels / band, pixels * prefix + out_bytes);
            add(pixels, band, pixels / band, pixels * prefix + 2 * out_bytes);
            continue;
        }
        const double rows = form.tile_height(), bands = parts(in.height, form.tile_height());
        const double tiles = parts(in.width, tile_width), square = form.squares ? 2 : 1;
        const double sums = (width * bands + height * tiles) * size;
        add(pixels * 2 * square, (rows + tile_width) * square, width * bands, in_bytes + sums);
        add(width * bands + height * tiles, std::max(bands, tiles), width + height, 2 * sums);
        add(width * bands * 2, 2 * width / scan_group + 16, bands * scan_group, 2 * width * bands * size);
        add(pixels * 2 * square, (rows + tile_width) * square, width * bands, in_bytes + sums + out_bytes);
        cost.shared_bytes = std::max<std::uint64_t>(
            cost.shared_bytes, std::uint64_t{form.sum_bytes()} * form.tile_height() * (tile_width + 1));
    }
}

// One output.
class Summing {
public:
    Summing(const Device& device, const Form& form, std::uint32_t width, std::uint32_t height)
        : form_(form), width_(width), height_(height) {
        const std::string defines =
            std::string("-D PIXEL=") + (form.bytes ? "uchar" : "float") + " -D REAL=" + (form.bytes ? "0" : "1") +
            " -D SUM=" + form.sum(device.limits().doubles) + " -D OUT_BITS=" + std::to_string(8 * form.sum_bytes()) +
            " -D OUT_DOUBLE=" + (form.real_output ? "1" : "0") + " -D SQUARES=" + (form.squares ? "1" : "0") +
            " -D TILE_WIDTH=" + std::to_string(tile_width) + " -D TILE_HEIGHT=" + std::to_string(form.tile_height());
        const Scratch scratch = scratch_of(form, width, height);
        const auto numbers = [&](std::size_t count) { return device.buffer<std::byte>(count * form.sum_bytes()); };
        if (form.tilted) {
            const std::string more = defines + " -D BAND=" + std::to_string(band) +
                                     " -D PREFIX=" + (form.bytes ? "uint" : form.sum(device.limits().doubles));
            prefix_rows_ = device.programs.kernel("integral_tilted", "prefix_rows", more);
            band_sums_ = device.programs.kernel("integral_tilted", "band_sums", more);
            band_carry_ = device.programs.kernel("integral_tilted", "band_carry", more);
            fall_ = device.programs.kernel("integral_tilted", "fall", more);
            rise_ = device.programs.kernel("integral_tilted", "rise", more);
            prefix_ = device.buffer<std::byte>(scratch.prefix * form.prefix_bytes());
            for (Buffer<std::byte>* each : {&falling_, &rising_, &falling_above_, &rising_above_})
                *each = numbers(scratch.falling);
        } else {
            tile_sums_ = device.programs.kernel("integral", "tile_sums", defines);
            carry_ = device.programs.kernel("integral", "carry", defines);
            scan_bands_ = device.programs.kernel("integral", "scan_bands", defines);
            tiles_ = device.programs.kernel("integral", "tiles", defines);
            columns_ = numbers(scratch.columns);
            rows_ = numbers(scratch.rows);
        }
    }

    void run(cl::Queue queue, const Plane& in, const Plane& out) const {
        if (form_.tilted)
            tilted(queue, in, out);
        else
            upright(queue, in, out);
    }

private:
    void upright(cl::Queue queue, const Plane& in, const Plane& out) const {
        const std::uint32_t across = parts(width_, tile_width), down = parts(height_, form_.tile_height());
        const Range tiles = cover({std::size_t{across} * tile_width, down}, {tile_width, 1});
        launch(queue, tile_sums_, tiles, in, width_, height_, columns_, rows_);
        launch(queue, carry_, cover({std::size_t{width_} + height_}, {group_within(carry_, 64)}), width_, height_, down,
               across, columns_, rows_);
        const std::size_t lanes = group_within(scan_bands_, scan_group);
        launch(queue, scan_bands_, groups_of(down, lanes), width_, columns_, LocalBytes{lanes * form_.sum_bytes()});
        launch(queue, tiles_, tiles, in, out, width_, height_, columns_, rows_);
    }

    void tilted(cl::Queue queue, const Plane& in, const Plane& out) const {
        const std::uint32_t bands = parts(height_, band);
        const std::size_t lanes = group_within(prefix_rows_, scan_group);
        launch(queue, prefix_rows_, groups_of(height_, lanes), in, width_, prefix_,
               LocalBytes{lanes * form_.sum_bytes()});
        const auto diagonals = [&](const Kernel& kernel, std::size_t count) {
            return cover({count, bands}, {group_within(kernel, 64), 1});
        };
        launch(queue, band_sums_, diagonals(band_sums_, std::size_t{width_} + 1), width_, bands, prefix_, falling_,
               rising_);
        const std::size_t all = 2 * (std::size_t{width_} + 1 + std::size_t{band} * (bands - 1));
        launch(queue, band_carry_, cover({all}, {group_within(band_carry_, 64)}), width_, bands, falling_, rising_,
               falling_above_, rising_above_);
        launch(queue, fall_, diagonals(fall_, std::size_t{width_} + band + 1), out, width_, height_, prefix_,
               falling_above_);
        launch(queue, rise_, diagonals(rise_, std::size_t{width_} + band + 1), out, width_, height_, prefix_,
               rising_above_);
    }

    Form form_;
    std::uint32_t width_, height_;
    Kernel tile_sums_, carry_, scan_bands_, tiles_;
    Kernel prefix_rows_, band_sums_, band_carry_, fall_, rise_;
    Buffer<std::byte> columns_, rows_, prefix_, falling_, rising_, falling_above_, rising_above_;
};

class IntegralPlan final : public Plan {
public:
    IntegralPlan(const Device& device, const vdt_query& query)
        : operands_(device), flags_(plugin::params_of<vdt_integral_params>(query).flags) {
        for (const Form& form : forms_of(query))
            outputs_.emplace_back(device, form, query.inputs[0]->width, query.inputs[0]->height);
    }

    vdt_code run(const vdt_call& call) override {
        if (plugin::params_of<vdt_integral_params>(call).flags != flags_)
            throw Failure(VDT_E_ARGUMENT, "integral: the flags differ from those the plan was made for");
        Operands::Call running(operands_, call);
        const Plane in = operands_.input(0).plane();
        for (std::uint32_t index = 0; index < outputs_.size(); ++index)
            outputs_[index].run(operands_.queue(), in, operands_.output(index).plane());
        running.finish();
        return VDT_OK;
    }

private:
    Operands operands_;
    std::uint32_t flags_;
    std::vector<Summing> outputs_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<IntegralPlan>(device, query);
}

constexpr const char* variants[] = {"tiles and bands"};

}  // namespace

extern const Operation integral_operation;
const Operation integral_operation = {VDT_OP_INTEGRAL, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
