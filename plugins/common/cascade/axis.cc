#include "cascade/axis.h"

#include <cmath>

namespace vedette::cascade {

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

}  // namespace vedette::cascade
