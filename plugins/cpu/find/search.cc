#include "search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "large.h"
#include "prepared.h"

namespace vedette::cpu::find {
namespace {

bool is_excluded(const Excluded& excluded, int x, int y) {
    return std::any_of(excluded.begin(), excluded.end(),
                       [&](const vdt_rect& r) { return x >= r.x && y >= r.y && x - r.x < r.w && y - r.y < r.h; });
}

float rounded_down(double value) {
    return std::nextafter(static_cast<float>(value), -HUGE_VALF);
}
float rounded_up(double value) {
    return std::nextafter(static_cast<float>(value), HUGE_VALF);
}

// What a window must reach beside its norm: the score's limit, less the rounding of the coefficients and of the test in
// float (a handful of roundings of 2^-24 of norm * ||I - mean|| each).
float limit_of(const Task& task, double threshold) {
    return rounded_down(threshold * task.pattern->norm - 2e-6 * task.pattern->norm - task.bound->rounding * (1 + 1e-6));
}

// So that a window's sum of squares, at most 2^14 a value, fits 31 bits without them.
int high_shift(const Pattern& pattern) {
    int shift = 0;
    if (!pattern.small())
        while (((std::int64_t{1} << 14) * pattern.area * pattern.channels) >> shift > 0x7FFFFFFF) ++shift;
    return shift;
}

SweepShape bound_shape(const Task& task) {
    SweepShape shape;
    const Bound& bound = *task.bound;
    shape.w = task.pattern->w;
    shape.h = task.pattern->h;
    shape.block_w = bound.grid.block.w;
    shape.block_h = bound.grid.block.h;
    shape.blocks_x = bound.grid.columns;
    shape.pair_rows = bound.grid.pair_rows;
    shape.left = bound.grid.left;
    shape.top = bound.grid.top;
    shape.shift = bound.shift;
    shape.norms = true;
    shape.inner_sums = !bound.covered;
    shape.high_shift = high_shift(*task.pattern);
    return shape;
}

TestRow test_of(const Task& task, const Unit& unit) {
    const Bound& bound = *task.bound;
    const Pattern& pattern = *task.pattern;
    TestRow test{};
    test.count = unit.columns;
    test.channels = pattern.channels;
    test.pair_rows = bound.grid.pair_rows;
    test.block_w = bound.grid.block.w;
    test.blocks_x = bound.grid.columns;
    test.coefficient = bound.coefficients.data();
    test.cell = bound.cell.data();
    test.area = static_cast<std::int32_t>(pattern.area);
    test.inverse_area = static_cast<float>(1.0 / static_cast<double>(pattern.area));
    test.inverse_outer = bound.covered ? 0 : static_cast<float>(1.0 / static_cast<double>(bound.outer_area));
    test.scale = static_cast<float>(bound.scale);
    for (int c = 0; c < pattern.channels; ++c) {
        test.inner[c] = static_cast<float>(bound.inner[c]);
        test.outer[c] = static_cast<float>(bound.outer[c]);
    }
    test.high_unit = std::ldexp(1.0F, high_shift(pattern));
    test.slack = rounded_up(bound.slack);
    test.residual = rounded_up(bound.residual);
    test.outer_residual = rounded_up(bound.outer_residual);
    return test;
}

// Nanoseconds of what detail_reaches() does once, and for each pair row it looks at.
struct DetailPrices {
    double once, row;
};

// Measured on a 2-core Zen 3 VM, AVX2; portable kernels: assumed.
DetailPrices detail_prices(const Task& task) {
    const Bound& bound = *task.bound;
    const double slower = task.isa == Isa::portable ? 8 : 1;
    const double pixels = 2.0 * bound.grid.block.h * bound.detail_stride * task.pattern->channels;
    return {15 + 0.5 * static_cast<double>(bound.cell.size()),
            slower * (5.0 * task.pattern->channels + pixels * 0.01) + 0.5 * bound.grid.columns};
}

// Replaces the bounds of pair rows by what they give, the loosest first, until the rest cannot reach what is needed.
// False: the window is no hit. Adds what it took to `spent`.
bool detail_reaches(const Task& task, const Unit& unit, const SweepRow& sums, const Survivor& survivor, Worker& worker,
                    const DetailPrices& prices, double& spent) {
    // Norms are rounded by sqrt_slack of simd.h at most, sums of them in float by far less.
    constexpr double above = 1.0005;
    const Bound& bound = *task.bound;
    const Pattern& pattern = *task.pattern;
    const BlockGrid& grid = bound.grid;
    const auto pair_rows = static_cast<std::size_t>(grid.pair_rows), columns = static_cast<std::size_t>(grid.columns);
    const auto product = [&](std::size_t row, const std::vector<float>& factors) {
        const float* const norm = sums.norm[row] + survivor.x;
        float sum = 0;
        for (std::size_t i = 0; i < columns; ++i)
            sum += norm[i * static_cast<std::size_t>(grid.block.w)] * factors[row * columns + i];
        return above * static_cast<double>(sum);
    };
    worker.parts.resize(pair_rows);
    spent += prices.once;
    double most = 0, need = static_cast<double>(survivor.need);
    for (std::size_t row = 0; row < pair_rows; ++row) most += worker.parts[row] = product(row, bound.cell);
    const auto stride = static_cast<std::size_t>(bound.detail_stride);
    const int rows = 2 * grid.block.h;
    for (std::size_t k = 0; k < pair_rows; ++k) {
        const auto loosest = std::max_element(worker.parts.begin(), worker.parts.end());
        const auto row = static_cast<std::size_t>(loosest - worker.parts.begin());
        const auto first = row * static_cast<std::size_t>(rows);
        std::int64_t found = 0;
        for (int c = 0; c < pattern.channels; ++c)
            found += task.kernels->dot8(
                task.scene->rows(c) + sums.y, unit.x + survivor.x + grid.left,
                pattern.rows.data() + static_cast<std::size_t>(grid.top) + first,
                bound.detail.data() +
                    (static_cast<std::size_t>(c) * static_cast<std::size_t>(grid.covered_h()) + first) * stride,
                bound.detail_stride, grid.covered_w(), rows);
        spent += prices.row;
        most -= *loosest;
        *loosest = -1;
        need -= static_cast<double>(found) / bound.detail_scale + product(row, bound.cell_error);
        if (most < need) return false;
    }
    return true;
}

ScoreRow score_of(const Pattern& pattern, const Unit& unit) {
    ScoreRow score{};
    score.count = unit.columns;
    score.channels = pattern.channels;
    score.area = static_cast<double>(pattern.area);
    score.pattern_variance = static_cast<double>(pattern.variance);
    double square = static_cast<double>(pattern.moments.square);
    for (int c = 0; c < pattern.channels; ++c) {
        score.pattern_sum[c] = static_cast<double>(pattern.moments.sum[c]);
        square += 256 * score.pattern_sum[c] + 16384 * score.area;
    }
    score.pattern_square = square;
    return score;
}

// Calls row(y, ScoreRow) with the exact sums of every row of the unit.
template <class Row>
void sweep_dense(const Task& task, const Unit& unit, Worker& worker, const Row& row) {
    const Pattern& pattern = *task.pattern;
    const Kernels& kernels = *task.kernels;
    const auto room = static_cast<std::size_t>(unit.columns) + 2 * pad;
    grow(worker.correlation, room);
    if (pattern.masked) {
        for (int c = 0; c < pattern.channels; ++c) grow(worker.masked_sum[c], room);
        grow(worker.masked_square, room);
    }
    ScoreRow score = score_of(pattern, unit);
    score.correlation = worker.correlation.data();
    const auto take = [&](std::vector<std::int32_t>& to, const double* from) {
        for (int x = 0; x < unit.columns; ++x) to[static_cast<std::size_t>(x)] = static_cast<std::int32_t>(from[x]);
        return to.data();
    };
    if (task.spectrum != nullptr) {
        worker.fft.run(kernels, *task.scene, pattern, *task.spectrum, unit.x, unit.y, unit.columns, unit.rows);
        if (pattern.masked) {
            for (int y = 0; y < unit.rows; ++y) {
                take(worker.correlation, worker.fft.product(y));
                for (int c = 0; c < pattern.channels; ++c)
                    score.sum[c] = take(worker.masked_sum[c], worker.fft.sum(c, y));
                score.square = take(worker.masked_square, worker.fft.square(y));
                row(unit.y + y, score);
            }
            return;
        }
    }
    if (!pattern.masked) {
        if (task.spectrum == nullptr)
            worker.dense.begin(kernels, *task.scene, pattern, task.dense->packed(kernels), unit);
        SweepShape sums_only;
        sums_only.w = pattern.w;
        sums_only.h = pattern.h;
        worker.sweep.run(kernels, *task.scene, sums_only, unit, [&](const SweepRow& sums) {
            const int y = sums.y - unit.y;
            score.correlation =
                task.spectrum != nullptr ? take(worker.correlation, worker.fft.product(y)) : worker.dense.row(y);
            for (int c = 0; c < pattern.channels; ++c) score.sum[c] = sums.sum[c];
            score.square = sums.square;
            row(sums.y, score);
            return true;
        });
        return;
    }
    CorrelateRow correlate{};
    correlate.count = unit.columns;
    correlate.channels = pattern.channels;
    correlate.pair_rows = task.dense->shape.pair_rows;
    correlate.block_w = 1;
    correlate.blocks_x = pattern.w;
    worker.sweep.run(kernels, *task.scene, task.dense->shape, unit, [&](const SweepRow& sums) {
        correlate.pair = sums.pair.data();
        correlate.coefficient = task.dense->pattern.data();
        correlate.correlation = worker.correlation.data();
        kernels.correlate_row(correlate);
        CorrelateRow masked = correlate;
        masked.coefficient = task.dense->mask.data();
        masked.pair = sums.squares.data();
        masked.correlation = worker.masked_square.data();
        kernels.correlate_row(masked);
        score.square = worker.masked_square.data();
        masked.channels = 1;
        for (int c = 0; c < pattern.channels; ++c) {
            masked.pair = sums.pair.data() + c * correlate.pair_rows;
            masked.correlation = worker.masked_sum[c].data();
            kernels.correlate_row(masked);
            score.sum[c] = worker.masked_sum[c].data();
        }
        row(sums.y, score);
        return true;
    });
}

}  // namespace

std::int64_t product_at(const Task& task, int x, int y) {
    const Pattern& pattern = *task.pattern;
    const std::size_t plane = static_cast<std::size_t>(pattern.stride) * static_cast<std::size_t>(pattern.h);
    std::int64_t product = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        const std::int16_t* const coefficients = pattern.coefficients.data() + static_cast<std::size_t>(c) * plane;
        product += (pattern.small() ? task.kernels->dot(task.scene->rows(c) + y, x, pattern.rows.data(), coefficients,
                                                        pattern.stride, pattern.w, pattern.h)
                                    : window_dot(task, c, x, y, coefficients)) -
                   128 * pattern.moments.sum[c];
    }
    return product;
}

