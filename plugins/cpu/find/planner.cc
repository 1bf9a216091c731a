#include "planner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "../parallel.h"
#include "rectangle_sums.h"

namespace vedette::cpu::find {
namespace {

// Nanoseconds a position below which no bound is tried.
double least_cost(const Pattern& pattern) {
    return 3 + 3.5 * (pattern.channels - 1);
}

// How many windows are looked at before a choice.
struct Sampling {
    double least, most;
    double share;  // of the price of a search that they may cost
    // What is added to what is seen: nothing in a sample does not mean nothing. Of large patterns the windows are few,
    // so what is usual weighs too: a bound lets through nearly nothing or, on noise, nearly everything.
    double added_windows, added_survivors;
};
constexpr Sampling sampling_of_small{16, 160, 1.0 / 20, 0, 0.3};
constexpr Sampling sampling_of_large{8, 48, 1.0 / 40, 15, 0.3};
const Sampling& sampling_of(const Pattern& pattern) {
    return pattern.small() ? sampling_of_small : sampling_of_large;
}

}  // namespace

double sums_cost(const Pattern& pattern, const BlockGrid& grid) {
    const bool covered = grid.covered_w() == pattern.w && grid.covered_h() == pattern.h;
    // Columns are summed to the right of a strip's positions too.
    const double window = 1 + static_cast<double>(pattern.w) / strip_columns,
                 blocks = 1 + static_cast<double>(grid.covered_w()) / strip_columns;
    return (0.9 + 0.6 * (pattern.channels - 1)) * (window + (covered ? 1.5 : 2.5) * blocks);
}
double test_cost(const Pattern& pattern, const BlockGrid& grid) {
    // The rows of pairs and norms that are kept should stay in a core's second-level cache. Patterns of 256 x 256 keep
    // 1.4 MB, and a position takes 10 to 19 ns with 512 KiB a core (Zen 3), 8 ns with 1 MiB (Zen 4, AVX2).
    const double kept = 4.0 * (strip_columns + grid.covered_w()) * (pattern.channels + 1) *
                        (2.0 * (grid.pair_rows - 1) * grid.block.h + 1);
    return 0.9 + grid.blocks() * (0.007 + 0.013 * pattern.channels) * std::clamp(kept / 300e3, 1.0, 2.0);
}
// Most survivors fall when the first of their detail is looked at; where much lies outside the blocks, only by their
// whole product.
double survivor_cost(const Pattern& pattern, const BlockGrid& grid) {
    const double inside = static_cast<double>(grid.covered_w()) * grid.covered_h();
    const double all = static_cast<double>(pattern.w) * pattern.h;
    return 25 + 0.6 * grid.blocks() + (0.008 * inside + (2 * inside < all ? 0.02 * all : 0)) * pattern.channels;
}

bool worth_a_bound(const Pattern& pattern, double threshold, double exhaustive_cost) {
    // At low thresholds the bound keeps nearly everything.
    return threshold >= 0.3 && pattern.prunable() && (pattern.masked || exhaustive_cost >= least_cost(pattern));
}

std::int64_t samples_worth(const Pattern& pattern, std::span<const BlockGrid> grids, std::int64_t positions,
                           double exhaustive_cost) {
    const Sampling& sampling = sampling_of(pattern);
    double sample_cost = static_cast<double>(pattern.w) * pattern.h * pattern.channels * 0.8 + 2000;
    for (const BlockGrid& grid : grids) sample_cost += (1 + 0.8 * pattern.channels) * grid.blocks();
    // A bound is worth looking for where every score of a large pattern costs more than a bound ever does.
    const double price = pattern.small() ? std::min(exhaustive_cost, 8.0 * pattern.channels) : exhaustive_cost;
    const double samples = static_cast<double>(positions) * price * sampling.share / sample_cost;
    return samples < sampling.least ? 0 : static_cast<std::int64_t>(std::min(samples, sampling.most));
}

BlockGrid grid_near(const Pattern& pattern, std::span<const BlockGrid> grids, double blocks) {
    return *std::min_element(grids.begin(), grids.end(), [&](const BlockGrid& a, const BlockGrid& b) {
        const auto distance = [&](const BlockGrid& grid) {
            const double uncovered = 1 - static_cast<double>(grid.covered_w()) * grid.covered_h() /
                                             (static_cast<double>(pattern.w) * pattern.h);
            return std::fabs(std::log2(grid.blocks() / blocks)) + 2 * uncovered + (grid.block.w < grid.block.h ? 1 : 0);
        };
        return distance(a) < distance(b);
    });
}

namespace {

// Block means of T0 and norms of the detail by cell of a grid, from sums over rectangles.
struct Sketch {
    BlockGrid grid;
    int rows = 0;
    std::vector<double> mean;  // [channel][row][column]
    std::vector<double> cell;  // [pair row][column]: squared until all channels are in, then the norm
    double outer_area = 0, outer_cell = 0;
    double outer[max_channels] = {};
};

// Sums over rectangles of values and of their squares, all channels together.
template <class T>
struct Rectangles {
    RectangleSumsOf<T> value[max_channels], square;

