#include "masked.h"

#include <algorithm>
#include <cmath>

#include "prepared.h"
#include "rectangle_sums.h"

namespace vedette::cpu::find {
namespace {

std::size_t index(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

std::int64_t inner_area(const MaskedBound& bound) {
    return std::int64_t{2} * static_cast<std::int64_t>(bound.pairs.size()) * bound.shape.w * bound.shape.h;
}

// The lattice's offset that gets most pairs of blocks into the mask, and those pairs.
void place(const Pattern& pattern, MaskedBound& bound) {
    RectangleSums taken;
    taken.set(pattern.w, pattern.h, [&](int x, int y) { return pattern.taken(x, y) ? 1.0 : 0.0; });
    const int w = bound.shape.w, h = 2 * bound.shape.h;
    for (int top = 0; top < h && top + h <= pattern.h; ++top)
        for (int left = 0; left < w && left + w <= pattern.w; ++left) {
            std::vector<MaskedBound::Pair> pairs;
            for (int row = 0; top + (row + 1) * h <= pattern.h; ++row)
                for (int column = 0; left + (column + 1) * w <= pattern.w; ++column)
                    if (taken.of(left + column * w, top + row * h, w, h) > w * h - 0.5) pairs.push_back({row, column});
            if (pairs.size() <= bound.pairs.size()) continue;
            bound.left = left;
            bound.top = top;
            bound.pairs = std::move(pairs);
        }
    bound.columns = (pattern.w - bound.left) / w;
    bound.rows = (pattern.h - bound.top) / h;
}

void add_means(const Pattern& pattern, MaskedBound& bound) {
    double inner = 0;  // squared norm of T0 in the blocks about their common mean
    std::vector<double> detail(bound.pairs.size(), 0.0);
    for (int c = 0; c < pattern.channels; ++c) {
        RectangleSums sums, squares;
        const auto shifted = [&](int x, int y) { return static_cast<double>(pattern.pixel(c, x, y)) - 128; };
        squares.set(pattern.w, pattern.h, [&](int x, int y) { return shifted(x, y) * shifted(x, y); });
        sums.set(pattern.w, pattern.h, shifted);
        const std::size_t first = bound.means.size();
        double total = 0;
        for (std::size_t k = 0; k < bound.pairs.size(); ++k) {
            const int x = bound.left + bound.pairs[k].column * bound.shape.w;
            const int y = bound.top + 2 * bound.pairs[k].row * bound.shape.h;
            const double square = squares.of(x, y, bound.shape.w, 2 * bound.shape.h);
            inner += square;
            detail[k] += square;
            for (int half = 0; half < 2; ++half) {
                const double sum = sums.of(x, y + half * bound.shape.h, bound.shape.w, bound.shape.h);
                total += sum;
                detail[k] -= sum * sum / (bound.shape.w * bound.shape.h);
                bound.means.push_back(sum / (bound.shape.w * bound.shape.h));
            }
        }
        const double mean = total / static_cast<double>(inner_area(bound));
        inner -= total * mean;
        for (std::size_t k = first; k < bound.means.size(); ++k) bound.means[k] -= mean;
    }
    bound.residual = std::sqrt(std::max(0.0, pattern.norm * pattern.norm * (1 + 1e-9) - inner));
    const double block_area = bound.shape.w * bound.shape.h;
    if (pattern.channels * 2 * 127.5 * 127.5 * block_area * block_area >= 2147483000.0) bound.shift = 2;
    for (const double square : detail) {
        bound.detail.push_back(std::sqrt(std::max(0.0, square)));
        bound.cell.push_back(static_cast<float>(bound.detail.back() *
                                                std::sqrt(std::ldexp(1.0, bound.shift) / block_area) * (1 + 1e-6)));
    }
}

// As in bound.cc: 16-bit coefficients of zero sum in each channel, products within 32 bits.
void quantise(const Pattern& pattern, MaskedBound& bound) {
    const double block_area = bound.shape.w * bound.shape.h;
    double largest = 0, total = 0, error = 0;
    for (const double mean : bound.means) {
        largest = std::max(largest, std::fabs(mean));
        total += std::fabs(mean);
    }
    const double room = 2147483000.0 / (128 * block_area) - static_cast<double>(bound.means.size());
    bound.scale = static_cast<double>(static_cast<float>(std::max({largest / 32000, total / room, 1e-6}) * 1.000001));
    const std::size_t halves = 2 * bound.pairs.size();
    for (int c = 0; c < pattern.channels; ++c) {
        double carry = 0;
        for (std::size_t k = 0; k < halves; ++k) {
            const double exact = bound.means[index(c) * halves + k] / bound.scale;
            const double rounded = std::nearbyint(exact + carry);
            carry += exact - rounded;
            error += (exact - rounded) * (exact - rounded);
            const auto half =
                static_cast<std::uint32_t>(static_cast<std::uint16_t>(static_cast<std::int16_t>(rounded)));
            if (k % 2 == 0)
                bound.coefficients.push_back(static_cast<std::int32_t>(half));
            else
                bound.coefficients.back() =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(bound.coefficients.back()) | half << 16);
        }
    }
    bound.rounding = std::sqrt(error * block_area) * bound.scale;
}

// The kernel's test in double, for a sampled window.
bool survives(const MaskedBound& bound, const Pattern& pattern, const std::vector<RectangleSums>& window,
              const RectangleSums& squares, double variance, double limit) {
    double part = 0, energy = 0, mean_square = 0;
    std::vector<double> detail;
    for (const MaskedBound::Pair& pair : bound.pairs)
        detail.push_back(squares.of(bound.left + pair.column * bound.shape.w, bound.top + 2 * pair.row * bound.shape.h,
                                    bound.shape.w, 2 * bound.shape.h));
    for (const double square : detail) energy += square;
    const double block_area = bound.shape.w * bound.shape.h;
    std::size_t at = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double total = 0;
        for (std::size_t k = 0; k < bound.pairs.size(); ++k)
            for (int half = 0; half < 2; ++half) {
                const double sum = window[index(c)].of(bound.left + bound.pairs[k].column * bound.shape.w,
                                                       bound.top + (2 * bound.pairs[k].row + half) * bound.shape.h,
                                                       bound.shape.w, bound.shape.h);
                part += sum * bound.means[at++];
                detail[k] -= sum * sum / block_area;
                total += sum;
            }
        mean_square += total * total / static_cast<double>(inner_area(bound));
    }
    energy = std::max(1e-6, energy - mean_square);
    for (std::size_t k = 0; k < bound.pairs.size(); ++k) part += std::sqrt(std::max(0.0, detail[k])) * bound.detail[k];
    if (part <= 0 || part * part < (limit * limit - bound.residual * bound.residual) * energy) return false;
    const double rest = std::max(0.0, variance - energy);
    if (bound.residual * bound.residual * energy * energy < part * part * rest) return true;
    return part + bound.residual * std::sqrt(rest) >= limit * std::sqrt(variance);
}

}  // namespace

