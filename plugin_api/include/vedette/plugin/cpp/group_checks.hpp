// Help for plugins written in C++; not part of the ABI. What ops.h asks of group.
#ifndef VEDETTE_PLUGIN_CPP_GROUP_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_GROUP_CHECKS_HPP

#include <cmath>
#include <string>

#include "check.hpp"

namespace vedette::plugin {

inline void check_group(const vdt_group_params& params) {
    if (params.threshold < 0) throw Failure(VDT_E_ARGUMENT, "group: threshold must not be below 0");
    if (!std::isfinite(params.eps) || params.eps < 0)
        throw Failure(VDT_E_ARGUMENT, "group: eps must be finite and not below 0");
}

// Items are counted in 32 bits.
inline void check_group_count(uint64_t count) {
    if (count > uint64_t{1} << 30)
        throw Failure(VDT_E_SIZE,
                      "group: the list has " + std::to_string(count) + " items; at most 2^30 can be grouped");
}

// The sides of an item as whole pixels, in which groupRectangles counts, rounded half to even. Beyond 2^24 a float has
// no whole pixels any more.
inline vdt_rect whole_rectangle(const vdt_item& item) {
    constexpr float furthest = 1 << 24;
    for (const float side : {item.x, item.y, item.w, item.h})
        if (!(std::abs(side) <= furthest))
            throw Failure(VDT_E_ARGUMENT, "group: an item has no finite rectangle within 2^24 pixels");
    if (item.w < 0 || item.h < 0) throw Failure(VDT_E_ARGUMENT, "group: an item has a side below 0");
    return {static_cast<int32_t>(std::lrint(item.x)), static_cast<int32_t>(std::lrint(item.y)),
            static_cast<int32_t>(std::lrint(item.w)), static_cast<int32_t>(std::lrint(item.h))};
}

}  // namespace vedette::plugin
#endif
