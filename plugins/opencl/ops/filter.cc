// filter: correlation with a separable, general, Gaussian or box kernel. How: kernels/filter.cl.
//
// The two variants are those of the caching criterion: with the pixels under a tile in local memory, and without. A
// kernel whose tiles do not fit there loses its cache, as the criterion says.
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <filter/border.h>
#include <filter/request.h>

#include "operands.h"
#include "pixels.h"
#include "trial.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

constexpr std::uint32_t direct_variant = 1;
// Results of a group and its work-items; the recorded default of all classes of devices first.
struct Tile {
    std::int32_t pixels, rows;
    std::uint32_t items;
};
constexpr Tile tiles[] = {{64, 16, 128}, {32, 16, 128}, {64, 8, 64}, {64, 16, 256}, {128, 8, 128}};

// As the kernels' record.
struct Filter {
    std::int32_t width = 0, height = 0;
    std::int32_t elements = 1;
    std::int32_t in_first = 0, in_step = 1, out_first = 0, out_step = 1;
    std::int32_t kernel_width = 1, kernel_height = 1;
    std::int32_t anchor_x = 0, anchor_y = 0;
    std::int32_t symmetric_across = 0, symmetric_down = 0;
    float outside = 0;
    float delta = 0;
    std::int32_t tile_pixels = 0, tile_rows = 0;
};
static_assert(sizeof(Filter) == 68);

enum class Form : std::uint8_t { lines, fixed_lines, matrix };

const vdt_filter_params& params_of(const vdt_query& query) {
    return plugin::params_of<vdt_filter_params>(query);
}

// What a query that `support` accepted asks for.
struct Filtering {
    explicit Filtering(const vdt_query& query)
        : from(layout_of_pixels(query.inputs[0]->format)),
          to(layout_of_pixels(query.outputs[0]->format)),
          weights(imaging::weights_of(params_of(query))),
          fixed(imaging::fixed_weights(params_of(query), weights, query.inputs[0]->format, query.outputs[0]->format)) {
        const vdt_filter_params& params = params_of(query);
        form = fixed ? Form::fixed_lines : weights.is_separable() ? Form::lines : Form::matrix;
        const bool together = !from.planar && !to.planar;
        groups = together ? 1 : from.channels;
        filter.width = static_cast<std::int32_t>(query.inputs[0]->width);
        filter.height = static_cast<std::int32_t>(query.inputs[0]->height);
        filter.elements = together ? static_cast<std::int32_t>(from.channels) : 1;
        filter.kernel_width = static_cast<std::int32_t>(weights.width);
        filter.kernel_height = static_cast<std::int32_t>(weights.height);
        filter.anchor_x = static_cast<std::int32_t>(weights.anchor_x);
        filter.anchor_y = static_cast<std::int32_t>(weights.anchor_y);
        filter.outside = params.border == VDT_BORDER_CONSTANT ? params.border_value : 0;
        filter.delta = static_cast<float>(params.delta);
        if (form == Form::matrix) return;
        filter.symmetric_across = weights.across_line().symmetric ? 1 : 0;
        filter.symmetric_down = weights.down_line().symmetric ? 1 : 0;
    }

    // Local memory of a group of that tile.
    std::size_t tile_words(std::int32_t pixels, std::int32_t rows) const {
        const std::size_t wide = static_cast<std::size_t>(pixels + filter.kernel_width - 1);
        const std::size_t high = static_cast<std::size_t>(rows + filter.kernel_height - 1);
        return wide * high * static_cast<std::size_t>(filter.elements);
    }
    std::size_t between_words(std::int32_t pixels, std::int32_t rows) const {
        if (form == Form::matrix) return 0;
        const std::size_t wide = static_cast<std::size_t>(pixels + filter.kernel_width - 1);
        const std::size_t high = static_cast<std::size_t>(rows + filter.kernel_height - 1);
        return (form == Form::lines ? static_cast<std::size_t>(pixels) * high : wide * static_cast<std::size_t>(rows)) *
               static_cast<std::size_t>(filter.elements);
    }
    std::size_t tile_bytes(std::int32_t pixels, std::int32_t rows) const {
        return (tile_words(pixels, rows) + between_words(pixels, rows)) * 4;
    }