// Measured on a 2-core Zen 3 VM, AVX2; portable kernels: assumed.
double product_price(const Pattern& pattern, Isa isa) {
    const double pixels = static_cast<double>(pattern.stride) * pattern.h * pattern.channels;
    return (isa == Isa::portable ? 8 : 1) * (15 + pixels * 0.02);
}

void search_rest(const Task& task, const Unit& unit, Worker& worker, HitList& hits) {
    Task rest = task;
    rest.bound = nullptr;
    const Exhaustive way = choose_exhaustive(*task.pattern, unit.columns, unit.rows, task.isa);
    const auto search = task.pattern->small() ? search_dense : search_large;
    if (way.transform == 0) return search(rest, unit, worker, hits);
    rest.spectrum = &task.prepared->spectrum(*task.kernels, way.transform);
    const FftBlock block = fft_block(*task.pattern, way.transform);
    for (int y = 0; y < unit.rows; y += block.rows)
        for (int x = 0; x < unit.columns; x += block.columns)
            search(rest,
                   {unit.x + x, unit.y + y, std::min(block.columns, unit.columns - x),
                    std::min(block.rows, unit.rows - y)},
                   worker, hits);
}

bool checks_pay(const Task& task, const Unit& unit, int done, double spent) {
    if (done % 16 != 0 || spent < 50e3) return true;
    const int left = unit.rows - done;
    return left == 0 ||
           spent / done * left < 1.2 * choose_exhaustive(*task.pattern, unit.columns, left, task.isa).beside_bound();
}

