#include "cascade/resampling.h"

#include <algorithm>

namespace vedette::cpu::cascade {

namespace {

constexpr int shuffled = 4;          // columns that one shuffle takes from
constexpr int shuffled_sources = 8;  // so many source columns

}  // namespace

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
