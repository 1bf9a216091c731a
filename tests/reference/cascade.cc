#include "cascade.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference.h"

namespace vedette::reference {

namespace {

constexpr double near = 1e-6;  // relative to a feature's sum of weights times 255, some roundings of a float

struct Scaled {
    int width, height;
    std::vector<double> pixels;
    double at(int x, int y) const {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
    }
};

// Weights of the two pixels along one axis, in parts of 256.
struct Taps {
    int first;
    double second_weight;
};

Taps taps_at(int position, int source, int scaled) {
    const double place = (position + 0.5) * (1 / (static_cast<double>(scaled) / source)) - 0.5;
    const int first = static_cast<int>(std::floor(place));
    if (first < 0) return {0, 0};
    if (first >= source - 1) return {source - 2, 256};
    return {first, std::nearbyint((place - first) * 256)};
}

Scaled scaled(const vdt_image& image, int width, int height) {
    Scaled out{width, height, {}};
    const auto source = [&](int x, int y) {
        return pixel(image, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0);
    };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const Taps a = taps_at(x, static_cast<int>(image.width), width);
            const Taps b = taps_at(y, static_cast<int>(image.height), height);
            const auto row = [&](int v) {
                return source(a.first, v) * (256 - a.second_weight) + source(a.first + 1, v) * a.second_weight;
            };
            const double sum = row(b.first) * (256 - b.second_weight) + row(b.first + 1) * b.second_weight;
            out.pixels.push_back(std::floor((sum + 32768) / 65536));
        }
    return out;
}

// How often a corner of a summed area at (cx, cy) counts the pixel (x, y).
double counts(bool tilted, int cx, int cy, int x, int y) {
    if (tilted) return y < cy && std::abs(x - cx + 1) <= cy - y - 1 ? 1 : 0;
    return x < cx && y < cy ? 1 : 0;
}

double sum_of(const Scaled& image, int left, int top, const CascadeModel& model, const CascadeRectangle& r,
              bool tilted) {
    const int corners[4][2] = {{r.x, r.y},
                               {tilted ? r.x - r.h : r.x + r.w, tilted ? r.y + r.h : r.y},
                               {tilted ? r.x + r.w : r.x, tilted ? r.y + r.w : r.y + r.h},
                               {tilted ? r.x + r.w - r.h : r.x + r.w, tilted ? r.y + r.w + r.h : r.y + r.h}};
    double sum = 0;
    for (int y = 0; y < model.height; ++y)
        for (int x = 0; x < model.width; ++x) {
            const auto count = [&](int i) { return counts(tilted, corners[i][0], corners[i][1], x, y); };
            sum += image.at(left + x, top + y) * (count(0) - count(1) - count(2) + count(3));
        }
    return sum;
}

class Evaluation {
public:
    Evaluation(const Scaled& image, const CascadeModel& model, int left, int top)
        : image_(image), model_(model), left_(left), top_(top) {}

    bool doubtful = false;
    double weight = 0;

    // -1: flat, not classified; else the stage that rejects, or how many there are.
    int run(bool is_haar) {
        if (is_haar && !normalise()) return -1;
        for (std::size_t i = 0; i < model_.stages.size(); ++i) {
            weight = 0;
            for (const CascadeTree& tree : model_.stages[i].trees) weight += leaf_of(tree);
            const double threshold = model_.stages[i].threshold - 1e-5;
            doubtful = doubtful || std::abs(weight - threshold) < near;
            if (weight < threshold) return static_cast<int>(i);
        }
        return static_cast<int>(model_.stages.size());
    }

private:
    bool normalise() {
        const double area = (model_.width - 2.0) * (model_.height - 2.0);
        double sum = 0, squares = 0;
        for (int y = 1; y + 1 < model_.height; ++y)
            for (int x = 1; x + 1 < model_.width; ++x) {
                const double value = image_.at(left_ + x, top_ + y);
                sum += value;
                squares += value * value;
            }
        const double variance = area * squares - sum * sum;
        if (variance <= 0) return false;
        norm_ = 1 / std::sqrt(variance);
        doubtful = doubtful || std::abs(area * norm_ - 0.1) < near;
        return area * norm_ < 0.1;
    }

    double leaf_of(const CascadeTree& tree) {
        int at = 0;
        do {
            const CascadeNode& node = tree.nodes[static_cast<std::size_t>(at)];
            at = goes_left(node) ? node.left : node.right;
        } while (at > 0);
        return tree.leaves[static_cast<std::size_t>(-at)];
    }

