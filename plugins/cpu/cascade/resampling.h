// How a scaled image comes from the source, exactly as cv::resize with INTER_LINEAR_EXACT: weights of 1/256, one
// rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cascade.h"

namespace vedette::cpu::cascade {

// Along one axis: position i takes 256 - weight parts of source `first` and weight parts of the next one.
struct Axis {
    std::vector<std::int32_t> first;
    std::vector<std::uint16_t> weight;
};

// Both lengths at least 1, `source` at least 2 unless they are equal.
Axis resampling_axis(int source, int scaled);

// The columns of a scaled image as the kernels take them; padded to what they read beyond the last one.
class Columns {
public:
    Columns(int source, int scaled);
    CascadeColumns view() const { return {first_.data(), weights_.data(), bytes_.empty() ? nullptr : bytes_.data()}; }
    std::int32_t first(int x) const { return first_[static_cast<std::size_t>(x)]; }
    std::uint64_t bytes() const;

private:
    std::vector<std::int32_t> first_;
    std::vector<std::uint32_t> weights_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace vedette::cpu::cascade
