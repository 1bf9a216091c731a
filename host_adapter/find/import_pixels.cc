#include "import_pixels.h"

#include "../core/failure.h"
#include "kernels/kernels.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace vedette::host {
namespace {

struct Layout {
    unsigned channels;  // in memory, alpha included
    unsigned bytes;     // of a channel
    bool red_first;
    bool alpha;
};

Layout layout_of(vdt_format format) {
    switch (format) {
        case VDT_FORMAT_GRAY8:
            return {1, 1, false, false};
        case VDT_FORMAT_BGR8:
            return {3, 1, false, false};
        case VDT_FORMAT_BGRA8:
            return {4, 1, false, true};
        case VDT_FORMAT_RGB8:
            return {3, 1, true, false};
        case VDT_FORMAT_RGBA8:
            return {4, 1, true, true};
        case VDT_FORMAT_GRAY16:
            return {1, 2, false, false};
        case VDT_FORMAT_BGR16:
            return {3, 2, false, false};
        case VDT_FORMAT_BGRA16:
            return {4, 2, false, true};
        case VDT_FORMAT_RGB16:
            return {3, 2, true, false};
        case VDT_FORMAT_RGBA16:
            return {4, 2, true, true};
        default:
            throw Failure(VDT_E_UNSUPPORTED_FORMAT,
                          "Pixel format " + std::to_string(format) +
                              " cannot be searched: give 8 or 16 bit GRAY, BGR, BGRA, RGB or RGBA.");
    }
}

const std::uint8_t* row_of(const vdt_image& view, std::uint32_t y) {
    const vdt_plane& plane = view.plane[0];
    return static_cast<const std::uint8_t*>(plane.base) + static_cast<std::int64_t>(plane.offset) +
           static_cast<std::int64_t>(y) * plane.row_stride;
}

// Rows of 16-bit pixels need not be aligned.
inline std::uint8_t reduced(const std::uint8_t* sample) {
    std::uint16_t value = 0;
    std::memcpy(&value, sample, sizeof value);
    return static_cast<std::uint8_t>((value + 128U) / 257U);
}

// Copies channel `from` of every pixel to channel `to`.
void copy_channel(const std::uint8_t* in, const Layout& layout, unsigned from, std::uint8_t* out, unsigned out_channels,
                  unsigned to, std::uint32_t width) {
    const std::size_t step = std::size_t{layout.channels} * layout.bytes;
    in += std::size_t{from} * layout.bytes;
    out += to;
    if (layout.bytes == 1)
        for (std::size_t x = 0; x < width; ++x) out[x * out_channels] = in[x * step];
    else
        for (std::size_t x = 0; x < width; ++x) out[x * out_channels] = reduced(in + x * step);
}

// body(y) for all rows of an image, by several threads where it is large: copying 256 KB takes about as long as waking
// them (2-core Zen 3).
template <class Body>
void each_row(const Image& image, const Workers& workers, const Body& body) {
    constexpr std::size_t piece_bytes = std::size_t{256} << 10;
    const auto grain = static_cast<std::uint32_t>(std::max<std::size_t>(1, piece_bytes / image.stride()));
    workers.run(image.height(), grain, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t y = begin; y < end; ++y) body(y);
    });
}

}  // namespace

PixelView view_of(const Image& image) noexcept {
    if (image.empty()) return {};
    return {image.row(0), static_cast<std::ptrdiff_t>(image.stride()), image.width(), image.height(),
            image.format() == VDT_FORMAT_GRAY8 ? 1U : 3U};
}

Image color_of(const vdt_image& view, const Workers& workers) {
    const Layout layout = layout_of(view.format);
    const unsigned channels = layout.channels == 1 ? 1 : 3;
    Image out(channels == 1 ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8, view.width, view.height, Image::Content::unset);
    const bool same = layout.bytes == 1 && layout.channels == channels && !layout.red_first;
    const std::uint8_t red_last[3] = {0, 1, 2}, red_first[3] = {2, 1, 0};
    const std::uint8_t* const order = layout.red_first ? red_first : red_last;
    each_row(out, workers, [&](std::uint32_t y) {
        if (same)
            std::memcpy(out.row(y), row_of(view, y), std::size_t{view.width} * channels);
        else if (layout.bytes == 1)
            find_kernels().pick(row_of(view, y), layout.channels, order, view.width, out.row(y));
        else
            for (unsigned channel = 0; channel < channels; ++channel)
                copy_channel(row_of(view, y), layout, order[channel], out.row(y), channels, channel, view.width);
    });
    return out;
}