    bool goes_left(const CascadeNode& node) {
        if (!node.subset.empty()) return is_in_subset(node);
        double value = 0;
        for (const CascadeRectangle& r : node.rectangles)
            value += r.weight * sum_of(image_, left_, top_, model_, r, node.tilted);
        value *= norm_;
        doubtful = doubtful || std::abs(value - node.threshold) < near;
        return value < node.threshold;
    }

    bool is_in_subset(const CascadeNode& node) const {
        const CascadeRectangle& block = node.rectangles.front();
        const auto sum = [&](int column, int row) {
            return sum_of(image_, left_, top_, model_,
                          {block.x + column * block.w, block.y + row * block.h, block.w, block.h, 1}, false);
        };
        constexpr int around[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
        std::uint32_t code = 0;
        for (const auto& place : around) code = code * 2 + (sum(place[0], place[1]) >= sum(1, 1) ? 1 : 0);
        return (node.subset[code / 32] >> (code % 32) & 1) != 0;
    }

    const Scaled& image_;
    const CascadeModel& model_;
    const int left_, top_;
    double norm_ = 1;
};

std::vector<float> factors_of(const vdt_image& image, const CascadeModel& model, const vdt_cascade_params& params) {
    const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
    std::vector<float> all, wanted;
    for (double factor = 1; std::lrint(model.width * factor) <= width && std::lrint(model.height * factor) <= height;
         factor *= params.scale_factor)
        all.push_back(static_cast<float>(factor));
    const bool no_most = params.max_w == 0 || params.max_h == 0;
    for (const float factor : all) {
        const long w = std::lrint(static_cast<float>(model.width) * factor);
        const long h = std::lrint(static_cast<float>(model.height) * factor);
        if (w > (no_most ? width : params.max_w) || h > (no_most ? height : params.max_h)) break;
        if (w >= params.min_w && h >= params.min_h) wanted.push_back(factor);
    }
    if (!wanted.empty()) return wanted;
    // When no size lies between the limits: the one nearest to the least.
    double least = std::numeric_limits<double>::infinity();
    for (const float factor : all) {
        const double w = params.min_w - std::nearbyint(static_cast<double>(static_cast<float>(model.width) * factor));
        const double h = params.min_h - std::nearbyint(static_cast<double>(static_cast<float>(model.height) * factor));
        if (w * w + h * h >= least) continue;
        least = w * w + h * h;
        wanted = {factor};
    }
    return wanted;
}

}  // namespace

CascadeResult cascade_windows(const vdt_image& image, const CascadeModel& model, const vdt_cascade_params& params) {
    CascadeResult result;
    const bool is_haar = model.stages.front().trees.front().nodes.front().subset.empty();
    int stripes = 0;
    for (const float factor : factors_of(image, model, params)) {
        const int width = static_cast<int>(std::lrint(static_cast<float>(image.width) / factor));
        const int height = static_cast<int>(std::lrint(static_cast<float>(image.height) / factor));
        const Scaled level = scaled(image, width, height);
        const int step = factor >= 2 ? 1 : 2;
        const int across = width + 1 - model.width;
        if (stripes == 0) stripes = (across + 31) / 32;
        const int stripe = std::max((std::max(height + 1 - model.height, 0) / step + stripes - 1) / stripes, 1) * step;
        const int down = std::min(height + 1 - model.height, stripe * stripes);
        for (int y = 0; y < down; y += step) {
            bool doubtful = false;
            std::vector<vdt_item> found;
            for (int x = 0; x < across; x += step) {
                Evaluation window(level, model, x, y);
                const int stage = window.run(is_haar);
                doubtful = doubtful || window.doubtful;
                if (stage == 0) x += step;  // what follows a window that the first stage rejects is skipped
                if (stage != static_cast<int>(model.stages.size())) continue;
                vdt_item item{};
                item.x = std::nearbyint(static_cast<float>(x) * factor);
                item.y = std::nearbyint(static_cast<float>(y) * factor);
                item.w = std::nearbyint(static_cast<float>(model.width) * factor);
                item.h = std::nearbyint(static_cast<float>(model.height) * factor);
                item.w = std::min(item.w, static_cast<float>(image.width) - item.x);
                item.h = std::min(item.h, static_cast<float>(image.height) - item.y);
                item.score = window.weight;
                item.neighbors = 1;
                found.push_back(item);
            }
            ++result.rows;
            result.doubtful_rows += doubtful ? 1 : 0;
            for (const vdt_item& item : found) result.windows.push_back({item, doubtful});
        }
    }
    return result;
}

}  // namespace vedette::reference