bool offer(const Task& task, HitList& hits, int x, int y, std::int64_t product, const Moments& window) {
    const double score = exact_score(*task.pattern, product, window);
    if (score < task.goal->now.load(std::memory_order_relaxed)) return false;
    if (is_excluded(*task.excluded, x, y)) return false;
    hits.add(*task.goal, {score, x, y});
    return true;
}

DenseCoefficients dense_coefficients(const Pattern& pattern) {
    DenseCoefficients dense;
    if (!pattern.masked) {
        dense.by_two = pack_coefficients(pattern, 2);
        dense.by_four = pack_coefficients(pattern, 4);
        return dense;
    }
    dense.shape = dense_shape(pattern.w, pattern.h);
    dense.shape.window_sums = false;
    dense.shape.squares = true;
    const int rows = dense.shape.pair_rows;
    const auto count = static_cast<std::size_t>(pattern.channels) * static_cast<std::size_t>(rows) *
                       static_cast<std::size_t>(pattern.w);
    dense.pattern.resize(count);
    dense.mask.resize(count);
    std::size_t at = 0;
    for (int c = 0; c < pattern.channels; ++c)
        for (int j = 0; j < rows; ++j)
            for (int x = 0; x < pattern.w; ++x, ++at) {
                std::uint32_t value[2], one[2];
                for (int k = 0; k < 2; ++k) {
                    const int y = 2 * j + dense.shape.top + k;
                    const bool taken = y >= 0 && pattern.taken(x, y);
                    one[k] = taken ? 1 : 0;
                    value[k] = taken ? static_cast<std::uint16_t>(pattern.pixel(c, x, y) - 128) : 0;
                }
                dense.pattern[at] = static_cast<std::int32_t>(value[0] | value[1] << 16);
                dense.mask[at] = static_cast<std::int32_t>(one[0] | one[1] << 16);
            }
    return dense;
}

