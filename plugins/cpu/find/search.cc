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

void products_at(const Task& task, const std::int32_t* x, int places, int y, std::int64_t* product) {
    const Pattern& pattern = *task.pattern;
    const std::ptrdiff_t plane = std::ptrdiff_t{pattern.stride} * pattern.h;
    std::fill(product, product + places, 0);
    for (int c = 0; c < pattern.channels; ++c) {
        std::int64_t sum[most_dots];
        window_dots(task, c, x, places, y, pattern.coefficients.data() + c * plane, sum);
        for (int k = 0; k < places; ++k) product[k] += sum[k] - 128 * pattern.moments.sum[c];
    }
}

// Measured on a 2-core Zen 4 VM, AVX2 and AVX-512, 64 to 256 pixels a side: both within a quarter. Portable kernels:
// assumed.
double products_price(const Pattern& pattern, int places, Isa isa) {
    const double pixels = static_cast<double>(pattern.stride) * pattern.h * pattern.channels;
    return (isa == Isa::portable ? 8 : 1) * (15 + pixels * (0.015 + 0.015 * places));
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
