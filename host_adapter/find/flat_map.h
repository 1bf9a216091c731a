// The distance of every position to a colour.
#pragma once

#include "flat_search.h"

#include <cstdint>
#include <vector>

namespace vedette::host {

// For every position of the region, in reading order, its distance in steps of limit / kFlatSteps, 0 only when nothing
// differs; kFlatFar when it is beyond the limit or the position is excluded.
constexpr std::uint16_t kFlatFar = 65535;
constexpr std::uint32_t kFlatSteps = 65000;

struct FlatMap {
    std::uint32_t width = 0, height = 0;  // positions
    std::vector<std::uint16_t> level;
    bool any = false;                            // a position is not excluded
    std::uint32_t nearest_x = 0, nearest_y = 0;  // relative to the region
};

FlatMap flat_map(const FlatQuery& query, const Workers& workers);

// Mean distance at one position of the screen, in double.
double flat_distance(const FlatQuery& query, std::uint32_t x, std::uint32_t y);

}  // namespace vedette::host
