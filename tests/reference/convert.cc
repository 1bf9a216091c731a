#include "plane.h"

namespace vedette::reference {
namespace {

double gray_of(double blue, double green, double red, Depth depth) {
    if (depth == Depth::f32) return 0.114 * blue + 0.587 * green + 0.299 * red;
    const auto b = static_cast<std::int64_t>(blue);
    const auto g = static_cast<std::int64_t>(green);
    const auto r = static_cast<std::int64_t>(red);
    return static_cast<double>((3735 * b + 19235 * g + 9798 * r + (1 << 14)) >> 15);
}

double change_depth(double value, Depth from, Depth to, const vdt_convert_params& params) {
    if (from == to) return value;
    if (to == Depth::f32) return value * params.scale + params.offset;
    if (from == Depth::f32) return saturate(round_half_even(value * params.scale + params.offset), to);
    if (from == Depth::u16) return static_cast<double>((static_cast<std::uint32_t>(value) + 128) / 257);
    return value * 257;
}

}  // namespace

Plane change_channels(const Plane& in, vdt_format from, vdt_format to) {
    const ChannelOrder source = order_of(from);
    const ChannelOrder target = order_of(to);
    const Depth depth = depth_of(from);
    Plane out = make_plane(in.width, in.height, channels(to));
    const bool to_gray = channels(to) == 1;
    const bool from_gray = channels(from) == 1;
    for (std::uint32_t y = 0; y < in.height; ++y)
        for (std::uint32_t x = 0; x < in.width; ++x) {
            const double blue = in.at(x, y, static_cast<std::uint32_t>(source.blue));
            const double green = in.at(x, y, static_cast<std::uint32_t>(source.green));
            const double red = in.at(x, y, static_cast<std::uint32_t>(source.red));
            if (to_gray) {
                at(out, x, y, 0) = from_gray ? blue : gray_of(blue, green, red, depth);
                continue;
            }
            at(out, x, y, static_cast<std::uint32_t>(target.blue)) = blue;
            at(out, x, y, static_cast<std::uint32_t>(target.green)) = green;
            at(out, x, y, static_cast<std::uint32_t>(target.red)) = red;
            if (target.alpha >= 0) {
                // No float format has alpha, so "opaque" of a float input is stated in the output's depth by the
                // caller.
                const double opaque = depth == Depth::f32 ? std::nan("") : largest_value(depth);
                at(out, x, y, static_cast<std::uint32_t>(target.alpha)) =
                    source.alpha >= 0 ? in.at(x, y, static_cast<std::uint32_t>(source.alpha)) : opaque;
            }
        }
    return out;
}

Plane convert(const vdt_image& in, vdt_format out, const vdt_convert_params& params) {
    const Depth from = depth_of(in.format);
    const Depth to = depth_of(out);
    if (from == Depth::other || to == Depth::other) throw std::invalid_argument("convert takes colour formats only");
    Plane plane = change_channels(read(in), in.format, out);
    for (double& value : plane.value) value = std::isnan(value) ? value : change_depth(value, from, to, params);
    const int alpha = order_of(out).alpha;
    if (alpha >= 0 && from == Depth::f32) {
        for (std::uint32_t y = 0; y < plane.height; ++y)
            for (std::uint32_t x = 0; x < plane.width; ++x)
                at(plane, x, y, static_cast<std::uint32_t>(alpha)) = largest_value(to);
    }
    if (to != Depth::f32 && from == Depth::f32) {
        for (double& value : plane.value) value = saturate(value, to);  // a pixel that is not a number
    }
    return plane;
}

}  // namespace vedette::reference
