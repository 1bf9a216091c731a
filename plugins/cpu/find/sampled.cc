#include "sampled.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace vedette::cpu::find {
namespace {

constexpr int most_side = 7;  // blocks each way: 49, and the planner takes about 48 of them
constexpr int most_channels = 3;
constexpr std::uint32_t most_pixels = 250000, fewest_samples = 8, most_samples = 96;

// A window cut into across x down blocks, every pixel in one of them: sums of a block's values and of their squares.
struct Blocks {
    std::array<double, most_side * most_side * most_channels> sum{}, square{};
    double sums[most_channels] = {}, squares = 0;
};

struct Grid {
    int w, h, channels, across, down;

    int count() const { return across * down * channels; }
    double area(int block) const {
        const int i = block % across, j = block / across % down;
        return static_cast<double>((w * (i + 1) / across - w * i / across) * (h * (j + 1) / down - h * j / down));
    }
};

Blocks blocks_of(const vdt_image& image, std::uint32_t x, std::uint32_t y, const Grid& grid) {
    Blocks blocks;
    for (int j = 0; j < grid.down; ++j) {
        for (int row = grid.h * j / grid.down; row < grid.h * (j + 1) / grid.down; ++row) {
            const auto* const pixels =
                plugin::row_of<const std::uint8_t>(image, 0, y + static_cast<std::uint32_t>(row)) +
                std::size_t{x} * static_cast<std::size_t>(grid.channels);
            for (int i = 0; i < grid.across; ++i) {
                const int first = grid.w * i / grid.across, last = grid.w * (i + 1) / grid.across;
                for (int c = 0; c < grid.channels; ++c) {
                    std::int32_t sum = 0, square = 0;
                    for (int k = first; k < last; ++k) {
                        const std::int32_t value = pixels[k * grid.channels + c] - 128;
                        sum += value;
                        square += value * value;
                    }
                    const auto at = static_cast<std::size_t>((c * grid.down + j) * grid.across + i);
                    blocks.sum[at] += sum;
                    blocks.square[at] += square;
                    blocks.sums[c] += sum;
                    blocks.squares += square;
                }
            }
        }
    }
    return blocks;
}

double detail_of(const Blocks& blocks, int block, double area) {
    const auto at = static_cast<std::size_t>(block);
    return std::sqrt(std::max(0.0, blocks.square[at] - blocks.sum[at] * blocks.sum[at] / area));
}

double norm_of(const Blocks& blocks, const Grid& grid) {
    double norm = blocks.squares;
    for (int c = 0; c < grid.channels; ++c) norm -= blocks.sums[c] * blocks.sums[c] / (grid.w * grid.h);
    return std::sqrt(std::max(0.0, norm));
}

}  // namespace

std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        double threshold, double usual) noexcept {
    if (!plugin::has_pixels(scene) || !plugin::has_pixels(pattern)) return std::nullopt;
    const int channels = static_cast<int>(plugin::layout_of(pattern.format)->pixel_elements);
    if (channels > most_channels || pattern.format != scene.format) return std::nullopt;
    const Grid grid{static_cast<int>(pattern.width), static_cast<int>(pattern.height), channels,
                    std::min(most_side, static_cast<int>(pattern.width) / 2),
                    std::min(most_side, static_cast<int>(pattern.height) / 2)};
    if (grid.across == 0 || grid.down == 0 || region.w < grid.w || region.h < grid.h) return std::nullopt;
    const Blocks own = blocks_of(pattern, 0, 0, grid);
    const double own_norm = norm_of(own, grid);
    const auto columns = static_cast<std::uint32_t>(region.w - grid.w + 1);
    const auto rows = static_cast<std::uint32_t>(region.h - grid.h + 1);
    const std::uint32_t samples =
        std::clamp(most_pixels / (pattern.width * pattern.height), fewest_samples, most_samples);
    std::uint32_t found = 0;
    for (std::uint32_t k = 0; k < samples; ++k) {
        const plugin::SamplePlace place = plugin::sample_place(k, columns, rows);
        const Blocks window = blocks_of(scene, static_cast<std::uint32_t>(region.x) + place.x,
                                        static_cast<std::uint32_t>(region.y) + place.y, grid);
        const double norm = norm_of(window, grid);
        if (norm <= 0) continue;
        double most = 0;
        for (int block = 0; block < grid.count(); ++block) {
            const auto at = static_cast<std::size_t>(block);
            const double area = grid.area(block);
            const double mean = own.sums[block / (grid.across * grid.down)] / (grid.w * grid.h);
            most += window.sum[at] * (own.sum[at] / area - mean) +
                    detail_of(window, block, area) * detail_of(own, block, area);
        }
        if (most >= (threshold - 0.001) * own_norm * norm) ++found;
    }
    return plugin::rate_of(found, samples, usual);
}

}  // namespace vedette::cpu::find
