// Shared by the files of the reference; not for its users.
#pragma once

#include "reference/reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vedette::reference {

enum class Depth { u8, u16, f32, other };

Depth depth_of(vdt_format format);

// Where blue, green, red and alpha lie among a format's channels; -1 = it has none. Gray formats: all colours are
// channel 0.
struct ChannelOrder {
    int blue, green, red, alpha;
};
ChannelOrder order_of(vdt_format format);

// All pixels of an image. `read` keeps the format's channel order.
Plane read(const vdt_image& image);
Plane make_plane(std::uint32_t width, std::uint32_t height, std::uint32_t channels);
inline double& at(Plane& plane, std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    return plane.value[(static_cast<std::size_t>(y) * plane.width + x) * plane.channels + channel];
}

// Changes channels of `in` (which has format `from`) to those of `to`, in the depth of `from`.
Plane change_channels(const Plane& in, vdt_format from, vdt_format to);

inline double largest_value(Depth depth) {
    return depth == Depth::u8 ? 255.0 : 65535.0;
}
inline double round_half_up(double v) {
    return std::floor(v + 0.5);
}
inline double round_half_even(double v) {
    return std::nearbyint(v);
}
// A value that is not a number becomes 0.
inline double saturate(double v, Depth depth) {
    return std::isnan(v) ? 0.0 : std::clamp(v, 0.0, largest_value(depth));
}

inline bool is_taken(const vdt_image* mask, std::uint32_t x, std::uint32_t y) {
    return mask == nullptr || mask->format == VDT_FORMAT_NONE || pixel(*mask, x, y, 0) != 0.0;
}

// Resizes real values, without rounding. `method` as in vdt_resize_params.
Plane resize_values(const Plane& in, std::uint32_t width, std::uint32_t height, std::uint32_t method);

// Score of template_find from pixels already read; `taken` holds one value a pixel of the pattern, 0 = ignored.
double score_of(const Plane& scene, const Plane& pattern, const std::vector<std::uint8_t>& taken, std::uint32_t x,
                std::uint32_t y);
bool has_variance(const Plane& pattern, const std::vector<std::uint8_t>& taken);
std::vector<std::uint8_t> read_mask(const vdt_image* mask, std::uint32_t width, std::uint32_t height);

}  // namespace vedette::reference
