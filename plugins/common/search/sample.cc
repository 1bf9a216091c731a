#include "search/sample.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace vedette::search {
namespace {

constexpr int most_side = 7;  // blocks each way: 49, and the planner takes about 48 of them
constexpr int most_channels = 3;
constexpr int fewest_pixels_across = 32;  // of a large pattern: it is looked at in steps
constexpr std::uint32_t most_values = 200000, fewest_samples = 8;

// A window cut into across x down blocks, every pixel in one of them: sums of a block's values and of their squares.
struct Blocks {
    std::array<double, most_side * most_side * most_channels> sum{}, square{};
    double sums[most_channels] = {}, squares = 0;
};

// Every `step`th pixel each way, w x h of them, in across x down blocks.
struct Grid {
    int step, w, h, channels, across, down;
    std::array<int, most_side + 1> left{}, top{};       // where blocks begin, and the last ends
    std::array<double, most_side * most_side> areas{};  // of one channel's blocks

    Grid(const vdt_image& pattern, int pixel_channels)
        : step(std::max(1, static_cast<int>(std::min(pattern.width, pattern.height)) / fewest_pixels_across)),
          w((static_cast<int>(pattern.width) - 1) / step + 1),
          h((static_cast<int>(pattern.height) - 1) / step + 1),
          channels(pixel_channels),
          across(std::min(most_side, w / 2)),
          down(std::min(most_side, h / 2)) {
        for (int i = 0; i <= across && across > 0; ++i) left[static_cast<std::size_t>(i)] = w * i / across;
        for (int j = 0; j <= down && down > 0; ++j) top[static_cast<std::size_t>(j)] = h * j / down;
        for (int j = 0; j < down; ++j)
            for (int i = 0; i < across; ++i)
                areas[static_cast<std::size_t>(j * across + i)] =
                    static_cast<double>((end_of(left, i) - left[static_cast<std::size_t>(i)]) *
                                        (end_of(top, j) - top[static_cast<std::size_t>(j)]));
    }
    static int end_of(const std::array<int, most_side + 1>& edges, int i) {
        return edges[static_cast<std::size_t>(i) + 1];
    }
    int cells() const { return across * down; }
    double area(int cell) const { return areas[static_cast<std::size_t>(cell)]; }
    int cell_of(int x, int y) const {
        // The first block that ends beyond the pixel: block i ends at w (i + 1) / across, rounded down.
        return ((y + 1) * down - 1) / h * across + ((x + 1) * across - 1) / w;
    }
};

Blocks blocks_of(const vdt_image& image, std::uint32_t x, std::uint32_t y, const Grid& grid) {
    constexpr int most_columns = 64;  // that are added up together
    Blocks blocks;
    const int channels = grid.channels;
    for (int j = 0; j < grid.down; ++j) {
        for (int first = 0, i = 0; first < grid.w; first += most_columns) {
            const int columns = std::min(most_columns, grid.w - first), values = columns * channels;
            std::int32_t sum[most_columns * most_channels], square[most_columns * most_channels];
            std::int16_t value[most_columns * most_channels];
            std::fill_n(sum, values, 0);
            std::fill_n(square, values, 0);
            for (int row = grid.top[static_cast<std::size_t>(j)]; row < Grid::end_of(grid.top, j); ++row) {
                const auto* pixel =
                    plugin::row_of<const std::uint8_t>(image, 0, y + static_cast<std::uint32_t>(row * grid.step)) +
                    (std::size_t{x} + static_cast<std::size_t>(first * grid.step)) * static_cast<std::size_t>(channels);
                if (grid.step == 1)
                    for (int k = 0; k < values; ++k) value[k] = static_cast<std::int16_t>(pixel[k] - 128);
                else if (channels == 1)
                    for (int k = 0; k < columns; ++k, pixel += grid.step)
                        value[k] = static_cast<std::int16_t>(*pixel - 128);
                else
                    for (int k = 0; k < values; k += channels, pixel += grid.step * channels)
                        for (int c = 0; c < channels; ++c) value[k + c] = static_cast<std::int16_t>(pixel[c] - 128);
                for (int k = 0; k < values; ++k) {
                    sum[k] += value[k];
                    square[k] += static_cast<std::int16_t>(value[k] * value[k]);  // 2^14 at most
                }
            }
            for (int k = 0; k < columns; ++i) {
                const int end = std::min(Grid::end_of(grid.left, i) - first, columns);
                for (int c = 0; c < channels; ++c) {
                    std::int64_t of_block = 0, squares = 0;
                    for (int at = k; at < end; ++at) {
                        of_block += sum[at * channels + c];
                        squares += square[at * channels + c];
                    }
                    const auto at = static_cast<std::size_t>((c * grid.down + j) * grid.across + i);
                    blocks.sum[at] += static_cast<double>(of_block);
                    blocks.square[at] += static_cast<double>(squares);
                    blocks.sums[c] += static_cast<double>(of_block);
                    blocks.squares += static_cast<double>(squares);
                }
                k = end;
                if (end + first < Grid::end_of(grid.left, i)) break;  // goes on in the next columns
            }
        }
    }
    return blocks;
}

double detail_of(const Blocks& blocks, std::size_t block, double area) {
    return std::sqrt(std::max(0.0, blocks.square[block] - blocks.sum[block] * blocks.sum[block] / area));
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
    for (int j = 0; j < grid.h; ++j) {
        const auto row = static_cast<std::uint32_t>(j * grid.step);
        const auto* const a = plugin::row_of<const std::uint8_t>(scene, 0, y + row) + left;
        const auto* const b = plugin::row_of<const std::uint8_t>(pattern, 0, row);
        std::int64_t of_row = 0;
        for (int i = 0; i < grid.w; ++i)
            for (int k = i * grid.step * grid.channels, c = 0; c < grid.channels; ++c)
                of_row += (a[k + c] - 128) * (b[k + c] - 128);
        sum += static_cast<double>(of_row);
    }
    for (int c = 0; c < grid.channels; ++c) sum -= window.sums[c] * own.sums[c] / (grid.w * grid.h);
    return sum;
}

// A pattern's blocks: means about the pattern's, and norms of what is not constant in them.
struct Own {
    std::array<double, most_side * most_side * most_channels> mean{}, detail{};
};

Own own_of(const Blocks& blocks, const Grid& grid) {
    Own own;
    for (int c = 0; c < grid.channels; ++c)
        for (int cell = 0; cell < grid.cells(); ++cell) {
            const auto at = static_cast<std::size_t>(c * grid.cells() + cell);
            own.mean[at] = blocks.sum[at] / grid.area(cell) - blocks.sums[c] / (grid.w * grid.h);
            own.detail[at] = detail_of(blocks, at, grid.area(cell));
        }
    return own;
}

// The most that the sum of products can be, from the blocks alone.
double most_covariance(const Blocks& window, const Own& own, const Grid& grid) {
    double most = 0;
    for (int c = 0; c < grid.channels; ++c)
        for (int cell = 0; cell < grid.cells(); ++cell) {
            const auto at = static_cast<std::size_t>(c * grid.cells() + cell);
            most += window.sum[at] * own.mean[at] + detail_of(window, at, grid.area(cell)) * own.detail[at];
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
        const auto* const row =
            plugin::row_of<const std::uint8_t>(pattern, 0, static_cast<std::uint32_t>(y * grid.step));
        for (int x = 0; x < grid.w; ++x) {
            if (!is_taken(mask, x * grid.step, y * grid.step)) continue;
            ++taken[static_cast<std::size_t>(grid.cell_of(x, y))];
            ++count;
            for (int c = 0; c < grid.channels; ++c) {
                const double value = row[x * grid.step * grid.channels + c] - 128;
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

// Windows that are looked at, each with whether it survives, or with whether it is a hit.
std::size_t look(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern, const vdt_image& mask,
                 double threshold, bool hits, std::span<SampledWindow> windows) noexcept {
    const bool is_masked = mask.format != VDT_FORMAT_NONE;
    if (!plugin::has_pixels(scene) || !plugin::has_pixels(pattern) || (is_masked && !plugin::has_pixels(mask)))
        return 0;
    const int channels = static_cast<int>(plugin::layout_of(pattern.format)->pixel_elements);
    if (channels > most_channels || pattern.format != scene.format) return 0;
    const int width = static_cast<int>(pattern.width), height = static_cast<int>(pattern.height);
    const Grid grid(pattern, channels);
    if (grid.across == 0 || grid.down == 0 || region.w < width || region.h < height) return 0;
    const Blocks own = blocks_of(pattern, 0, 0, grid);
    const double own_norm = norm_of(own, grid);
    const Own parts = own_of(own, grid);
    Masked masked;
    bool all = false;
    if (is_masked) {
        masked = masked_of(pattern, mask, own, grid);
        // No block lies in the mask: nothing bounds a score.
        all = masked.area == 0;
        // What is not in these blocks reaches the threshold by itself; the finer ones that a search takes then are too
        // many for a look.
        if (!all && threshold * masked.norm <= 1.02 * masked.residual) return 0;
    }
    const auto columns = static_cast<std::uint32_t>(region.w - width + 1);
    const auto rows = static_cast<std::uint32_t>(region.h - height + 1);
    const std::size_t samples = std::min<std::size_t>(
        std::max(most_values / static_cast<std::uint32_t>(grid.w * grid.h * channels), fewest_samples), windows.size());
    for (std::size_t k = 0; k < samples; ++k) {
        const plugin::SamplePlace place = plugin::sample_place(static_cast<std::uint32_t>(k), columns, rows);
        SampledWindow& one = windows[k];
        one = {place.x, place.y, all};
        if (all) continue;
        const std::uint32_t x = static_cast<std::uint32_t>(region.x) + place.x;
        const std::uint32_t y = static_cast<std::uint32_t>(region.y) + place.y;
        const Blocks window = blocks_of(scene, x, y, grid);
        if (is_masked) {
            one.found = survives(window, masked, threshold, grid);
            continue;
        }
        const double norm = norm_of(window, grid);
        const double least = (threshold - 0.001) * own_norm * norm;
        if (norm <= 0 || most_covariance(window, parts, grid) < least) continue;
        one.found = !hits || covariance_of(scene, x, y, pattern, window, own, grid) >= least;
    }
    return samples;
}

std::optional<double> share_of(std::span<const SampledWindow> windows, double usual) noexcept {
    if (windows.empty()) return std::nullopt;
    const auto found = std::count_if(windows.begin(), windows.end(), [](const SampledWindow& w) { return w.found; });
    // Every one: the bound cannot keep any out.
    if (static_cast<std::size_t>(found) == windows.size()) return 1;
    return plugin::rate_of(static_cast<double>(found), static_cast<double>(windows.size()), usual);
}

}  // namespace

std::size_t sample_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                             const vdt_image& mask, double threshold, std::span<SampledWindow> windows) noexcept {
    return look(scene, region, pattern, mask, threshold, false, windows);
}

std::optional<double> sampled_survivors(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                        const vdt_image& mask, double threshold, double usual) noexcept {
    std::array<SampledWindow, most_sampled_windows> windows;
    return share_of({windows.data(), look(scene, region, pattern, mask, threshold, false, windows)}, usual);
}

std::optional<double> sampled_hits(const vdt_image& scene, const vdt_rect& region, const vdt_image& pattern,
                                   double threshold, double usual) noexcept {
    std::array<SampledWindow, most_sampled_windows> windows;
    return share_of({windows.data(), look(scene, region, pattern, vdt_image{}, threshold, true, windows)}, usual);
}

}  // namespace vedette::search
