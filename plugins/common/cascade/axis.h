// How a scaled image comes from the source along one axis, exactly as cv::resize with INTER_LINEAR_EXACT: weights of
// 1/256, one rounding.
#pragma once

#include <cstdint>
#include <vector>

namespace vedette::cascade {

// Position i takes 256 - weight parts of source `first` and weight parts of the next one.
struct Axis {
    std::vector<std::int32_t> first;
    std::vector<std::uint16_t> weight;
};

// Both lengths at least 1, `source` at least 2 unless they are equal.
Axis resampling_axis(int source, int scaled);

}  // namespace vedette::cascade