    // value(c, x, y)
    template <class Value>
    void set(int w, int h, int channels, const Value& of) {
        for (int c = 0; c < channels; ++c) value[c].set(w, h, [&](int x, int y) { return of(c, x, y); });
        square.set(w, h, [&](int x, int y) {
            T sum = 0;
            for (int c = 0; c < channels; ++c) sum += of(c, x, y) * of(c, x, y);
            return sum;
        });
    }
};

// Calls block(channel, row, column, sum) for every block and cell(pair row, column, squared norm of the detail).
template <class T, class Block, class Cell>
void each_cell(const Sketch& s, int channels, const Rectangles<T>& sums, const Block& block, const Cell& cell) {
    const int w = s.grid.block.w, h = s.grid.block.h;
    const double block_area = w * h;
    for (int j = 0; j < s.grid.pair_rows; ++j)
        for (int i = 0; i < s.grid.columns; ++i) {
            const int x = s.grid.left + i * w, y = s.grid.top + 2 * j * h;
            double energy = 0;
            for (int c = 0; c < channels; ++c) {
                const auto upper = static_cast<double>(sums.value[c].of(x, y, w, h)),
                           lower = static_cast<double>(sums.value[c].of(x, y + h, w, h));
                block(c, 2 * j, i, upper);
                block(c, 2 * j + 1, i, lower);
                energy += upper * upper + lower * lower;
            }
            cell(j, i, std::max(0.0, static_cast<double>(sums.square.of(x, y, w, 2 * h)) - energy / block_area));
        }
}

std::vector<Sketch> make_sketches(const Pattern& pattern, const std::vector<BlockGrid>& grids) {
    std::vector<Sketch> sketches;
    Rectangles<double> sums;
    const auto area = static_cast<double>(pattern.area);
    sums.set(pattern.w, pattern.h, pattern.channels, [&](int c, int x, int y) {
        return pattern.pixel(c, x, y) - 128 - static_cast<double>(pattern.moments.sum[c]) / area;
    });
    for (const BlockGrid& grid : grids) {
        Sketch s;
        s.grid = grid;
        s.rows = 2 * grid.pair_rows;
        s.outer_area = area - static_cast<double>(grid.covered_w()) * grid.covered_h();
        const double block_area = grid.block.w * grid.block.h;
        const auto columns = static_cast<std::size_t>(grid.columns), blocks = static_cast<std::size_t>(grid.blocks());
        s.mean.resize(static_cast<std::size_t>(pattern.channels) * blocks);
        s.cell.resize(blocks / 2);
        double inside[max_channels] = {}, square = pattern.norm * pattern.norm;
        each_cell(
            s, pattern.channels, sums,
            [&](int c, int row, int column, double sum) {
                inside[c] += sum;
                square -= sum * sum / block_area;
                s.mean[static_cast<std::size_t>(c) * blocks + static_cast<std::size_t>(row) * columns +
                       static_cast<std::size_t>(column)] = sum / block_area;
            },
            [&](int row, int column, double detail) {
                s.cell[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)] = std::sqrt(detail);
                square -= detail;
            });
        for (int c = 0; c < pattern.channels && s.outer_area > 0; ++c) {
            s.outer[c] = -inside[c] / s.outer_area;
            square -= inside[c] * inside[c] / s.outer_area;
        }
        s.outer_cell = s.outer_area > 0 ? std::sqrt(std::max(0.0, square)) : 0;
        sketches.push_back(std::move(s));
    }
    return sketches;
}

// Whether the window with these sums survives the bound of the sketch.
template <class T>
bool survives(const Sketch& s, const Pattern& pattern, const Rectangles<T>& window, double square, double variance,
              double threshold) {
    double projection = 0, detail = 0;
    const double block_area = s.grid.block.w * s.grid.block.h;
    const auto columns = static_cast<std::size_t>(s.grid.columns), blocks = static_cast<std::size_t>(s.grid.blocks());
    double inside[max_channels] = {};
    each_cell(
        s, pattern.channels, window,
        [&](int c, int row, int column, double sum) {
            projection += sum * s.mean[static_cast<std::size_t>(c) * blocks + static_cast<std::size_t>(row) * columns +
                                       static_cast<std::size_t>(column)];
            inside[c] += sum;
            square -= sum * sum / block_area;
        },
        [&](int row, int column, double left) {
            detail +=
                std::sqrt(left) * s.cell[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
            square -= left;
        });
    for (int c = 0; c < pattern.channels && s.outer_area > 0; ++c) {
        const double outside = static_cast<double>(window.value[c].of(0, 0, pattern.w, pattern.h)) - inside[c];
        square -= outside * outside / s.outer_area;
        projection += outside * s.outer[c];
    }
    detail += s.outer_cell * std::sqrt(std::max(0.0, square));
    return projection + detail >= (threshold - 0.001) * pattern.norm * std::sqrt(variance);
}

// Of `samples` windows, evenly spread over the scene, those that survive the bound of each sketch. T holds a window's
// sums: 32 bits are enough for patterns that are small().
template <class T>
std::vector<double> count_survivors(const Pattern& pattern, const Scene& scene, double threshold,
                                    const std::vector<Sketch>& sketches, std::uint32_t samples, const Device& device,
                                    vdt_token* token) {
    const std::int64_t columns = scene.width() - pattern.w + 1, rows = scene.height() - pattern.h + 1;
    std::vector<std::atomic<int>> survivors(sketches.size());
    parallel_for(device, token, 0, samples, std::min(8U, samples / 2),
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                     Rectangles<T> window;
                     for (std::uint32_t k = begin; k < end; ++k) {
                         // Additive recurrence with the plastic number: the same on every run.
                         const double u = 0.5 + 0.7548776662466927 * k, v = 0.5 + 0.5698402909980532 * k;
                         const auto at = [](double part, std::int64_t count) {
                             return std::min(
                                 static_cast<std::int64_t>((part - std::floor(part)) * static_cast<double>(count)),
                                 count - 1);
                         };
                         const std::int64_t x = at(u, columns), y = at(v, rows);
                         window.set(pattern.w, pattern.h, pattern.channels,
                                    [&](int c, int i, int j) { return T{scene.rows(c)[y + j][x + i]} - 128; });
                         const auto square = static_cast<double>(window.square.of(0, 0, pattern.w, pattern.h));
                         double mean_square = 0;
                         for (int c = 0; c < pattern.channels; ++c) {
                             const auto sum = static_cast<double>(window.value[c].of(0, 0, pattern.w, pattern.h));
                             mean_square += sum * sum / static_cast<double>(pattern.area);
                         }
                         const double variance = square - mean_square;
                         if (variance <= 0) continue;
                         for (std::size_t i = 0; i < sketches.size(); ++i)
                             if (survives(sketches[i], pattern, window, square, variance, threshold))
                                 survivors[i].fetch_add(1, std::memory_order_relaxed);
                     }
                 });
    return {survivors.begin(), survivors.end()};
}

// Of a pattern too large for samples: the blocks that hold most of it, unless more of them hold little more. Nothing
// when too much is left as detail: windows would survive wherever a scene has detail too.
std::optional<BlockGrid> grid_of_large(const Pattern& pattern, const std::vector<Sketch>& sketches, double threshold) {
    constexpr double worth_of_a_block = 0.0008;  // of the pattern's norm
    std::optional<BlockGrid> best;
    double least = HUGE_VAL;
    for (const Sketch& s : sketches) {
        double left = s.outer_cell * s.outer_cell;
        for (const double cell : s.cell) left += cell * cell;
        left = std::sqrt(left) / pattern.norm;
        if (left > threshold || left + worth_of_a_block * s.grid.blocks() >= least) continue;
        least = left + worth_of_a_block * s.grid.blocks();
        best = s.grid;
    }
    return best;
}

}  // namespace