std::uint64_t search_pruned(const Task& task, const Unit& unit, Worker& worker, HitList& hits) {
    const Pattern& pattern = *task.pattern;
    TestRow test = test_of(task, unit);
    grow(worker.survivors, static_cast<std::size_t>(unit.columns) + pad);
    // Below this many pixels the whole check costs no more than its first part.
    const bool staged = std::int64_t{pattern.w} * pattern.h * pattern.channels >= 512;
    std::uint64_t survived = 0;
    double spent = 0;
    int done = 0;
    const DetailPrices detail_price = detail_prices(task);
    const double check_price = product_price(pattern, task.isa);
    worker.sweep.run(*task.kernels, *task.scene, bound_shape(task), unit, [&](const SweepRow& sums) {
        const double threshold = task.goal->now.load(std::memory_order_relaxed);
        test.limit = limit_of(task, threshold);
        for (int c = 0; c < pattern.channels; ++c) test.sum[c] = sums.sum[c];
        test.square = sums.square;
        test.pair = sums.pair.data();
        test.norm = sums.norm.data();
        for (int c = 0; c < pattern.channels; ++c) test.inner_sum[c] = sums.inner_sum[c];
        test.inner_square = sums.inner_square;
        test.square_high = sums.square_high;
        test.inner_square_high = sums.inner_square_high;
        const int count = task.kernels->test_row(test, worker.survivors.data());
        survived += static_cast<std::uint64_t>(count);
        int hit = -2;  // the last hit of the row: its neighbour is likely one too and needs no look at its detail
        for (int k = 0; k < count; ++k) {
            const Survivor& survivor = worker.survivors[static_cast<std::size_t>(k)];
            const int x = unit.x + survivor.x;
            if (staged && hit != x - 1 && !detail_reaches(task, unit, sums, survivor, worker, detail_price, spent))
                continue;
            spent += check_price;
            Moments window;
            window.square = sums.square[survivor.x];
            if (sums.square_high != nullptr) {
                // See square_of() of the kernels; exact here.
                const double missing =
                    std::ldexp(sums.square_high[survivor.x], high_shift(pattern)) - static_cast<double>(window.square);
                window.square += std::llround(std::ldexp(missing, -32)) * (std::int64_t{1} << 32);
            }
            for (int c = 0; c < pattern.channels; ++c) window.sum[c] = sums.sum[c][survivor.x];
            if (offer(task, hits, x, sums.y, product_at(task, x, sums.y), window)) hit = x;
        }
        done = sums.y + 1 - unit.y;
        return checks_pay(task, unit, done, spent);
    });
    if (done < unit.rows) search_rest(task, {unit.x, unit.y + done, unit.columns, unit.rows - done}, worker, hits);
    return survived;
}

