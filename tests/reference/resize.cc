#include "plane.h"

namespace vedette::reference {
namespace {

// One tap of a one-dimensional resampling: weight of an input position, in units of 1 / Taps::whole. Whole numbers, so
// that sums of products are exact and only the division at the end rounds.
struct Tap {
    std::uint32_t index;
    double weight;
};
struct Taps {
    double whole = 1;
    std::vector<std::vector<Tap>> of;  // each output position
};

// Bilinear at numerator / denominator.
std::vector<Tap> bilinear(std::int64_t numerator, std::int64_t denominator, std::uint32_t in) {
    const std::int64_t low = numerator < 0 ? -1 : numerator / denominator;  // never below -1
    const std::int64_t rest = numerator - low * denominator;
    const auto inside = [in](std::int64_t i) {
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(i, 0, in - std::int64_t{1}));
    };
    return {{inside(low), static_cast<double>(denominator - rest)}, {inside(low + 1), static_cast<double>(rest)}};
}

// At (x + 0.5) * in / out - 0.5.
std::vector<Tap> half_pixel(std::int64_t x, std::int64_t in, std::int64_t out) {
    return bilinear((2 * x + 1) * in - out, 2 * out, static_cast<std::uint32_t>(in));
}

// Every input position weighs what [x, x + 1) * in / out covers of it.
std::vector<Tap> area(std::uint32_t x, std::uint32_t in, std::uint32_t out) {
    const std::uint64_t begin = static_cast<std::uint64_t>(x) * in;
    const std::uint64_t end = begin + in;
    std::vector<Tap> taps;
    for (std::uint64_t i = begin / out; i * out < end; ++i) {
        const std::uint64_t cover = std::min(end, (i + 1) * out) - std::max(begin, i * out);
        taps.push_back({static_cast<std::uint32_t>(i), static_cast<double>(cover)});
    }
    return taps;
}

// At x * (in - 1) / (out - 1); the last one on the last position.
std::vector<Tap> aligned(std::int64_t x, std::int64_t in, std::int64_t out) {
    if (x == out - 1) return {{static_cast<std::uint32_t>(in - 1), std::max(1.0, static_cast<double>(out - 1))}};
    return bilinear(x * (in - 1), out - 1, static_cast<std::uint32_t>(in));
}

Taps taps_of(std::uint32_t in, std::uint32_t out, std::uint32_t method, bool shrinks) {
    Taps taps;
    for (std::uint32_t x = 0; x < out; ++x) {
        if (method == VDT_RESIZE_ALIGNED_CORNERS) {
            taps.of.push_back(aligned(x, in, out));
            taps.whole = std::max(1.0, out - 1.0);
        } else if (method == VDT_RESIZE_AREA && shrinks) {
            taps.of.push_back(area(x, in, out));
            taps.whole = in;
        } else {
            taps.of.push_back(half_pixel(x, in, out));
            taps.whole = 2.0 * out;
        }
    }
    return taps;
}

}  // namespace

// AREA needs both sides to shrink (or stay); when one grows the whole image is resized by HALF_PIXEL.
Plane resize_values(const Plane& in, std::uint32_t width, std::uint32_t height, std::uint32_t method) {
    if (method < VDT_RESIZE_HALF_PIXEL || method > VDT_RESIZE_ALIGNED_CORNERS)
        throw std::invalid_argument("no such resize method");
    const bool shrinks = width <= in.width && height <= in.height;
    const Taps across = taps_of(in.width, width, method, shrinks);
    const Taps down = taps_of(in.height, height, method, shrinks);
    Plane out = make_plane(width, height, in.channels);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            for (std::uint32_t c = 0; c < in.channels; ++c) {
                double sum = 0;
                for (const Tap& v : down.of[y])
                    for (const Tap& h : across.of[x]) sum += v.weight * h.weight * in.at(h.index, v.index, c);
                at(out, x, y, c) = sum / (across.whole * down.whole);
            }
    return out;
}

Plane resize(const vdt_image& in, vdt_format out, std::uint32_t width, std::uint32_t height,
             const vdt_resize_params& params) {
    const Depth from = depth_of(in.format);
    const Depth to = depth_of(out);
    const bool fused = from != Depth::f32 && to == Depth::f32;
    if (from == Depth::other || (from != to && !fused))
        throw std::invalid_argument("resize cannot change to that format");

    std::uint32_t inner_width = width, inner_height = height;
    if (params.flags & VDT_RESIZE_LETTERBOX) {
        if (static_cast<std::uint64_t>(width) * in.height < static_cast<std::uint64_t>(height) * in.width)
            inner_height = static_cast<std::uint32_t>(static_cast<std::uint64_t>(in.height) * width / in.width);
        else
            inner_width = static_cast<std::uint32_t>(static_cast<std::uint64_t>(in.width) * height / in.height);
        inner_width = std::max(inner_width, 1u);
        inner_height = std::max(inner_height, 1u);
    }

    Plane inner = resize_values(change_channels(read(in), in.format, out), inner_width, inner_height, params.method);
    for (double& value : inner.value) {
        if (fused)
            value = value * params.scale + params.offset;
        else if (to != Depth::f32)
            value = saturate(round_half_up(value), to);
    }

    Plane whole = make_plane(width, height, inner.channels);
    const double fill = to == Depth::f32 ? params.fill : saturate(round_half_up(params.fill), to);
    std::fill(whole.value.begin(), whole.value.end(), fill);
    const std::uint32_t left = (width - inner_width) / 2;
    const std::uint32_t top = (height - inner_height) / 2;
    for (std::uint32_t y = 0; y < inner_height; ++y)
        for (std::uint32_t x = 0; x < inner_width; ++x)
            for (std::uint32_t c = 0; c < whole.channels; ++c) at(whole, left + x, top + y, c) = inner.at(x, y, c);
    return whole;
}

}  // namespace vedette::reference
