#include "planner.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "../parallel.h"
#include "rectangle_sums.h"

namespace vedette::cpu::find {
namespace {

// Prices in nanoseconds on one core of a 2-core Zen 3 VM, AVX2; ratios matter, not the clock.
double sums_cost(const Pattern& pattern) {
    return 2.4 + 1.6 * (pattern.channels - 1);
}
double block_cost(const Pattern& pattern, int blocks) {
    return 0.9 + blocks * (0.007 + 0.013 * pattern.channels);
}
double survivor_cost(const Pattern& pattern) {
    const double pixels = static_cast<double>(pattern.stride) * pattern.h * pattern.channels;
    return 25 + pixels * 0.02;
}

// Block means of T0 and norms of the detail by cell of a shape, from sums over rectangles.
struct Sketch {
    BlockShape shape;
    int blocks_x = 0, rows = 0, left = 0, top = 0;
    std::vector<double> mean;  // [channel][row][column]
    std::vector<double> cell;  // [pair row][column]: squared until all channels are in, then the norm
    double outer_area = 0, outer_cell = 0;
    double outer[max_channels] = {};
};

// Sums over rectangles of values and of their squares, all channels together.
struct Rectangles {
    RectangleSums value[max_channels], square;

    // value(c, x, y)
    template <class Value>
    void set(int w, int h, int channels, const Value& of) {
        for (int c = 0; c < channels; ++c) value[c].set(w, h, [&](int x, int y) { return of(c, x, y); });
        square.set(w, h, [&](int x, int y) {
            double sum = 0;
            for (int c = 0; c < channels; ++c) sum += of(c, x, y) * of(c, x, y);
            return sum;
        });
    }
};

// Calls block(channel, row, column, sum) for every block and cell(pair row, column, squared norm of the detail).
template <class Block, class Cell>
void each_cell(const Sketch& s, int channels, const Rectangles& sums, const Block& block, const Cell& cell) {
    const int w = s.shape.w, h = s.shape.h;
    const double block_area = w * h;
    for (int j = 0; j < s.rows / 2; ++j)
        for (int i = 0; i < s.blocks_x; ++i) {
            const int x = s.left + i * w, y = s.top + 2 * j * h;
            double energy = 0;
            for (int c = 0; c < channels; ++c) {
                const double upper = sums.value[c].of(x, y, w, h), lower = sums.value[c].of(x, y + h, w, h);
                block(c, 2 * j, i, upper);
                block(c, 2 * j + 1, i, lower);
                energy += upper * upper + lower * lower;
            }
            cell(j, i, std::max(0.0, sums.square.of(x, y, w, 2 * h) - energy / block_area));
        }
}

std::vector<Sketch> make_sketches(const Pattern& pattern, const std::vector<BlockShape>& shapes) {
    std::vector<Sketch> sketches;
    Rectangles sums;
    const auto area = static_cast<double>(pattern.area);
    sums.set(pattern.w, pattern.h, pattern.channels, [&](int c, int x, int y) {
        return pattern.pixel(c, x, y) - 128 - static_cast<double>(pattern.moments.sum[c]) / area;
    });
    for (const BlockShape shape : shapes) {
        Sketch s;
        s.shape = shape;
        s.blocks_x = pattern.w / shape.w;
        s.rows = pattern.h / (2 * shape.h) * 2;
        s.left = (pattern.w - s.blocks_x * shape.w) / 2;
        s.top = (pattern.h - s.rows * shape.h) / 2;
        s.outer_area = area - static_cast<double>(s.blocks_x * shape.w) * s.rows * shape.h;
        const auto blocks = static_cast<std::size_t>(s.rows * s.blocks_x);
        s.mean.resize(static_cast<std::size_t>(pattern.channels) * blocks);
        s.cell.resize(blocks / 2);
        double inside[max_channels] = {}, square = pattern.norm * pattern.norm;
        each_cell(
            s, pattern.channels, sums,
            [&](int c, int row, int column, double sum) {
                inside[c] += sum;
                square -= sum * sum / (shape.w * shape.h);
                s.mean[static_cast<std::size_t>(c) * blocks + static_cast<std::size_t>(row * s.blocks_x + column)] =
                    sum / (shape.w * shape.h);
            },
            [&](int row, int column, double detail) {
                s.cell[static_cast<std::size_t>(row * s.blocks_x + column)] = std::sqrt(detail);
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
bool survives(const Sketch& s, const Pattern& pattern, const Rectangles& window, double square, double variance,
              double threshold) {
    double projection = 0, detail = 0;
    const auto blocks = static_cast<std::size_t>(s.rows * s.blocks_x);
    double inside[max_channels] = {};
    each_cell(
        s, pattern.channels, window,
        [&](int c, int row, int column, double sum) {
            projection +=
                sum *
                s.mean[static_cast<std::size_t>(c) * blocks + static_cast<std::size_t>(row * s.blocks_x + column)];
            inside[c] += sum;
            square -= sum * sum / (s.shape.w * s.shape.h);
        },
        [&](int row, int column, double left) {
            detail += std::sqrt(left) * s.cell[static_cast<std::size_t>(row * s.blocks_x + column)];
            square -= left;
        });
    for (int c = 0; c < pattern.channels && s.outer_area > 0; ++c) {
        const double outside = window.value[c].of(0, 0, pattern.w, pattern.h) - inside[c];
        square -= outside * outside / s.outer_area;
        projection += outside * s.outer[c];
    }
    detail += s.outer_cell * std::sqrt(std::max(0.0, square));
    return projection + detail >= (threshold - 0.001) * pattern.norm * std::sqrt(variance);
}

BlockShape usual_shape(const Pattern& pattern, const std::vector<BlockShape>& shapes) {
    // About 48 blocks: the best on desktops over all sizes when nothing is known of the scene.
    return *std::min_element(shapes.begin(), shapes.end(), [&](BlockShape a, BlockShape b) {
        const auto distance = [&](BlockShape s) {
            const double blocks = std::floor(pattern.w / s.w) * std::floor(pattern.h / (2 * s.h)) * 2;
            const double uncovered = 1 - blocks * s.w * s.h / (static_cast<double>(pattern.w) * pattern.h);
            return std::fabs(std::log2(blocks / 48)) + 2 * uncovered + (s.w < s.h ? 1 : 0);
        };
        return distance(a) < distance(b);
    });
}

}  // namespace

Choice choose(const Prepared& prepared, const Scene& scene, double threshold, double exhaustive_cost,
              const Device& device, vdt_token* token) {
    const Pattern& pattern = prepared.pattern();
    Choice best;
    best.cost = exhaustive_cost;
    // At low thresholds the bound keeps nearly everything.
    if (threshold < 0.3) return best;
    if (pattern.masked) {
        best.masked = choose_masked(prepared, scene, threshold, exhaustive_cost, best.cost, best.share);
        return best;
    }
    const std::vector<BlockShape> shapes = candidate_shapes(pattern);
    const double base = sums_cost(pattern) + block_cost(pattern, 8);
    if (shapes.empty() || best.cost < base) return best;
    // Sampling a window costs about 1.2 ns a pixel and shape; it must stay below a twentieth of the search.
    const double sample_cost = static_cast<double>(pattern.w) * pattern.h * pattern.channels * 1.5 + 2000;
    const std::int64_t columns = scene.width() - pattern.w + 1, rows = scene.height() - pattern.h + 1;
    const double worth = static_cast<double>(columns * rows) * std::min(best.cost, 4.0) / 20;
    const auto samples = static_cast<std::int64_t>(std::clamp(worth / sample_cost, 0.0, 160.0));
    if (samples < 24) {
        const BlockShape shape = usual_shape(pattern, shapes);
        best.pruned = true;
        best.shape = shape;
        best.cost = base + 2;
        best.share = 0.05;
        return best;
    }
    std::vector<Sketch> sketches = make_sketches(pattern, shapes);
    std::vector<std::atomic<int>> survivors(sketches.size());
    parallel_for(
        device, token, 0, static_cast<std::uint32_t>(samples), 8,
        [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
            Rectangles window;
            for (std::uint32_t k = begin; k < end; ++k) {
                // Additive recurrence with the plastic number: evenly spread, the same on every run.
                const double u = 0.5 + 0.7548776662466927 * k, v = 0.5 + 0.5698402909980532 * k;
                const auto x = std::min(static_cast<std::int64_t>((u - std::floor(u)) * static_cast<double>(columns)),
                                        columns - 1);
                const auto y =
                    std::min(static_cast<std::int64_t>((v - std::floor(v)) * static_cast<double>(rows)), rows - 1);
                window.set(pattern.w, pattern.h, pattern.channels,
                           [&](int c, int i, int j) { return static_cast<double>(scene.rows(c)[y + j][x + i] - 128); });
                const double square = window.square.of(0, 0, pattern.w, pattern.h);
                double mean_square = 0;
                for (int c = 0; c < pattern.channels; ++c) {
                    const double sum = window.value[c].of(0, 0, pattern.w, pattern.h);
                    mean_square += sum * sum / static_cast<double>(pattern.area);
                }
                const double variance = square - mean_square;
                if (variance <= 0) continue;
                for (std::size_t i = 0; i < sketches.size(); ++i)
                    if (survives(sketches[i], pattern, window, square, variance, threshold))
                        survivors[i].fetch_add(1, std::memory_order_relaxed);
            }
        });
    for (std::size_t i = 0; i < sketches.size(); ++i) {
        const Sketch& s = sketches[i];
        // A little more than seen: nothing in a sample does not mean nothing.
        const double share = (survivors[i].load() + 0.3) / static_cast<double>(samples);
        const double cost =
            sums_cost(pattern) + block_cost(pattern, s.blocks_x * s.rows) + share * survivor_cost(pattern);
        if (cost < best.cost) best = {true, s.shape, nullptr, cost, share};
    }
    return best;
}

}  // namespace vedette::cpu::find
