#include "cascade/scales.h"

#include <algorithm>
#include <cmath>

namespace vedette::cascade {

namespace {

// cvRound: to the nearest whole number, halves to the even one.
int rounded(float value) {
    return static_cast<int>(std::nearbyint(value));
}
int rounded(double value) {
    return static_cast<int>(std::nearbyint(value));
}

int window_side(int side, float factor) {
    return rounded(static_cast<float>(side) * factor);
}

std::vector<float> all_factors(const Model& model, double scale_factor, int width, int height) {
    std::vector<float> factors;
    for (double factor = 1; model.width * factor < width + 1.0 && model.height * factor < height + 1.0;
         factor *= scale_factor) {
        if (rounded(model.width * factor) > width || rounded(model.height * factor) > height) break;
        factors.push_back(static_cast<float>(factor));
    }
    return factors;
}

std::vector<float> wanted_factors(const Model& model, const Search& search, int width, int height) {
    const std::vector<float> all = all_factors(model, search.scale_factor, width, height);
    const bool no_most = search.max_w == 0 || search.max_h == 0;
    const int most_w = no_most ? width : search.max_w;
    const int most_h = no_most ? height : search.max_h;
    std::vector<float> wanted;
    for (const float factor : all) {
        const int w = window_side(model.width, factor), h = window_side(model.height, factor);
        if (w > most_w || h > most_h) break;
        if (w >= search.min_w && h >= search.min_h) wanted.push_back(factor);
    }
    if (!wanted.empty() || all.empty()) return wanted;
    // None lies between the sizes asked for: the one nearest to the least, the first of equals.
    const auto distance = [&](float factor) {
        const double w = search.min_w - window_side(model.width, factor);
        const double h = search.min_h - window_side(model.height, factor);
        return w * w + h * h;
    };
    return {*std::min_element(all.begin(), all.end(), [&](float a, float b) { return distance(a) < distance(b); })};
}

}  // namespace

std::vector<Scale> scales_of(const Model& model, const Search& search, int width, int height) {
    std::vector<Scale> scales;
    if (width < model.width || height < model.height) return scales;
    int stripes = 0;
    for (const float factor : wanted_factors(model, search, width, height)) {
        Scale scale{};
        scale.factor = factor;
        scale.width = rounded(static_cast<float>(width) / factor);
        scale.height = rounded(static_cast<float>(height) / factor);
        scale.step = factor >= 2 ? 1 : 2;
        scale.window_w = window_side(model.width, factor);
        scale.window_h = window_side(model.height, factor);
        const int across = std::max(scale.width + 1 - model.width, 0);
        int down = std::max(scale.height + 1 - model.height, 0);
        // OpenCV deals out rows in stripes, as many for every scale as the first one is wide; rounding loses the last
        // row of some scales.
        if (scales.empty()) stripes = (across + 31) / 32;
        if (stripes != 0) {
            const int stripe = std::max((down / scale.step + stripes - 1) / stripes, 1) * scale.step;
            down = static_cast<int>(std::min<std::int64_t>(down, std::int64_t{stripe} * stripes));
        }
        scale.columns = (across + scale.step - 1) / scale.step;
        scale.rows = (down + scale.step - 1) / scale.step;
        scales.push_back(scale);
    }
    return scales;
}

}  // namespace vedette::cascade
