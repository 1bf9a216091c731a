// cv::groupRectangles for what a cascade finds.
#pragma once

#include <cstdint>
#include <vector>

#include "cascade/detector.h"

namespace vedette::cpu::cascade {

// A group: its mean rectangle, the best weight, and how many windows were joined.
struct Grouped {
    Found mean;
    std::int32_t joined;
};

// Keeps its scratch from one call to the next.
class Grouping {
public:
    // Groups of more than `threshold` (at least 1) windows that are similar, or similar to one of the group, within a
    // relative difference of `eps`; those that lie inside a larger group are left out. In the order of each group's
    // first window. The result belongs to this object until the next call.
    const std::vector<Grouped>& run(const std::vector<Found>& found, std::int32_t threshold, double eps);

private:
    std::uint32_t root_of(std::uint32_t index);
    void join_similar(const std::vector<Found>& found, double eps);
    void average(const std::vector<Found>& found);

    struct Sum {
        std::int64_t x, y, w, h;
    };
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> parent_;  // of each window, a forest
    std::vector<std::uint32_t> group_;   // of each root
    std::vector<Sum> sums_;
    std::vector<Grouped> all_, kept_;
};

}  // namespace vedette::cpu::cascade