    // Chooses the tile: the largest that leaves room for two groups; false when there is none.
    bool choose_tile(const DeviceLimits& limits) {
        Tile tile = tiles[0];
        while (!fits(tile, limits)) {
            if (tile.rows > tile.pixels / 4)
                tile.rows /= 2;
            else
                tile.pixels /= 2;
            if (tile.pixels < 4 || tile.rows < 1) return false;
        }
        take(tile);
        return true;
    }
    bool fits(const Tile& tile, const DeviceLimits& limits) const {
        return tile_bytes(tile.pixels, tile.rows) <= limits.local_bytes / 2;
    }
    void take(const Tile& tile) {
        filter.tile_pixels = tile.pixels;
        filter.tile_rows = tile.rows;
        items = tile.items;
    }

    std::size_t scratch_stride() const {
        const std::size_t word = form == Form::fixed_lines ? 2 : 4;
        return pitch_of(static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.elements) * word);
    }
    // The image of sums between two lines; used by one group of channels after the other.
    std::size_t scratch_bytes() const {
        return form == Form::matrix ? 0 : scratch_stride() * static_cast<std::size_t>(filter.height);
    }
    std::size_t table_bytes() const {
        return sizeof(std::int32_t) * (weights.width + weights.height + static_cast<std::size_t>(filter.width) +
                                       static_cast<std::size_t>(filter.height) + weights.matrix.size() +
                                       weights.across.size() + weights.down.size());
    }

    PixelLayout from, to;
    imaging::FilterWeights weights;
    imaging::FixedWeights fixed;
    Form form;
    std::uint32_t groups;  // of channels, filtered one after the other
    Filter filter;
    std::uint32_t items = tiles[0].items;  // of a tile
};

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    imaging::answer_filter(query, answer);
    if (query.input_count == 0) return;
    const Filtering filtering(query);
    answer.scratch_bytes = filtering.table_bytes() + filtering.scratch_bytes();
}

// Operations of a line for each result; a symmetric one adds pixels of equal weight first.
double operations_of(std::int32_t taps, bool symmetric) {
    const double products = symmetric ? (taps + 1) / 2 : taps;
    return (symmetric ? taps / 2 : 0) + products * 2;
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    Filtering filtering(query);
    const Filter& filter = filtering.filter;
    const bool matrix = filtering.form == Form::matrix, fixed = filtering.form == Form::fixed_lines;
    const double results = static_cast<double>(filter.width) * filter.height * filter.elements;
    const double in_bytes = results * filtering.from.element_bytes, out_bytes = results * filtering.to.element_bytes;
    const double area = static_cast<double>(filter.kernel_width) * filter.kernel_height;
    const double across = matrix ? area * 2 : operations_of(filter.kernel_width, filter.symmetric_across != 0);
    const double down = matrix ? 0 : operations_of(filter.kernel_height, filter.symmetric_down != 0);
    cost.flags = VDT_COST_EXACT;
    cost.scratch_bytes = filtering.table_bytes();
    if (query.variant != direct_variant && filtering.choose_tile(device.limits())) {
        const double wider = (filter.tile_pixels + filter.kernel_width - 1.0) / filter.tile_pixels;
        const double higher = (filter.tile_rows + filter.kernel_height - 1.0) / filter.tile_rows;
        // Of the first line, how many more sums are made than there are results.
        const double first = matrix ? 1 : fixed ? wider : higher;
        const double operations = across * (fixed ? 1 : first) + down * (fixed ? first : 1) + 8 * wider * higher + 12;
        const double of_item =
            static_cast<double>(filter.tile_pixels) * filter.tile_rows * filter.elements / filtering.items;
        vdt_cost_stage stage = plugin::even_stage(results * operations, of_item * operations, results / of_item,
                                                  in_bytes + out_bytes, transaction_bytes);
        stage.global_refs = (in_bytes * wider * higher + out_bytes) / transaction_bytes;
        const double taps =
            matrix ? area
                   : filter.kernel_width * (fixed ? 1 : first) + filter.kernel_height * (fixed ? first : 1) + first;
        stage.shared_refs = results * (wider * higher + taps);
        cost.shared_bytes = filtering.tile_bytes(filter.tile_pixels, filter.tile_rows);
        for (std::uint32_t group = 0; group < filtering.groups; ++group) plugin::add_launch(cost, stage);
        return;
    }
    const auto add = [&](double taps, double operations, double from_bytes, double to_bytes) {
        vdt_cost_stage stage = plugin::even_stage(results * (operations + 3 * taps + 20), operations + 3 * taps + 20,
                                                  results, from_bytes + to_bytes, transaction_bytes);
        stage.global_refs = (from_bytes * taps + to_bytes) / transaction_bytes;
        for (std::uint32_t group = 0; group < filtering.groups; ++group) plugin::add_launch(cost, stage);
    };
    if (matrix) return add(area, across, in_bytes, out_bytes);
    const double between = results * (fixed ? 2 : 4);
    cost.scratch_bytes += filtering.scratch_bytes();
    add(fixed ? filter.kernel_height : filter.kernel_width, fixed ? down : across, in_bytes, between);
    add(fixed ? filter.kernel_width : filter.kernel_height, fixed ? across : down, between, out_bytes);
}