MaskedBound make_masked_bound(const Pattern& pattern, BlockShape shape) {
    MaskedBound bound;
    bound.shape = shape;
    place(pattern, bound);
    if (bound.pairs.empty()) return bound;
    add_means(pattern, bound);
    quantise(pattern, bound);
    return bound;
}

double masked_limit(const Pattern& pattern, const MaskedBound& bound, double threshold) {
    return threshold * pattern.norm - 2e-6 * pattern.norm - bound.rounding * (1 + 1e-6);
}

std::uint64_t search_masked(const Task& task, const Unit& unit, Worker& worker, HitList& hits) {
    const Pattern& pattern = *task.pattern;
    const MaskedBound& bound = *task.masked;
    const auto pairs = static_cast<int>(bound.pairs.size());
    SweepShape shape;
    shape.w = pattern.w;
    shape.h = pattern.h;
    shape.block_w = bound.shape.w;
    shape.block_h = bound.shape.h;
    shape.blocks_x = bound.columns;
    shape.pair_rows = bound.rows;
    shape.left = bound.left;
    shape.top = bound.top;
    shape.shift = bound.shift;
    shape.norms = shape.pair_squares = true;
    MaskedRow test{};
    test.count = unit.columns;
    test.channels = pattern.channels;
    test.pairs = pairs;
    test.coefficient = bound.coefficients.data();
    test.cell = bound.cell.data();
    test.inner = static_cast<std::int32_t>(inner_area(bound));
    test.inverse_area = static_cast<float>(1.0 / (static_cast<double>(pattern.w) * pattern.h));
    test.inverse_inner = static_cast<float>(1.0 / static_cast<double>(inner_area(bound)));
    test.scale = static_cast<float>(bound.scale);
    test.residual = std::nextafter(static_cast<float>(bound.residual), HUGE_VALF);
    grow(worker.survivors, index(unit.columns) + pad);
    worker.pairs.resize(index(pattern.channels * pairs));
    worker.norms.resize(index(pairs));
    worker.pair_squares.resize(index(pairs));
    const double price = products_price(pattern, 1, task.isa) * 2;  // sum and square take as long again
    std::uint64_t survived = 0;
    double spent = 0;
    int done = 0;
    worker.sweep.run(*task.kernels, *task.scene, shape, unit, [&](const SweepRow& sums) {
        const double limit = masked_limit(pattern, bound, task.goal->now.load(std::memory_order_relaxed));
        test.limit = std::nextafter(static_cast<float>(limit), -HUGE_VALF);
        const double gain = std::sqrt(std::max(0.0, limit * limit - bound.residual * bound.residual));
        test.gain = static_cast<float>(gain * (1 - 1e-6));
        for (int c = 0; c < pattern.channels; ++c) {
            test.sum[c] = sums.sum[c];
            for (int k = 0; k < pairs; ++k)
                worker.pairs[index(c * pairs + k)] = sums.pair[index(c * bound.rows + bound.pairs[index(k)].row)] +
                                                     bound.pairs[index(k)].column * bound.shape.w;
        }
        for (int k = 0; k < pairs; ++k) {
            const MaskedBound::Pair& pair = bound.pairs[index(k)];
            worker.norms[index(k)] = sums.norm[index(pair.row)] + pair.column * bound.shape.w;
            worker.pair_squares[index(k)] = sums.pair_square[index(pair.row)] + pair.column * bound.shape.w;
        }
        test.pair = worker.pairs.data();
        test.norm = worker.norms.data();
        test.pair_square = worker.pair_squares.data();
        test.square = sums.square;
        const int count = task.kernels->masked_row(test, worker.survivors.data());
        survived += static_cast<std::uint64_t>(count);
        spent += count * price;
        for (int k = 0; k < count; ++k) {
            const int x = unit.x + worker.survivors[index(k)].x;
            Moments window;
            for (int c = 0; c < pattern.channels; ++c) {
                std::int64_t square = 0;
                task.kernels->masked_sums(task.scene->rows(c) + sums.y, x, pattern.mask_coefficients.data(),
                                          pattern.stride, pattern.w, pattern.h, &window.sum[c], &square);
                window.square += square;
            }
            std::int64_t product = 0;
            products_at(task, &x, 1, sums.y, &product);
            offer(task, hits, x, sums.y, product, window);
        }
        done = sums.y + 1 - unit.y;
        return checks_pay(task, unit, done, spent);
    });
    if (done < unit.rows) search_rest(task, {unit.x, unit.y + done, unit.columns, unit.rows - done}, worker, hits);
    return survived;
}

