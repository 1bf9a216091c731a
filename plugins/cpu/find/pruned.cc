#include "pruned.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "prepared.h"

namespace vedette::cpu::find {
namespace {

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
    Dots dots{};
    dots.places = 1;
    dots.x[0] = unit.x + survivor.x + grid.left;
    dots.stride = bound.detail_stride;
    dots.w = grid.covered_w();
    dots.count = 2 * grid.block.h;
    for (std::size_t k = 0; k < pair_rows; ++k) {
        const auto loosest = std::max_element(worker.parts.begin(), worker.parts.end());
        const auto row = static_cast<std::size_t>(loosest - worker.parts.begin());
        const auto first = row * static_cast<std::size_t>(dots.count);
        std::int64_t found = 0;
        for (int c = 0; c < pattern.channels; ++c) {
            dots.rows = task.scene->rows(c) + sums.y + grid.top + first;
            dots.coefficient =
                bound.detail.data() +
                (static_cast<std::size_t>(c) * static_cast<std::size_t>(grid.covered_h()) + first) * stride;
            task.kernels->small_dots(dots);
            found += dots.sum[0];
        }
        spent += prices.row;
        most -= *loosest;
        *loosest = -1;
        need -= static_cast<double>(found) / bound.detail_scale + product(row, bound.cell_error);
        if (most < need) return false;
    }
    return true;
}

// One pattern's part in the search of a unit.
class Checks {
public:
    Checks(PrunedSearch& search, const Unit& unit, Worker& worker)
        : search_(search),
          task_(search.task),
          unit_(unit),
          worker_(worker),
          test_(test_of(search.task, unit)),
          detail_prices_(detail_prices(search.task)) {
        const Pattern& pattern = *task_.pattern;
        // Below this many pixels the whole check costs no more than its first part.
        staged_ = std::int64_t{pattern.w} * pattern.h * pattern.channels >= 512;
    }

    // Tests a row of windows and checks those that survive.
    void row(const SweepRow& sums) {
        if (!pays_) return;
        test_.limit = limit_of(task_, task_.goal->now.load(std::memory_order_relaxed));
        for (int c = 0; c < test_.channels; ++c) test_.sum[c] = sums.sum[c];
        test_.square = sums.square;
        test_.pair = sums.pair.data();
        test_.norm = sums.norm.data();
        for (int c = 0; c < test_.channels; ++c) test_.inner_sum[c] = sums.inner_sum[c];
        test_.inner_square = sums.inner_square;
        test_.square_high = sums.square_high;
        test_.inner_square_high = sums.inner_square_high;
        const int count = task_.kernels->test_row(test_, worker_.survivors.data());
        search_.survivors += static_cast<std::uint64_t>(count);
        check(sums, count);
        done_ = sums.y + 1 - unit_.y;
        pays_ = checks_pay(task_, unit_, done_, spent_);
    }

    bool pays() const { return pays_; }

    // What was left, up to row `end`, when checks did not pay any more.
    void finish(int end) {
        if (done_ < end)
            search_rest(task_, {unit_.x, unit_.y + done_, unit_.columns, end - done_}, worker_, *search_.hits);
    }

private:
    // Windows of a row whose products are computed together.
    struct Batch {
        int count = 0;
        std::int32_t column[most_dots] = {};
    };

    void check(const SweepRow& sums, int count) {
        Batch batch;
        here_.clear();
        auto above = above_.begin();
        for (int k = 0; k < count; ++k) {
            const Survivor& survivor = worker_.survivors[static_cast<std::size_t>(k)];
            while (above != above_.end() && *above < survivor.x) ++above;
            // A neighbour of a hit is likely one too and needs no look at its detail.
            const bool likely =
                (above != above_.end() && *above == survivor.x) || (!here_.empty() && here_.back() == survivor.x - 1);
            if (staged_ && !likely && !detail_reaches(task_, unit_, sums, survivor, worker_, detail_prices_, spent_))
                continue;
            batch.column[batch.count++] = survivor.x;
            if (batch.count == most_dots) score(sums, batch);
        }
        if (batch.count > 0) score(sums, batch);
        above_.swap(here_);
    }

    void score(const SweepRow& sums, Batch& batch) {
        std::int32_t x[most_dots];
        std::int64_t product[most_dots];
        for (int k = 0; k < batch.count; ++k) x[k] = unit_.x + batch.column[k];
        products_at(task_, x, batch.count, sums.y, product);
        spent_ += products_price(*task_.pattern, batch.count, task_.isa);
        for (int k = 0; k < batch.count; ++k)
            if (offer(task_, *search_.hits, x[k], sums.y, product[k], window(sums, batch.column[k])))
                here_.push_back(batch.column[k]);
        batch.count = 0;
    }

    Moments window(const SweepRow& sums, std::int32_t column) const {
        Moments window;
        window.square = sums.square[column];
        if (sums.square_high != nullptr) {
            // See square_of() of the kernels; exact here.
            const double missing =
                std::ldexp(sums.square_high[column], high_shift(*task_.pattern)) - static_cast<double>(window.square);
            window.square += std::llround(std::ldexp(missing, -32)) * (std::int64_t{1} << 32);
        }
        for (int c = 0; c < task_.pattern->channels; ++c) window.sum[c] = sums.sum[c][column];
        return window;
    }

    PrunedSearch& search_;
    const Task& task_;
    const Unit& unit_;
    Worker& worker_;
    TestRow test_;
    DetailPrices detail_prices_;
    double spent_ = 0;
    bool staged_ = true, pays_ = true;
    int done_ = 0;
    std::vector<std::int32_t> above_, here_;  // columns of hits, in the row above and in this one
};

}  // namespace

bool share_sweep(const Task& a, const Task& b) {
    return a.bound != nullptr && b.bound != nullptr && a.pattern->w == b.pattern->w && a.pattern->h == b.pattern->h &&
           a.pattern->channels == b.pattern->channels && a.bound->grid == b.bound->grid;
}

void search_pruned(std::span<PrunedSearch> searches, const Unit& unit, Worker& worker, RowShare* share) {
    grow(worker.survivors, static_cast<std::size_t>(unit.columns) + pad);
    std::vector<Checks> checks;
    checks.reserve(searches.size());
    for (PrunedSearch& search : searches) checks.emplace_back(search, unit, worker);
    const Task& any = searches.front().task;
    worker.sweep.run(*any.kernels, *any.scene, bound_shape(any), unit, [&](const SweepRow& sums) {
        if (share != nullptr && !share->begin_row()) return false;
        for (Checks& one : checks) one.row(sums);
        return std::any_of(checks.begin(), checks.end(), [](const Checks& one) { return one.pays(); });
    });
    const int end = share != nullptr ? share->keep() : unit.rows;
    for (Checks& one : checks) one.finish(end);
}

}  // namespace vedette::cpu::find
