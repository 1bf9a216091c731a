#include "cascade/feature_form.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace vedette::cascade {

namespace {

constexpr double exact_float = 1 << 24;  // whole numbers up to it have a float of their own

// Corners of a feature's rectangles by what they are multiplied with, those that cancel out left out.
using Corners = std::map<int, std::vector<Corner>>;

Corners factored(const HaarFeature& feature, int rectangles) {
    std::map<Corner, int> factors;
    for (int i = 0; i < rectangles; ++i) {
        const auto weight = static_cast<int>(feature.weight[i]);
        const auto corner = corners_of(feature.rectangle[i], feature.tilted);
        const int signs[4] = {1, -1, -1, 1};
        for (std::size_t k = 0; k < 4; ++k) factors[corner[k]] += weight * signs[k];
    }
    Corners corners;
    for (const auto& [corner, factor] : factors)
        if (factor != 0) corners[factor].push_back(corner);
    return corners;
}

// Whether `corners` are `counts[i]` with the factor `factors[i]`, and none else.
template <std::size_t n>
bool matches(const Corners& corners, const int (&factors)[n], const std::size_t (&counts)[n]) {
    if (corners.size() != n) return false;
    for (std::size_t i = 0; i < n; ++i) {
        const auto found = corners.find(factors[i]);
        if (found == corners.end() || found->second.size() != counts[i]) return false;
    }
    return true;
}

}  // namespace

std::array<Corner, 4> corners_of(const Rectangle& r, bool tilted) {
    if (tilted)
        return {Corner{r.x, r.y}, Corner{r.x - r.h, r.y + r.h}, Corner{r.x + r.w, r.y + r.w},
                Corner{r.x + r.w - r.h, r.y + r.w + r.h}};
    return {Corner{r.x, r.y}, Corner{r.x + r.w, r.y}, Corner{r.x, r.y + r.h}, Corner{r.x + r.w, r.y + r.h}};
}

FeatureForm form_of(const HaarFeature& feature) {
    const int rectangles = feature.weight[2] != 0 ? 3 : 2;
    FeatureForm form{rectangles == 3 ? FormKind::three : FormKind::two, 4 * rectangles, {}};
    for (int i = 0; i < rectangles; ++i) {
        const auto corner = corners_of(feature.rectangle[i], feature.tilted);
        std::copy(corner.begin(), corner.end(), form.corner.begin() + 4 * i);
    }
    if (!is_exact(feature, rectangles)) return form;
    Corners corners = factored(feature, rectangles);
    const auto put = [&](std::size_t place, int factor, std::size_t index) {
        form.corner[place] = corners[factor][index];
    };
    if (matches(corners, {1, -1, 2, -2}, {2, 2, 1, 1})) {
        form.kind = FormKind::edge;
        form.count = 6;
        for (std::size_t i = 0; i < 2; ++i) {
            put(2 * i, 1, i);
            put(2 * i + 1, -1, i);
        }
        put(4, 2, 0);
        put(5, -2, 0);
        return form;
    }
    for (const int sign : {1, -1}) {
        if (!matches(corners, {sign, -2 * sign, 4 * sign}, {4, 4, 1})) continue;
        form.kind = sign > 0 ? FormKind::cross : FormKind::minus_cross;
        form.count = 9;
        for (std::size_t i = 0; i < 4; ++i) {
            put(i, sign, i);
            put(4 + i, -2 * sign, i);
        }
        put(8, 4 * sign, 0);
        return form;
    }
    if (rectangles == 2 && feature.weight[0] == -1) form.kind = FormKind::line;
    return form;
}

bool is_exact(const HaarFeature& feature, int rectangles) {
    double most = 0;
    for (int i = 0; i < rectangles; ++i) {
        const Rectangle& r = feature.rectangle[i];
        const auto weight = static_cast<double>(feature.weight[i]);
        if (weight != std::floor(weight) || std::abs(weight) > 64) return false;
        // A tilted rectangle covers twice the pixels that w and h say.
        most += std::abs(weight) * 255 * r.w * r.h * (feature.tilted ? 2 : 1);
    }
    return most < exact_float;
}

}  // namespace vedette::cascade
