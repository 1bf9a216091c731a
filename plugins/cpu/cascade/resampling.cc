#include "cascade/resampling.h"

#include <algorithm>
#include <cmath>

namespace vedette::cpu::cascade {

namespace {

constexpr int shuffled = 4;          // columns that one shuffle takes from
constexpr int shuffled_sources = 8;  // so many source columns

}  // namespace

Axis resampling_axis(int source, int scaled) {
    Axis axis;
    const double scale = 1 / (static_cast<double>(scaled) / source);
    for (int i = 0; i < scaled; ++i) {
        const double place = scale * (i + 0.5) - 0.5;
        const auto below = static_cast<std::int32_t>(std::floor(place));
        std::int32_t first = below;
        double weight = std::nearbyint((place - below) * 256);
        // Places outside the source are its first or last pixel.
        if (below < 0) {
            first = 0;
            weight = 0;
        } else if (below >= source - 1) {
            first = source - 2;
            weight = 256;
        }
        axis.first.push_back(first);
        axis.weight.push_back(static_cast<std::uint16_t>(weight));
    }
    return axis;
}

Columns::Columns(int source, int scaled) {
    const Axis axis = resampling_axis(source, scaled);
    first_ = axis.first;
    for (const std::uint16_t weight : axis.weight)
        weights_.push_back((256u - weight) | static_cast<std::uint32_t>(weight) << 16);
    const std::size_t padded = (first_.size() / cascade_slack + 3) * cascade_slack;
    first_.resize(padded, first_.back());
    weights_.resize(padded, weights_.back());
    for (std::size_t x = 0; x < padded; x += shuffled)
        if (first_[x + shuffled - 1] + 1 - first_[x] >= shuffled_sources) return;
    bytes_.reserve(padded * shuffled);
    for (std::size_t x = 0; x < padded; ++x) {
        const auto byte = static_cast<std::uint8_t>(2 * (first_[x] - first_[x / shuffled * shuffled]));
        for (std::uint8_t i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::uint8_t>(byte + i));
    }
}

std::uint64_t Columns::bytes() const {
    return first_.size() * sizeof first_[0] + weights_.size() * sizeof weights_[0] + bytes_.size();
}

}  // namespace vedette::cpu::cascade