Image color_of(Image image, const Workers& workers) {
    if (image.format() == VDT_FORMAT_GRAY8 || image.format() == VDT_FORMAT_BGR8) return image;
    return color_of(image.view(), workers);
}

Image alpha_of(const vdt_image& view) {
    const Layout layout = layout_of(view.format);
    if (!layout.alpha) return Image();
    Image out(VDT_FORMAT_GRAY8, view.width, view.height);
    for (std::uint32_t y = 0; y < view.height; ++y)
        copy_channel(row_of(view, y), layout, 3, out.row(y), 1, 0, view.width);
    return out;
}

Image gray_from_color(const Image& bgr, const Workers& workers) {
    Image out(VDT_FORMAT_GRAY8, bgr.width(), bgr.height(), Image::Content::unset);
    each_row(bgr, workers, [&](std::uint32_t y) { find_kernels().gray(bgr.row(y), bgr.width(), out.row(y)); });
    return out;
}

Image color_from_gray(const Image& gray, const Workers& workers) {
    Image out(VDT_FORMAT_BGR8, gray.width(), gray.height(), Image::Content::unset);
    each_row(out, workers, [&](std::uint32_t y) {
        const std::uint8_t* in = gray.row(y);
        std::uint8_t* bgr = out.row(y);
        for (std::uint32_t x = 0; x < gray.width(); ++x, bgr += 3) bgr[0] = bgr[1] = bgr[2] = in[x];
    });
    return out;
}

bool has_only_gray(const Image& image) noexcept {
    if (image.format() == VDT_FORMAT_GRAY8) return true;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const std::uint8_t* row = image.row(y);
        unsigned difference = 0;
        for (std::size_t x = 0; x < image.width(); ++x)
            difference |=
                static_cast<unsigned>(row[3 * x] ^ row[3 * x + 1]) | static_cast<unsigned>(row[3 * x] ^ row[3 * x + 2]);
        if (difference != 0) return false;
    }
    return true;
}

Image mask_from_alpha(const Image& alpha, std::uint32_t width, std::uint32_t height,
                      const std::vector<vdt_rect>& excluded, std::uint64_t& counted) {
    const std::uint64_t all = std::uint64_t{width} * height;
    counted = all;
    if (alpha.empty() && excluded.empty()) return Image();
    unsigned least = 255;
    if (!alpha.empty()) {
        std::uint64_t opaque = 0;
        std::uint64_t visible = 0;
        for (std::uint32_t y = 0; y < height; ++y) {
            const std::uint8_t* row = alpha.row(y);
            for (std::uint32_t x = 0; x < width; ++x) {
                opaque += row[x] == 255 ? 1 : 0;
                visible += row[x] != 0 ? 1 : 0;
            }
        }
        if (opaque * 10 < visible) least = 128;
    }
    Image mask(VDT_FORMAT_GRAY8, width, height);
    for (std::uint32_t y = 0; y < height; ++y) {
        std::uint8_t* row = mask.row(y);
        for (std::uint32_t x = 0; x < width; ++x) row[x] = alpha.empty() || alpha.row(y)[x] >= least ? 255 : 0;
    }
    for (const vdt_rect& area : excluded) {
        const auto cut = [](std::int64_t value, std::uint32_t most) {
            return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, most));
        };
        const std::uint32_t left = cut(area.x, width);
        const std::uint32_t right = cut(std::int64_t{area.x} + area.w, width);
        for (std::uint32_t y = cut(area.y, height); y < cut(std::int64_t{area.y} + area.h, height); ++y)
            if (left < right) std::memset(mask.row(y) + left, 0, right - left);
    }
    counted = 0;
    for (std::uint32_t y = 0; y < height; ++y)
        counted += static_cast<std::uint64_t>(
            std::count_if(mask.row(y), mask.row(y) + width, [](std::uint8_t value) { return value != 0; }));
    return counted == all ? Image() : std::move(mask);
}

}  // namespace vedette::host
