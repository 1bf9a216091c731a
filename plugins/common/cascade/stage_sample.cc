#include "cascade/stage_sample.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace vedette::cascade {

namespace {

constexpr std::uint32_t most_windows = 768, fewest_groups = 6;
constexpr double most_pixels = 120000;  // of all patches together

// The sums under a group of windows, as tables of (width + 1) x (height + 1).
class Patch {
public:
    // Pixels of a scaled image from (left, top) on, each between four of the source [cv::INTER_LINEAR_EXACT, whose
    // fixed point is left out: an estimate needs no last bit].
    void set(const vdt_image& image, const Scale& scale, std::uint32_t left, std::uint32_t top, std::uint32_t width,
             std::uint32_t height) {
        pitch_ = width + 1;
        sums_.assign(pitch_ * (height + 1), 0);
        squares_.assign(pitch_ * (height + 1), 0);
        columns_.resize(width);
        for (std::uint32_t x = 0; x < width; ++x) columns_[x] = tap_of(left + x, scale.width, image.width);
        for (std::uint32_t y = 0; y < height; ++y) {
            const Tap row = tap_of(top + y, scale.height, image.height);
            const auto* const above = plugin::row_of<const std::uint8_t>(image, 0, row.first);
            const auto* const below = plugin::row_of<const std::uint8_t>(image, 0, row.second);
            std::int32_t sum = 0;
            std::int64_t square = 0;
            const std::size_t at = (y + 1) * pitch_ + 1;
            for (std::uint32_t x = 0; x < width; ++x) {
                const Tap& column = columns_[x];
                const std::int32_t upper =
                    above[column.first] * (one - column.weight) + above[column.second] * column.weight;
                const std::int32_t lower =
                    below[column.first] * (one - column.weight) + below[column.second] * column.weight;
                const std::int32_t value = (upper * (one - row.weight) + lower * row.weight + one * one / 2) >> 16;
                sum += value;
                square += value * value;
                sums_[at + x] = sums_[at + x - pitch_] + sum;
                squares_[at + x] = squares_[at + x - pitch_] + square;
            }
        }
    }

    // Of w x h pixels whose left upper one is (x, y).
    double sum(std::uint32_t x, std::uint32_t y, int w, int h) const { return of(sums_, x, y, w, h); }
    double square(std::uint32_t x, std::uint32_t y, int w, int h) const { return of(squares_, x, y, w, h); }

private:
    static constexpr std::int32_t one = 256;
    struct Tap {
        std::uint32_t first, second;
        std::int32_t weight;  // of the second, of 256
    };

    static Tap tap_of(std::uint32_t at, int scaled, std::uint32_t source) {
        const double place = std::clamp((at + 0.5) * source / scaled - 0.5, 0.0, source - 1.0);
        const auto first = static_cast<std::uint32_t>(place);
        return {first, std::min(first + 1, source - 1), static_cast<std::int32_t>((place - first) * one)};
    }

    template <class T>
    double of(const std::vector<T>& table, std::uint32_t x, std::uint32_t y, int w, int h) const {
        const std::size_t upper = y * pitch_ + x, lower = upper + static_cast<std::size_t>(h) * pitch_;
        const auto right = static_cast<std::size_t>(w);
        return static_cast<double>(table[lower + right] - table[lower] - table[upper + right] + table[upper]);
    }

    std::size_t pitch_ = 0;
    std::vector<std::int32_t> sums_;
    std::vector<std::int64_t> squares_;
    std::vector<Tap> columns_;
};

// A window at (x, 0) of a patch.
struct Window {
    const Model& model;
    const Patch& patch;
    std::uint32_t x;
    double norm = 1;

    // False: it is flat.
    bool normalise() {
        if (model.kind != FeatureKind::haar) return true;
        const int w = model.width - 2, h = model.height - 2;
        const double area = static_cast<double>(w) * h, sum = patch.sum(x + 1, 1, w, h);
        // A standard deviation of 10 or less is flat to OpenCV.
        const double variance = area * patch.square(x + 1, 1, w, h) - sum * sum;
        if (variance <= 100 * area * area) return false;
        norm = 1 / std::sqrt(variance);
        return true;
    }