// What the second line sees beyond an edge of constant border: the sum of the first one, in the kernel's order.
float outside_between(const Filtering& filtering) {
    const float border = filtering.filter.outside;
    if (filtering.form == Form::fixed_lines) return border * (1 << imaging::byte_word_bits);  // weights add up to one
    const imaging::LineWeights line = filtering.weights.across_line();
    const std::uint32_t pairs = line.taps / 2;
    float sum = 0;
    if (line.symmetric) {
        if (line.taps % 2 != 0) sum += line.weight[pairs] * border;
        for (std::uint32_t i = 0; i < pairs; ++i) sum += line.weight[i] * (border + border);
    } else {
        for (std::uint32_t i = 0; i < line.taps; ++i) sum += line.weight[i] * border;
    }
    return sum;
}

class FilterPlan final : public Plan {
public:
    FilterPlan(const Device& device, const vdt_query& query)
        : device_(device), operands_(device), planned_(params_of(query)), filtering_(query) {
        tiled_ = query.variant != direct_variant && filtering_.choose_tile(device.limits());
        upload(params_of(query).border);
        const PixelLayout &from = filtering_.from, &to = filtering_.to;
        if (tiled_ || filtering_.form == Form::matrix) {
            const char* const name = !tiled_                           ? "direct_matrix"
                                     : filtering_.form == Form::matrix ? "tile_matrix"
                                                                       : "tile_lines";
            const std::string both = defines(from.type(), to.type(), to.real(), 0, 1);
            first_ = device.programs.kernel("filter", name, both);
            if (tiled_)
                measure_tiles(query, name + both);
            else
                measure_shapes(query, name + both, {&first_});
            return;
        }
        const bool fixed = filtering_.form == Form::fixed_lines;
        const char* const between = fixed ? "short" : "float";
        first_ =
            device.programs.kernel("filter", "direct_line", defines(from.type(), between, !fixed, fixed ? 0 : 1, 0));
        second_ =
            device.programs.kernel("filter", "direct_line", defines(between, to.type(), to.real(), fixed ? 1 : 0, 1));
        scratch_ = device.buffer<std::byte>(filtering_.scratch_bytes());
        outside_between_ = outside_between(filtering_);
        measure_shapes(query, "two lines " + defines(from.type(), to.type(), to.real(), 0, 1), {&first_, &second_});
    }

