// Help for plugins written in C++; not part of the ABI. What the scales of template_find mean: which scene and which
// pattern are compared for a factor, and where their positions lie. Plain code; a backend may make the same pixels
// faster.
#ifndef VEDETTE_PLUGIN_CPP_TEMPLATE_SCALES_HPP
#define VEDETTE_PLUGIN_CPP_TEMPLATE_SCALES_HPP

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "template_checks.hpp"

namespace vedette::plugin {

// A side after a change of size by `factor`: rounded half up, at least 1 and at most `most`.
inline uint32_t scaled_side(uint32_t side, double factor, uint32_t most) noexcept {
    return static_cast<uint32_t>(std::clamp(std::floor(side * factor + 0.5), 1.0, static_cast<double>(most)));
}

// Throws Failure (VDT_E_ARGUMENT) unless all factors are finite and above 0.
inline void check_scales(const vdt_template_find_params& params) {
    if (params.scale_count != 0 && params.scales == nullptr)
        throw Failure(VDT_E_ARGUMENT, "template_find: scale_count is not 0 but scales is NULL");
    for (uint32_t i = 0; i < params.scale_count; ++i)
        if (!std::isfinite(params.scales[i]) || params.scales[i] <= 0)
            throw Failure(VDT_E_ARGUMENT, "template_find: the scale " + std::to_string(params.scales[i]) +
                                              " is not a finite factor above 0");
}

// Size of the scene and of a pattern that are compared for a factor: above 1 the scene is shrunk, below 1 the pattern.
inline uint32_t scene_side(uint32_t side, double factor) noexcept {
    return factor > 1 ? scaled_side(side, 1 / factor, side) : side;
}
inline uint32_t pattern_side(uint32_t side, double factor) noexcept {
    return factor < 1 ? scaled_side(side, factor, side) : side;
}

// One dimension of a scene of `whole` pixels that became `shrunk`.
struct ScaledAxis {
    double step;  // pixels of the scene for one of the shrunk one

    ScaledAxis(uint32_t whole, uint32_t shrunk) noexcept : step(static_cast<double>(whole) / shrunk) {}

    // From the first pixel that begins in [begin, begin + size) to the last that ends there; may be empty.
    void inside(int32_t begin, int32_t size, int32_t& first, int32_t& count) const noexcept {
        if (step == 1) {
            first = begin;
            count = size;
            return;
        }
        const double from = std::ceil(begin / step - rounding);
        const double to = std::floor((static_cast<double>(begin) + size) / step + rounding);
        first = static_cast<int32_t>(from);
        count = to > from ? static_cast<int32_t>(to - from) : 0;
    }
    // Every pixel of which a part lies in [begin, begin + size); size > 0.
    void around(int32_t begin, int32_t size, int32_t& first, int32_t& count) const noexcept {
        if (step == 1) {
            first = begin;
            count = size;
            return;
        }
        const double from = std::floor(begin / step + rounding);
        const double to = std::ceil((static_cast<double>(begin) + size) / step - rounding);
        first = static_cast<int32_t>(from);
        count = static_cast<int32_t>(std::min(to - from, 2147483647.0));
    }
    // Where `size` pixels from `first` on lie in the scene, never beyond its end after rounding to floats.
    void place(int32_t first, uint32_t size, uint32_t whole, float& begin, float& length) const noexcept {
        begin = static_cast<float>(first * step);
        length = static_cast<float>(size * step);
        while (double{begin} + double{length} > static_cast<double>(whole)) length = std::nextafter(length, 0.0F);
    }

private:
    static constexpr double rounding = 1e-9;  // of a quotient that should be whole
};

// 8-bit pixels of `channels` interleaved channels, without gaps between rows.
struct ScaledPixels {
    uint32_t width = 0, height = 0, channels = 1;
    std::vector<uint8_t> bytes;

