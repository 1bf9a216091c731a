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
    return 1.6 + 1.3 * (pattern.channels - 1);
}
double block_cost(const Pattern& pattern, int blocks) {
    return 0.9 + 0.018 * blocks * pattern.channels;
}
double survivor_cost(const Pattern& pattern) {
    const double pixels = static_cast<double>(pattern.stride) * pattern.h * pattern.channels;
    return 20 + pixels * 0.008;
}

// Block means of T0 and ||P T0||^2 of a shape, from sums over rectangles.
struct Sketch {
    BlockShape shape;
    int blocks_x = 0, rows = 0, left = 0, top = 0;
    std::vector<double> mean;  // [channel][row][column]
    double projected = 0;      // squared, inside the blocks
    double outer_area = 0;
    double outer[max_channels] = {};
};

std::vector<Sketch> make_sketches(const Pattern& pattern, const std::vector<BlockShape>& shapes) {
    std::vector<Sketch> sketches;
    std::vector<RectangleSums> sums(static_cast<std::size_t>(pattern.channels));
    const auto area = static_cast<double>(pattern.area);
    for (int c = 0; c < pattern.channels; ++c) {
        const double mean = static_cast<double>(pattern.moments.sum[c]) / area + 128;
        sums[static_cast<std::size_t>(c)].set(pattern.w, pattern.h,
                                              [&](int x, int y) { return pattern.pixel(c, x, y) - mean; });
    }
    for (const BlockShape shape : shapes) {
        Sketch s;
        s.shape = shape;
        s.blocks_x = pattern.w / shape.w;
        s.rows = pattern.h / (2 * shape.h) * 2;
        s.left = (pattern.w - s.blocks_x * shape.w) / 2;
        s.top = (pattern.h - s.rows * shape.h) / 2;
        s.outer_area = area - static_cast<double>(s.blocks_x * shape.w) * s.rows * shape.h;
        for (int c = 0; c < pattern.channels; ++c) {
            double inside = 0;
            for (int k = 0; k < s.rows * s.blocks_x; ++k) {
                const double sum = sums[static_cast<std::size_t>(c)].of(
                    s.left + k % s.blocks_x * shape.w, s.top + k / s.blocks_x * shape.h, shape.w, shape.h);
                inside += sum;
                s.projected += sum * sum / (shape.w * shape.h);
                s.mean.push_back(sum / (shape.w * shape.h));
            }
            if (s.outer_area > 0) {
                s.outer[c] = -inside / s.outer_area;
                s.projected += inside * inside / s.outer_area;
            }
        }
        sketches.push_back(std::move(s));
    }
    return sketches;
}

// Whether the window with these sums survives the bound of the sketch.
bool survives(const Sketch& s, const Pattern& pattern, const std::vector<RectangleSums>& window, double square,
              double variance, double threshold) {
    double energy = 0, projection = 0;
    const double block_area = s.shape.w * s.shape.h;
    std::size_t at = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double inside = 0;
        for (int k = 0; k < s.rows * s.blocks_x; ++k) {
            const double sum = window[static_cast<std::size_t>(c)].of(
                s.left + k % s.blocks_x * s.shape.w, s.top + k / s.blocks_x * s.shape.h, s.shape.w, s.shape.h);
            energy += sum * sum;
            projection += sum * s.mean[at++];
            inside += sum;
        }
        if (s.outer_area > 0) {
            const double outside = window[static_cast<std::size_t>(c)].of(0, 0, pattern.w, pattern.h) - inside;
            energy += outside * outside / s.outer_area * block_area;
            projection += outside * s.outer[c];
        }
    }
    const double detail = std::max(0.0, square - energy / block_area);
    const double rest = std::max(0.0, pattern.norm * pattern.norm - s.projected);
    return projection + std::sqrt(rest * detail) >= (threshold - 0.001) * pattern.norm * std::sqrt(variance);
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
    parallel_for(device, token, 0, static_cast<std::uint32_t>(samples), 8,
                 [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                     std::vector<RectangleSums> window(static_cast<std::size_t>(pattern.channels));
                     for (std::uint32_t k = begin; k < end; ++k) {
                         // Additive recurrence with the plastic number: evenly spread, the same on every run.
                         const double u = 0.5 + 0.7548776662466927 * k, v = 0.5 + 0.5698402909980532 * k;
                         const auto x =
                             std::min(static_cast<std::int64_t>((u - std::floor(u)) * static_cast<double>(columns)),
                                      columns - 1);
                         const auto y = std::min(
                             static_cast<std::int64_t>((v - std::floor(v)) * static_cast<double>(rows)), rows - 1);
                         double square = 0, mean_square = 0;
                         for (int c = 0; c < pattern.channels; ++c) {
                             const Rows pixels = scene.rows(c) + y;
                             window[static_cast<std::size_t>(c)].set(pattern.w, pattern.h, [&](int i, int j) {
                                 const double value = pixels[j][x + i] - 128;
                                 square += value * value;
                                 return value;
                             });
                             const double sum = window[static_cast<std::size_t>(c)].of(0, 0, pattern.w, pattern.h);
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
