#include "search/sample.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace vedette::search {
namespace {

constexpr int most_side = 7;  // blocks each way: 49, and the planner takes about 48 of them
constexpr int most_channels = 3;
constexpr std::uint32_t most_values = 250000, fewest_samples = 8, most_samples = 96;

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
    int cell_of(int x, int y) const {
        // The first block that ends beyond the pixel: block i ends at w (i + 1) / across, rounded down.
        return ((y + 1) * down - 1) / h * across + ((x + 1) * across - 1) / w;
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

// Sum of products of deviations from the means.
double covariance_of(const vdt_image& scene, std::uint32_t x, std::uint32_t y, const vdt_image& pattern,
                     const Blocks& window, const Blocks& own, const Grid& grid) {
    double sum = 0;
    const std::size_t left = std::size_t{x} * static_cast<std::size_t>(grid.channels);
    for (std::uint32_t row = 0; row < pattern.height; ++row) {
        const auto* const a = plugin::row_of<const std::uint8_t>(scene, 0, y + row) + left;
        const auto* const b = plugin::row_of<const std::uint8_t>(pattern, 0, row);
        std::int64_t of_row = 0;
        for (int k = 0; k < grid.w * grid.channels; ++k) of_row += (a[k] - 128) * (b[k] - 128);
        sum += static_cast<double>(of_row);
    }
    for (int c = 0; c < grid.channels; ++c) sum -= window.sums[c] * own.sums[c] / (grid.w * grid.h);
    return sum;
}

// The most that the sum of products can be, from the blocks alone.
double most_covariance(const Blocks& window, const Blocks& own, const Grid& grid) {
    double most = 0;
    for (int block = 0; block < grid.count(); ++block) {
        const auto at = static_cast<std::size_t>(block);
        const double area = grid.area(block);
        const double mean = own.sums[block / (grid.across * grid.down)] / (grid.w * grid.h);
        most +=
            window.sum[at] * (own.sum[at] / area - mean) + detail_of(window, block, area) * detail_of(own, block, area);
    }
    return most;
}

// What a mask leaves of a pattern: blocks wholly in it, and what is not in them. The terms are those of the masked
// search [plugins/cpu/find/masked.h], with blocks one by one instead of in pairs.
struct Masked {
    std::array<bool, most_side * most_side> inside{};
    std::array<double, most_side * most_side * most_channels> mean{};  // of a block, less that of all blocks
    std::array<double, most_side * most_side> detail{};                // norm of a block about its mean
    double area = 0;                                                   // of the blocks
    double norm = 0;                                                   // of all pixels in the mask about their mean
    double residual = 0;                                               // of what is not in the blocks
};

bool is_taken(const vdt_image& mask, int x, int y) {
    return plugin::row_of<const std::uint8_t>(mask, 0, static_cast<std::uint32_t>(y))[x] != 0;
}

Masked masked_of(const vdt_image& pattern, const vdt_image& mask, const Blocks& own, const Grid& grid) {
    Masked masked;
    std::array<int, most_side * most_side> taken{};
    double sums[most_channels] = {}, squares = 0, count = 0;
    for (int y = 0; y < grid.h; ++y) {
        const auto* const row = plugin::row_of<const std::uint8_t>(pattern, 0, static_cast<std::uint32_t>(y));
        for (int x = 0; x < grid.w; ++x) {
            if (!is_taken(mask, x, y)) continue;
            ++taken[static_cast<std::size_t>(grid.cell_of(x, y))];
            ++count;
            for (int c = 0; c < grid.channels; ++c) {
                const double value = row[x * grid.channels + c] - 128;
                sums[c] += value;
                squares += value * value;
            }
        }
    }
    const int cells = grid.across * grid.down;
    double totals[most_channels] = {}, in_blocks = 0, variance = squares;
    for (int cell = 0; cell < cells; ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        masked.inside[at] = taken[at] == static_cast<int>(grid.area(cell));
        if (!masked.inside[at]) continue;
        masked.area += grid.area(cell);
        double about_mean = 0;
        for (int c = 0; c < grid.channels; ++c) {
            const auto block = static_cast<std::size_t>(c * cells + cell);
            totals[c] += own.sum[block];
            in_blocks += own.square[block];
            about_mean += own.square[block] - own.sum[block] * own.sum[block] / grid.area(cell);
        }
        masked.detail[at] = std::sqrt(std::max(0.0, about_mean));
    }
    if (masked.area == 0) return masked;
    for (int c = 0; c < grid.channels; ++c) {
        variance -= sums[c] * sums[c] / count;
        in_blocks -= totals[c] * totals[c] / masked.area;
        for (int cell = 0; cell < cells; ++cell) {
            const auto block = static_cast<std::size_t>(c * cells + cell);
            masked.mean[block] = own.sum[block] / grid.area(cell) - totals[c] / masked.area;
        }
    }
    masked.norm = std::sqrt(std::max(0.0, variance));
    masked.residual = std::sqrt(std::max(0.0, variance - in_blocks));
    return masked;
}

bool survives(const Blocks& window, const Masked& own, double threshold, const Grid& grid) {
    const int cells = grid.across * grid.down;
    double part = 0, energy = 0, totals[most_channels] = {};
    for (int cell = 0; cell < cells; ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        if (!own.inside[at]) continue;
        double about_mean = 0;
        for (int c = 0; c < grid.channels; ++c) {
            const auto block = static_cast<std::size_t>(c * cells + cell);
            part += window.sum[block] * own.mean[block];
            totals[c] += window.sum[block];
            energy += window.square[block];
            about_mean += window.square[block] - window.sum[block] * window.sum[block] / grid.area(cell);
        }
        part += std::sqrt(std::max(0.0, about_mean)) * own.detail[at];
    }
    for (int c = 0; c < grid.channels; ++c) energy -= totals[c] * totals[c] / own.area;
    energy = std::max(energy, 1e-6);
    const double limit = threshold * own.norm;
    if (part <= 0 || part * part < (limit * limit - own.residual * own.residual) * energy) return false;
    const double norm = norm_of(window, grid), rest = std::max(0.0, norm * norm - energy);
    if (own.residual * own.residual * energy * energy < part * part * rest) return true;
    return part + own.residual * std::sqrt(rest) >= limit * norm;
}

std::optional<double> sampled_share(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                    const vdt_image& mask, double threshold, double usual, bool hits) noexcept {
    const bool is_masked = mask.format != VDT_FORMAT_NONE;
    if (!plugin::has_pixels(scene) || !plugin::has_pixels(pattern) || (is_masked && !plugin::has_pixels(mask)))
        return std::nullopt;
    const int channels = static_cast<int>(plugin::layout_of(pattern.format)->pixel_elements);
    if (channels > most_channels || pattern.format != scene.format) return std::nullopt;
    const Grid grid{static_cast<int>(pattern.width), static_cast<int>(pattern.height), channels,
                    std::min(most_side, static_cast<int>(pattern.width) / 2),
                    std::min(most_side, static_cast<int>(pattern.height) / 2)};
    if (grid.across == 0 || grid.down == 0 || region.w < grid.w || region.h < grid.h) return std::nullopt;
    const Blocks own = blocks_of(pattern, 0, 0, grid);
    const double own_norm = norm_of(own, grid);
    Masked masked;
    if (is_masked) {
        masked = masked_of(pattern, mask, own, grid);
        // What is not in the blocks may reach the threshold by itself.
        if (threshold * masked.norm <= 1.02 * masked.residual) return 1;
    }
    const auto columns = static_cast<std::uint32_t>(region.w - grid.w + 1);
    const auto rows = static_cast<std::uint32_t>(region.h - grid.h + 1);
    const std::uint32_t samples =
        std::clamp(most_values / (pattern.width * pattern.height * static_cast<std::uint32_t>(channels)),
                   fewest_samples, most_samples);
    std::uint32_t found = 0;
    for (std::uint32_t k = 0; k < samples; ++k) {
        const plugin::SamplePlace place = plugin::sample_place(k, columns, rows);
        const std::uint32_t x = static_cast<std::uint32_t>(region.x) + place.x;
        const std::uint32_t y = static_cast<std::uint32_t>(region.y) + place.y;
        const Blocks window = blocks_of(scene, x, y, grid);
        if (is_masked) {
            if (survives(window, masked, threshold, grid)) ++found;
            continue;
        }
        const double norm = norm_of(window, grid);
        const double least = (threshold - 0.001) * own_norm * norm;
        if (norm <= 0 || most_covariance(window, own, grid) < least) continue;
        if (!hits || covariance_of(scene, x, y, pattern, window, own, grid) >= least) ++found;
    }
    return plugin::rate_of(found, samples, usual);
}

}  // namespace

std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        const vdt_image& mask, double threshold, double usual) noexcept {
    return sampled_share(scene, region, pattern, mask, threshold, usual, false);
}

std::optional<double> sampled_hits(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                   double threshold, double usual) noexcept {
    return sampled_share(scene, region, pattern, vdt_image{}, threshold, usual, true);
}

}  // namespace vedette::search