    vdt_code run(const vdt_call& call) override {
        planned_.check(plugin::params_of<vdt_filter_params>(call));
        Operands::Call running(operands_, call);
        const DeviceImage in = operands_.input(0), out = operands_.output(0);
        for (std::uint32_t group = 0; group < filtering_.groups; ++group) {
            Filter filter = filtering_.filter;
            if (filtering_.groups != 1 && !filtering_.from.planar) {
                filter.in_first = static_cast<std::int32_t>(group);
                filter.in_step = static_cast<std::int32_t>(filtering_.from.channels);
            }
            if (filtering_.groups != 1 && !filtering_.to.planar) {
                filter.out_first = static_cast<std::int32_t>(group);
                filter.out_step = static_cast<std::int32_t>(filtering_.to.channels);
            }
            run_group(operands_.queue(), in.plane(filtering_.from.planar ? static_cast<int>(group) : 0),
                      out.plane(filtering_.to.planar ? static_cast<int>(group) : 0), filter, filter.height);
        }
        running.finish();
        return VDT_OK;
    }

private:
    std::string defines(const char* from, const char* to, bool to_real, int across, int last) const {
        const auto flag = [](const char* name, int value) {
            return std::string(" -D ") + name + "=" + std::to_string(value);
        };
        return std::string("-D FROM=") + from + " -D TO=" + to + flag("TO_REAL", to_real ? 1 : 0) +
               flag("FIXED", filtering_.form == Form::fixed_lines ? 1 : 0) + flag("ACROSS", across) +
               flag("LAST", last);
    }