    uint8_t* row(uint32_t y) noexcept { return bytes.data() + std::size_t{y} * width * channels; }
    const uint8_t* row(uint32_t y) const noexcept { return bytes.data() + std::size_t{y} * width * channels; }
    // Host memory, not resident. Valid while this is, and not resized.
    vdt_image view() noexcept {
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = channels == 1 ? VDT_FORMAT_GRAY8 : VDT_FORMAT_BGR8;
        image.width = width;
        image.height = height;
        image.memory = VDT_MEMORY_HOST;
        image.plane_count = 1;
        image.plane[0].base = bytes.data();
        image.plane[0].row_stride = static_cast<int64_t>(width) * channels;
        image.plane[0].bytes = bytes.size();
        return image;
    }
    void resize(uint32_t to_width, uint32_t to_height, uint32_t to_channels) {
        width = to_width;
        height = to_height;
        channels = to_channels;
        bytes.resize(std::size_t{width} * height * channels);
    }
};

// Row `y` of an image of interleaved 8-bit pixels in host memory.
inline const uint8_t* byte_row(const vdt_image& image, uint32_t y) noexcept {
    return static_cast<const uint8_t*>(image.plane[0].base) + image.plane[0].offset +
           static_cast<int64_t>(y) * image.plane[0].row_stride;
}

// GRAY8 or BGR8 shrunk to the size of `out`: the mean over the area that a pixel covers, with fractional cover at its
// edges, rounded half up. Neither side of `out` is larger than the image's. `sums`: scratch.
inline void shrink_by_area(const vdt_image& image, ScaledPixels& out, std::vector<uint64_t>& sums) {
    const uint64_t total = uint64_t{image.width} * image.height;
    sums.resize(std::size_t{out.width} * out.channels);
    for (uint32_t y = 0; y < out.height; ++y) {
        std::fill(sums.begin(), sums.end(), 0);
        const uint64_t top = uint64_t{y} * image.height, bottom = top + image.height;
        for (uint64_t v = top / out.height; v * out.height < bottom; ++v) {
            const uint64_t down = std::min(bottom, (v + 1) * out.height) - std::max(top, v * out.height);
            const uint8_t* const row = byte_row(image, static_cast<uint32_t>(v));
            for (uint32_t x = 0; x < out.width; ++x) {
                const uint64_t left = uint64_t{x} * image.width, right = left + image.width;
                for (uint64_t u = left / out.width; u * out.width < right; ++u) {
                    const uint64_t across = std::min(right, (u + 1) * out.width) - std::max(left, u * out.width);
                    for (uint32_t c = 0; c < out.channels; ++c)
                        sums[std::size_t{x} * out.channels + c] += down * across * row[u * out.channels + c];
                }
            }
        }
        // Sums stay below 255 * 65535^2.
        for (std::size_t i = 0; i < sums.size(); ++i)
            out.row(y)[i] = static_cast<uint8_t>((2 * sums[i] + total) / (2 * total));
    }
}

// A mask of the size of `out`: a pixel counts (255) when every pixel it covers does.
inline void shrink_mask(const vdt_image& mask, ScaledPixels& out) {
    for (uint32_t y = 0; y < out.height; ++y)
        for (uint32_t x = 0; x < out.width; ++x) {
            const uint64_t top = uint64_t{y} * mask.height, bottom = top + mask.height;
            const uint64_t left = uint64_t{x} * mask.width, right = left + mask.width;
            bool all = true;
            for (uint64_t v = top / out.height; all && v * out.height < bottom; ++v)
                for (uint64_t u = left / out.width; all && u * out.width < right; ++u)
                    all = byte_row(mask, static_cast<uint32_t>(v))[u] != 0;
            out.row(y)[x] = all ? 255 : 0;
        }
}

// What check_template_pixels asks for of a pattern; `mask` may be of VDT_FORMAT_NONE.
inline void look_at_pattern(const vdt_image& pattern, const vdt_image& mask, uint64_t& area, bool& varies) {
    const uint32_t channels = pattern.format == VDT_FORMAT_BGR8 ? 3 : 1;
    const uint8_t* first = nullptr;
    area = 0;
    varies = false;
    for (uint32_t y = 0; y < pattern.height; ++y) {
        const uint8_t* const row = byte_row(pattern, y);
        const uint8_t* const taken = mask.format == VDT_FORMAT_NONE ? nullptr : byte_row(mask, y);
        for (uint32_t x = 0; x < pattern.width; ++x) {
            if (taken != nullptr && taken[x] == 0) continue;
            const uint8_t* const pixel = row + std::size_t{x} * channels;
            if (first == nullptr) first = pixel;
            ++area;
            varies = varies || !std::equal(pixel, pixel + channels, first);
        }
    }
}

// The order of the items of one pattern: best score, then top, then left, then the earlier scale.
inline bool scaled_item_comes_first(const vdt_item& a, const vdt_item& b) noexcept {
    if (a.score != b.score) return a.score > b.score;
    if (a.y != b.y) return a.y < b.y;
    if (a.x != b.x) return a.x < b.x;
    return a.scale < b.scale;
}

}  // namespace vedette::plugin
#endif