const MaskedBound* choose_masked(const Prepared& prepared, const Scene& scene, double threshold,
                                 double exhaustive_price, double& price, double& share) {
    const Pattern& pattern = prepared.pattern();
    const MaskedBound* best = nullptr;
    price = exhaustive_price;
    share = 1;
    std::vector<const MaskedBound*> bounds;
    for (const BlockShape shape : {BlockShape{16, 8}, {8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}}) {
        if (!shape_fits(pattern, shape)) continue;
        const MaskedBound& bound = prepared.masked_bound(shape);
        if (bound.pairs.size() < 3 || bound.pairs.size() > 256 ||
            masked_limit(pattern, bound, threshold) < 1.02 * bound.residual)
            continue;
        bounds.push_back(&bound);
    }
    if (bounds.empty()) return nullptr;
    std::vector<int> survivors(bounds.size(), 0);
    std::vector<RectangleSums> window(index(pattern.channels));
    RectangleSums squares;
    const std::int64_t columns = scene.width() - pattern.w + 1, rows = scene.height() - pattern.h + 1;
    // Sampling costs about 2 ns a pixel; it must stay below a twentieth of the search, which takes 6 ns a position of
    // gray and 14 of colours at least (2-core Zen 3 VM, AVX2).
    const double pixels = static_cast<double>(pattern.w) * pattern.h * pattern.channels;
    const double search = static_cast<double>(columns * rows) * (2 + 4 * pattern.channels);
    const int samples = static_cast<int>(std::clamp(search / 20 / (2 * pixels), 4.0, 120.0));
    for (int k = 0; k < samples; ++k) {
        const double u = 0.5 + 0.7548776662466927 * k, v = 0.5 + 0.5698402909980532 * k;  // evenly spread
        const auto x =
            std::min(static_cast<std::int64_t>((u - std::floor(u)) * static_cast<double>(columns)), columns - 1);
        const auto y = std::min(static_cast<std::int64_t>((v - std::floor(v)) * static_cast<double>(rows)), rows - 1);
        double variance = 0;
        for (int c = 0; c < pattern.channels; ++c) {
            const Rows in = scene.rows(c) + y;
            window[index(c)].set(pattern.w, pattern.h,
                                 [&](int i, int j) { return static_cast<double>(in[j][x + i] - 128); });
            const double sum = window[index(c)].of(0, 0, pattern.w, pattern.h);
            variance -= sum * sum / (static_cast<double>(pattern.w) * pattern.h);
        }
        squares.set(pattern.w, pattern.h, [&](int i, int j) {
            double sum = 0;
            for (int c = 0; c < pattern.channels; ++c) {
                const double value = scene.rows(c)[y + j][x + i] - 128;
                sum += value * value;
            }
            return sum;
        });
        variance += squares.of(0, 0, pattern.w, pattern.h);
        for (std::size_t i = 0; i < bounds.size(); ++i)
            survivors[i] +=
                survives(*bounds[i], pattern, window, squares, variance, masked_limit(pattern, *bounds[i], threshold))
                    ? 1
                    : 0;
    }
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        // Measured on a 2-core Zen 3 VM, AVX2, one core.
        const double seen = (survivors[i] + 0.3) / samples;
        const double cost =
            2.2 + pattern.channels * (1.0 + 0.12 * static_cast<double>(bounds[i]->pairs.size())) + seen * pixels * 0.06;
        if (cost >= price) continue;
        price = cost;
        share = seen;
        best = bounds[i];
    }
    return best;
}

}  // namespace vedette::cpu::find
