// How a scaled image comes from the source (cascade/axis.h), as the kernels take it.
#pragma once

#include <cstdint>
#include <vector>

#include "cascade/axis.h"
#include "kernels/cascade.h"

namespace vedette::cpu::cascade {

using namespace vedette::cascade;

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