Choice choose(const Prepared& prepared, const Scene& scene, double threshold, double exhaustive_cost,
              const Device& device, vdt_token* token) {
    const Pattern& pattern = prepared.pattern();
    Choice best;
    best.cost = exhaustive_cost;
    if (!worth_a_bound(pattern, threshold, exhaustive_cost)) return best;
    if (pattern.masked) {
        best.masked = choose_masked(prepared, scene, threshold, exhaustive_cost, best.cost, best.share);
        return best;
    }
    const std::vector<BlockGrid>& grids = prepared.grids();
    if (grids.empty()) return best;
    const std::int64_t columns = scene.width() - pattern.w + 1, rows = scene.height() - pattern.h + 1;
    const std::int64_t samples = samples_worth(pattern, grids, columns * rows, exhaustive_cost);
    if (samples == 0) {
        const std::optional<BlockGrid> grid = pattern.small()
                                                  ? grid_near(pattern, grids, usual_blocks)
                                                  : grid_of_large(pattern, make_sketches(pattern, grids), threshold);
        if (!grid) return best;
        best.pruned = true;
        best.grid = *grid;
        best.cost = pattern.small() ? least_cost(pattern) + 2
                                    : std::min(best.cost, sums_cost(pattern, *grid) + test_cost(pattern, *grid));
        best.share = 0.05;
        return best;
    }
    const std::vector<Sketch> sketches = make_sketches(pattern, grids);
    const auto count = pattern.small() ? count_survivors<std::int32_t> : count_survivors<std::int64_t>;
    const std::vector<double> survivors =
        count(pattern, scene, threshold, sketches, static_cast<std::uint32_t>(samples), device, token);
    const Sampling& sampling = sampling_of(pattern);
    for (std::size_t i = 0; i < sketches.size(); ++i) {
        const Sketch& s = sketches[i];
        const double share =
            (survivors[i] + sampling.added_survivors) / (static_cast<double>(samples) + sampling.added_windows);
        const double cost =
            sums_cost(pattern, s.grid) + test_cost(pattern, s.grid) + share * survivor_cost(pattern, s.grid);
        if (cost < best.cost) best = {true, s.grid, nullptr, cost, share};
    }
    return best;
}

}  // namespace vedette::cpu::find
