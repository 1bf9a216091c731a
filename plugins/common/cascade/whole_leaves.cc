#include "cascade/whole_leaves.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vedette::cascade {

namespace {

constexpr int whole_bits = 30;                          // of the largest sum of leaves
constexpr double least_textured_norm_times_area = 0.1;  // at or above it cv::CascadeClassifier calls a window flat

std::int32_t clamped(double value) {
    return static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0));
}

}  // namespace

WholeLeaves whole_leaves(const Model& model) {
    WholeLeaves whole;
    whole.leaves.resize(model.leaves.size());
    for (const Stage& stage : model.stages) {
        double most = 0;
        for (std::uint32_t i = 0; i < stage.trees; ++i) {
            const Tree& tree = model.trees[stage.first_tree + i];
            float largest = 0;
            for (std::uint32_t leaf = 0; leaf < tree.leaves; ++leaf)
                largest = std::max(largest, std::abs(model.leaves[tree.first_leaf + leaf]));
            most += static_cast<double>(largest);
        }
        int exponent = 0;
        std::frexp(most, &exponent);  // most < 2^exponent
        const int shift = std::min(whole_bits - exponent, 2 * whole_bits);
        for (std::uint32_t i = 0; i < stage.trees; ++i) {
            const Tree& tree = model.trees[stage.first_tree + i];
            for (std::uint32_t leaf = tree.first_leaf; leaf < tree.first_leaf + tree.leaves; ++leaf)
                whole.leaves[leaf] =
                    clamped(std::nearbyint(std::ldexp(static_cast<double>(model.leaves[leaf]), shift)));
        }
        // Each leaf is off by half a unit at most; OpenCV's own sum in double by less than one.
        const double off = stage.trees / 2.0 + 2;
        const double threshold = std::ldexp(static_cast<double>(stage.threshold), shift);
        whole.stages.push_back({clamped(std::ceil(threshold + off)), clamped(std::floor(threshold - off))});
    }
    return whole;
}

float flat_norm(double area) {
    auto norm = static_cast<float>(least_textured_norm_times_area / area);
    while (area * static_cast<double>(norm) >= least_textured_norm_times_area) norm = std::nextafter(norm, 0.0F);
    while (area * static_cast<double>(norm) < least_textured_norm_times_area)
        norm = std::nextafter(norm, std::numeric_limits<float>::max());
    return norm;
}

}  // namespace vedette::cascade