void search_dense(const Task& task, const Unit& unit, Worker& worker, HitList& hits) {
    grow(worker.positions, static_cast<std::size_t>(unit.columns) + pad);
    sweep_dense(task, unit, worker, [&](int y, const ScoreRow& score) {
        const double threshold = task.goal->now.load(std::memory_order_relaxed);
        const int count = task.kernels->hits_row(score, threshold, worker.positions.data());
        for (int k = 0; k < count; ++k) {
            const std::int32_t x = worker.positions[static_cast<std::size_t>(k)];
            Moments window;
            window.square = score.square[x];
            for (int c = 0; c < score.channels; ++c) window.sum[c] = score.sum[c][x];
            offer(task, hits, unit.x + x, y, score.correlation[x], window);
        }
    });
}

void map_dense(const Task& task, std::uint32_t method, const Unit& unit, Worker& worker, const vdt_image& out) {
    sweep_dense(task, unit, worker, [&](int y, const ScoreRow& score) {
        auto* const row = reinterpret_cast<float*>(static_cast<std::uint8_t*>(out.plane[0].base) + out.plane[0].offset +
                                                   y * out.plane[0].row_stride);
        task.kernels->map_row(score, method, task.pattern->given_mask, row + unit.x);
    });
}

Exhaustive choose_exhaustive(const Pattern& pattern, int columns, int rows, Isa isa) {
    const double positions = static_cast<double>(columns) * rows;
    const double direct = positions * (pattern.small() ? dense_cost(pattern, isa) : large_cost(pattern, isa));
    const FftChoice fft = choose_fft(pattern, columns, rows);
    const double transformed = fft.cost + positions * 3;
    if (fft.n == 0 || direct <= transformed) return {0, direct};
    return {fft.n, transformed};
}

double dense_cost(const Pattern& pattern, Isa isa) {
    // Products a nanosecond: measured on a 2-core Zen 3 VM (AVX2; divided products on a Zen 4) and two cores of a Xeon
    // with VNNI; portable: assumed.
    const auto direct = [&] {
        const int levels = pattern.masked ? 0 : dense_levels(pattern.h, 2);
        // Divisions pay the more, the more rows meet all outputs.
        if (levels == 2) return 155.0 * pattern.h / (pattern.h + 11);
        return 90.0;
    };
    const double rate = isa == Isa::avx512 ? (pattern.masked ? 120 : 300) : isa == Isa::avx2 ? direct() : 8;
    const double passes = pattern.masked ? 3 : 1;
    return 1.5 + passes * pattern.w * pattern.h * pattern.channels / rate;
}

}  // namespace vedette::cpu::find
