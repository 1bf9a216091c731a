// From a hint of a coarse copy to the size and place where a pattern fits best.
#pragma once

#include "coarse_scales.h"

#include <vector>

namespace vedette::host {

struct RefinedScale {
    double factor = 1;
    double x = 0, y = 0;  // top left corner, screen pixels
    double score = -1;    // gray, at full resolution; -1: the pattern does not fit there
};

// Each hint climbs to the best size and place near it, on copies that become finer step by step until the larger of
// element and pattern is shrunk to the other's size, no further. The last step in size is half a pixel over the longer
// side. Hints that meet others on the way are dropped, and of those left after each level only the best go on: at most
// `most` reach full resolution. Best first. Failure as find_patterns.
std::vector<RefinedScale> refine_scales(Screen& screen, Pattern& pattern, const Window& region,
                                        const std::vector<ScaleHint>& hints, std::size_t most, const Workers& workers);

}  // namespace vedette::host
