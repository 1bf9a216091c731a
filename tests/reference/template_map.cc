#include "plane.h"

namespace vedette::reference {
namespace {

// What the six methods need of one position, over the pixels that are taken and all channels. Pixels are whole numbers
// of 8 bits, so every sum is exact in double.
struct Sums {
    double count = 0;          // pixels taken
    double scene_pattern = 0;  // sum I T
    double scene_scene = 0;
    double pattern_pattern = 0;
    double difference = 0;  // sum (I - T)^2
    // sum over channels of (n sum I T - sum I sum T) and the like
    double covariance = 0;
    double scene_variance = 0;
    double pattern_variance = 0;
};

Sums sums_at(const Plane& scene, const Plane& pattern, const std::vector<std::uint8_t>& taken, std::uint32_t x,
             std::uint32_t y) {
    Sums sums;
    for (const std::uint8_t one : taken) sums.count += one;
    for (std::uint32_t c = 0; c < pattern.channels; ++c) {
        double s = 0, t = 0, st = 0, ss = 0, tt = 0;
        for (std::uint32_t j = 0; j < pattern.height; ++j)
            for (std::uint32_t i = 0; i < pattern.width; ++i) {
                if (taken[static_cast<std::size_t>(j) * pattern.width + i] == 0) continue;
                const double a = scene.at(x + i, y + j, c);
                const double b = pattern.at(i, j, c);
                s += a;
                t += b;
                st += a * b;
                ss += a * a;
                tt += b * b;
                sums.difference += (a - b) * (a - b);
            }
        sums.scene_pattern += st;
        sums.scene_scene += ss;
        sums.pattern_pattern += tt;
        sums.covariance += sums.count * st - s * t;
        sums.scene_variance += sums.count * ss - s * s;
        sums.pattern_variance += sums.count * tt - t * t;
    }
    return sums;
}

double sqdiff_normed(const Sums& sums, bool masked) {
    const double divisor = std::sqrt(sums.scene_scene * sums.pattern_pattern);
    if (divisor == 0) return sums.difference == 0 ? 0.0 : 1.0;
    // OpenCV caps the unmasked value at 1 and leaves the masked one as it is.
    return masked ? sums.difference / divisor : std::min(sums.difference / divisor, 1.0);
}

double value_of(const Sums& sums, std::uint32_t method, bool masked) {
    switch (method) {
        case VDT_MATCH_SQDIFF:
            return sums.difference;
        case VDT_MATCH_SQDIFF_NORMED:
            return sqdiff_normed(sums, masked);
        case VDT_MATCH_CCORR:
            return sums.scene_pattern;
        case VDT_MATCH_CCORR_NORMED: {
            const double divisor = std::sqrt(sums.scene_scene * sums.pattern_pattern);
            return divisor == 0 ? 0.0 : std::min(sums.scene_pattern / divisor, 1.0);
        }
        case VDT_MATCH_CCOEFF:
            return sums.count == 0 ? 0.0 : sums.covariance / sums.count;
        case VDT_MATCH_CCOEFF_NORMED: {
            const double divisor = std::sqrt(sums.scene_variance * sums.pattern_variance);
            return divisor == 0 ? 0.0 : std::clamp(sums.covariance / divisor, -1.0, 1.0);
        }
        default:
            throw std::invalid_argument("no such matching method");
    }
}

}  // namespace

Plane template_map(const vdt_image& scene, const vdt_image& pattern, const vdt_image* mask, std::uint32_t method) {
    if (pattern.width > scene.width || pattern.height > scene.height)
        throw std::invalid_argument("the pattern is larger than the scene");
    const Plane scene_values = read(scene);
    const Plane pattern_values = read(pattern);
    const bool masked = mask != nullptr && mask->format != VDT_FORMAT_NONE;
    const std::vector<std::uint8_t> taken = read_mask(mask, pattern.width, pattern.height);
    Plane out = make_plane(scene.width - pattern.width + 1, scene.height - pattern.height + 1, 1);
    for (std::uint32_t y = 0; y < out.height; ++y)
        for (std::uint32_t x = 0; x < out.width; ++x)
            at(out, x, y, 0) = value_of(sums_at(scene_values, pattern_values, taken, x, y), method, masked);
    return out;
}

}  // namespace vedette::reference