    template <class T>
    Buffer<std::byte> uploaded(cl::Queue queue, const std::vector<T>& values) const {
        Buffer<std::byte> buffer = device_.buffer<std::byte>(values.size() * sizeof(T));
        write(queue, buffer, reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T),
              cl::blocking);
        return buffer;
    }

    void upload(std::uint32_t border) {
        const Queue queue = device_.make_queue();
        const imaging::FilterWeights& weights = filtering_.weights;
        columns_ = uploaded(queue.get(), imaging::positions_with_border(
                                             static_cast<std::uint32_t>(filtering_.filter.width), weights.anchor_x,
                                             weights.width - 1 - weights.anchor_x, border));
        rows_ = uploaded(queue.get(), imaging::positions_with_border(
                                          static_cast<std::uint32_t>(filtering_.filter.height), weights.anchor_y,
                                          weights.height - 1 - weights.anchor_y, border));
        const auto words = [](const std::vector<std::int16_t>& fixed) {
            return std::vector<std::int32_t>(fixed.begin(), fixed.end());
        };
        switch (filtering_.form) {
            case Form::matrix:
                across_ = uploaded(queue.get(), weights.matrix);
                break;
            case Form::lines:
                across_ = uploaded(queue.get(), weights.across);
                down_ = uploaded(queue.get(), weights.down);
                break;
            case Form::fixed_lines:
                across_ = uploaded(queue.get(), words(filtering_.fixed.across));
                down_ = uploaded(queue.get(), words(filtering_.fixed.down));
                break;
        }
    }

    // What the times depend on besides the names of the kernels.
    std::string size_of_kernel() const {
        return " " + std::to_string(filtering_.filter.kernel_width) + " x " +
               std::to_string(filtering_.filter.kernel_height);
    }

    // Runs `rows` rows of the first group of channels of images that are made for it.
    template <class Take>
    auto trial(const vdt_query& query, cl::Queue queue, std::uint32_t rows, Take take) {
        const vdt_image &from = *query.inputs[0], &to = *query.outputs[0];
        const TrialImage in(device_, queue, from.format, from.width, from.height);
        const TrialImage out(device_, queue, to.format, to.width, to.height);
        return [this, queue, in, out, rows, take](auto way) {
            take(way);
            run_group(queue, in.image().plane(), out.image().plane(), filtering_.filter,
                      static_cast<std::int32_t>(rows));
        };
    }
    void measure_tiles(const vdt_query& query, const std::string& what) {
        const Tile usual{filtering_.filter.tile_pixels, filtering_.filter.tile_rows, filtering_.items};
        std::vector<Tile> possible{usual};
        std::string key = what + size_of_kernel();
        for (const Tile& tile : tiles) {
            if (!filtering_.fits(tile, device_.limits()) || tile.items > first_.group_size()) continue;
            if (tile.pixels == usual.pixels && tile.rows == usual.rows && tile.items == usual.items) continue;
            possible.push_back(tile);
            key += "; " + std::to_string(tile.pixels) + " x " + std::to_string(tile.rows) + " by " +
                   std::to_string(tile.items);
        }
        const auto take = [this, &possible](std::size_t way) { filtering_.take(possible[way]); };
        take(choose_way(device_, "filter", key, possible.size(), [&](cl::Queue queue) {
            return trial(query, queue, trial_rows(query.inputs[0]->width, query.inputs[0]->height), take);
        }));
    }
    void measure_shapes(const vdt_query& query, const std::string& what, std::initializer_list<const Kernel*> kernels) {
        const auto take = [this](GroupShape shape) { shape_ = shape; };
        const auto width = static_cast<std::uint32_t>(filtering_.filter.width * filtering_.filter.elements);
        const std::uint32_t rows = trial_rows(width, query.inputs[0]->height);
        take(choose_shape(device_, "filter", what + size_of_kernel(), kernels, width, rows,
                          [&](cl::Queue queue) { return trial(query, queue, rows, take); }));
    }

    // `rows`: of results that are made.
    void run_group(cl::Queue queue, const Plane& in, const Plane& out, const Filter& filter, std::int32_t rows) {
        const auto width = static_cast<std::size_t>(filter.width), height = static_cast<std::size_t>(rows);
        if (tiled_) {
            const auto pixels = static_cast<std::size_t>(filter.tile_pixels);
            const auto down = static_cast<std::size_t>(filter.tile_rows);
            const std::size_t items = group_within(first_, filtering_.items);
            const Range range = cover({(width + pixels - 1) / pixels * items, (height + down - 1) / down}, {items, 1});
            const LocalBytes tile{filtering_.tile_words(filter.tile_pixels, filter.tile_rows) * 4};
            if (filtering_.form == Form::matrix)
                launch(queue, first_, range, in, out, filter, columns_, rows_, across_, tile);
            else
                launch(queue, first_, range, in, out, filter, columns_, rows_, across_, down_, tile,
                       LocalBytes{filtering_.between_words(filter.tile_pixels, filter.tile_rows) * 4});
            return;
        }
        const Range results =
            cover({width * static_cast<std::size_t>(filter.elements), height}, {shape_.across, shape_.down});
        if (filtering_.form == Form::matrix) {
            launch(queue, first_, results, in, out, filter, columns_, rows_, across_);
            return;
        }
        const Plane between{scratch_.get(), 0, static_cast<std::uint32_t>(filtering_.scratch_stride())};
        Filter first = filter, second = filter;
        first.out_first = second.in_first = 0;
        first.out_step = second.in_step = 1;
        second.outside = outside_between_;
        const bool fixed = filtering_.form == Form::fixed_lines;
        launch(queue, first_, results, in, between, first, fixed ? rows_ : columns_, fixed ? down_ : across_);
        launch(queue, second_, results, between, out, second, fixed ? columns_ : rows_, fixed ? across_ : down_);
    }

    const Device& device_;
    Operands operands_;
    imaging::PlannedFilter planned_;
    Filtering filtering_;
    bool tiled_ = false;
    GroupShape shape_;
    float outside_between_ = 0;
    Kernel first_, second_;
    Buffer<std::byte> columns_, rows_, across_, down_, scratch_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FilterPlan>(device, query);
}

constexpr const char* variants[] = {"tile-cached", "direct"};

}  // namespace

extern const Operation filter_operation;
const Operation filter_operation = {VDT_OP_FILTER, variants, 2, support, cost, plan};

}  // namespace vedette::opencl