    bool goes_left(const Node& node) const {
        const auto of = [&](const Rectangle& r, int right, int down) {
            return patch.sum(x + static_cast<std::uint32_t>(r.x + right), static_cast<std::uint32_t>(r.y + down), r.w,
                             r.h);
        };
        const auto feature = static_cast<std::size_t>(node.feature);
        if (model.kind == FeatureKind::haar) {
            const HaarFeature& haar = model.haar[feature];
            double value = 0;
            for (int i = 0; i < 3; ++i)
                if (haar.weight[i] != 0) value += static_cast<double>(haar.weight[i]) * of(haar.rectangle[i], 0, 0);
            return value * norm < static_cast<double>(node.threshold);
        }
        // The blocks round the middle one, clockwise from the left upper one.
        constexpr int around[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
        const Rectangle& block = model.lbp[feature];
        const double middle = of(block, block.w, block.h);
        std::uint32_t code = 0;
        for (const auto& [i, j] : around) code = code << 1 | (of(block, i * block.w, j * block.h) >= middle ? 1u : 0u);
        const std::size_t words = static_cast<std::size_t>(&node - model.nodes.data()) * lbp_subset_words;
        return (static_cast<std::uint32_t>(model.subsets[words + code / 32]) >> code % 32 & 1) != 0;
    }

    bool passes(const Stage& stage) const {
        double sum = 0;
        for (std::uint32_t i = 0; i < stage.trees; ++i) {
            const Tree& tree = model.trees[stage.first_tree + i];
            int at = 0;
            do {
                const Node& node = model.nodes[tree.first_node + static_cast<std::uint32_t>(at)];
                at = goes_left(node) ? node.left : node.right;
            } while (at > 0);
            sum += static_cast<double>(model.leaves[tree.first_leaf + static_cast<std::uint32_t>(-at)]);
        }
        return sum >= static_cast<double>(stage.threshold);
    }
};

}  // namespace

bool can_sample(const Model& model) noexcept {
    return !model.has_tilted;
}

StageSample sample_stages(const Model& model, const std::vector<Scale>& scales, const vdt_image& image,
                          std::uint32_t lanes) {
    StageSample sample;
    sample.windows.assign(model.stages.size() + 2, 0);
    sample.groups.assign(model.stages.size() + 2, 0);
    double all = 0;
    for (const Scale& scale : scales) all += static_cast<double>(scale.columns) * scale.rows;
    if (all == 0) return sample;
    const double patch_pixels = (model.width + 2.0 * (lanes - 1)) * model.height;
    const std::uint32_t groups =
        std::clamp(static_cast<std::uint32_t>(most_pixels / patch_pixels), fewest_groups, most_windows / lanes);
    Patch patch;
    std::vector<std::uint32_t> alive(model.stages.size() + 2);
    double before = 0;  // windows of the scales before
    std::uint32_t done = 0;
    for (const Scale& scale : scales) {
        before += static_cast<double>(scale.columns) * scale.rows;
        const auto until = static_cast<std::uint32_t>(std::lround(before / all * groups));
        for (; done < until; ++done) {
            const auto columns = static_cast<std::uint32_t>(scale.columns);
            const std::uint32_t here = std::min(lanes, columns);
            const plugin::SamplePlace place =
                plugin::sample_place(done, columns - here + 1, static_cast<std::uint32_t>(scale.rows));
            const auto step = static_cast<std::uint32_t>(scale.step);
            patch.set(image, scale, place.x * step, place.y * step,
                      (here - 1) * step + static_cast<std::uint32_t>(model.width),
                      static_cast<std::uint32_t>(model.height));
            std::fill(alive.begin(), alive.end(), 0u);
            bool skip = false;
            for (std::uint32_t lane = 0; lane < here; ++lane) {
                ++alive[0];
                Window window{model, patch, lane * step};
                const bool skipped = std::exchange(skip, false);
                if (!window.normalise()) continue;
                ++alive[1];
                for (std::size_t stage = 0; stage < model.stages.size(); ++stage) {
                    if (!window.passes(model.stages[stage])) {
                        skip = stage == 0 && !skipped;
                        break;
                    }
                    if (skipped) break;
                    ++alive[stage + 2];
                }
            }
            for (std::size_t i = 0; i < alive.size(); ++i) {
                sample.windows[i] += alive[i];
                sample.groups[i] += alive[i] != 0 ? 1 : 0;
            }
        }
    }
    return sample;
}

}  // namespace vedette::cascade
