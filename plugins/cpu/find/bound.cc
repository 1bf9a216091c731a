#include "bound.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "rectangle_sums.h"

namespace vedette::cpu::find {
namespace {

std::size_t index(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

// Means of T0 over blocks, inside and outside; the norms of both parts.
struct Means {
    std::vector<double> block;  // [channel][row][column]
    double pattern[max_channels] = {};
};

// Squares of the norms of the detail, [pair row][column].
using CellSquares = std::vector<double>;

int cell_of(const Bound& bound, int block) {
    const int columns = bound.grid.columns;
    return block / columns / 2 * columns + block % columns;
}

// Factors of the norms of BlockRow, rounded up.
std::vector<float> cell_factors(const Bound& bound, const CellSquares& squares) {
    const double unit = std::sqrt(std::ldexp(1.0, bound.shift) / (bound.grid.block.w * bound.grid.block.h));
    std::vector<float> factors;
    for (const double square : squares)
        factors.push_back(static_cast<float>(std::sqrt(std::max(0.0, square)) * unit * (1 + 1e-6)));
    return factors;
}

Means measure(const Pattern& pattern, Bound& bound) {
    const BlockGrid& grid = bound.grid;
    const int rows = 2 * grid.pair_rows, columns = grid.columns;
    const int w = grid.block.w, h = grid.block.h;
    const std::int64_t inner_area = std::int64_t{rows} * h * columns * w;
    Means means;
    means.block.assign(index(std::int64_t{pattern.channels} * rows * columns), 0);
    CellSquares cells(index(std::int64_t{grid.pair_rows} * columns), 0.0);
    double residual = 0, outer_residual = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double total = 0, inside = 0;
        for (int y = 0; y < pattern.h; ++y)
            for (int x = 0; x < pattern.w; ++x) total += pattern.pixel(c, x, y);
        const double mean = total / static_cast<double>(pattern.area);
        means.pattern[c] = mean;
        double* const block = means.block.data() + index(std::int64_t{c} * rows * columns);
        const auto block_at = [&](int x, int y) {
            const int bx = x - grid.left, by = y - grid.top;
            if (bx < 0 || by < 0 || bx >= columns * w || by >= rows * h) return -1;
            return by / h * columns + bx / w;
        };
        for (int y = 0; y < pattern.h; ++y)
            for (int x = 0; x < pattern.w; ++x)
                if (const int b = block_at(x, y); b >= 0) block[b] += pattern.pixel(c, x, y) - mean;
        for (int k = 0; k < rows * columns; ++k) {
            inside += block[k];
            block[k] /= w * h;
        }
        bound.inner[c] = inside / static_cast<double>(inner_area);
        bound.outer[c] = bound.covered ? 0 : -inside / static_cast<double>(bound.outer_area);
        for (int y = 0; y < pattern.h; ++y)
            for (int x = 0; x < pattern.w; ++x) {
                const int b = block_at(x, y);
                const double d = pattern.pixel(c, x, y) - mean - (b >= 0 ? block[b] : bound.outer[c]);
                (b >= 0 ? residual : outer_residual) += d * d;
                if (b >= 0) cells[index(cell_of(bound, b))] += d * d;
            }
    }
    bound.residual = std::sqrt(residual);
    bound.outer_residual = std::sqrt(outer_residual);
    bound.cell = cell_factors(bound, cells);
    return means;
}

// Rounds block means to scale * q. The scale keeps sum |q| |block sum| below 2^31.
void quantise(const Pattern& pattern, Bound& bound, const Means& means) {
    const int rows = 2 * bound.grid.pair_rows, columns = bound.grid.columns;
    const double block_area = bound.grid.block.w * bound.grid.block.h;
    double largest = 0, total = 0;
    const auto value = [&](int c, int k) {
        return means.block[index(std::int64_t{c} * rows * columns + k)] - bound.inner[c];
    };
    for (int c = 0; c < pattern.channels; ++c)
        for (int k = 0; k < rows * columns; ++k) {
            largest = std::max(largest, std::fabs(value(c, k)));
            total += std::fabs(value(c, k));
        }
    // Error diffusion moves each q by less than one, hence the room for one a block.
    const double room = 2147483000.0 / (128 * block_area) - static_cast<double>(means.block.size());
    bound.scale = static_cast<double>(static_cast<float>(std::max({largest / 32000, total / room, 1e-6}) * 1.000001));
    bound.coefficients.assign(index(std::int64_t{pattern.channels} * bound.grid.pair_rows * columns), 0);
    double error = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double carry = 0;
        for (int k = 0; k < rows * columns; ++k) {
            const double exact = value(c, k) / bound.scale;
            const double rounded = std::nearbyint(exact + carry);
            carry += exact - rounded;
            error += (exact - rounded) * (exact - rounded);
            const int row = k / columns, column = k % columns;
            auto& pair =
                bound.coefficients[index((std::int64_t{c} * bound.grid.pair_rows + row / 2) * columns + column)];
            const auto half =
                static_cast<std::uint32_t>(static_cast<std::uint16_t>(static_cast<std::int16_t>(rounded)));
            pair = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) | (row % 2 == 0 ? half : half << 16));
        }
    }
    bound.rounding = std::sqrt(error * block_area) * bound.scale;
}

void add_detail(const Pattern& pattern, Bound& bound, const Means& means) {
    const BlockGrid& grid = bound.grid;
    const int rows = 2 * grid.pair_rows, columns = grid.columns;
    const int w = grid.block.w, h = grid.block.h;
    double largest = 1e-3;
    const auto mean_of = [&](int c, int k) {
        return means.block[index(std::int64_t{c} * rows * columns + k)] + means.pattern[c];
    };
    const auto each_pixel = [&](int k, const auto& visit) {
        for (int j = 0; j < h; ++j)
            for (int i = 0; i < w; ++i) visit(grid.left + k % columns * w + i, grid.top + k / columns * h + j);
    };
    for (int c = 0; c < pattern.channels; ++c)
        for (int k = 0; k < rows * columns; ++k)
            each_pixel(k, [&](int x, int y) {
                largest = std::max(largest, std::fabs(pattern.pixel(c, x, y) - mean_of(c, k)));
            });
    // Error diffusion moves a value by less than one.
    bound.detail_scale = 62 / largest;
    bound.detail_stride = (grid.covered_w() + 31) / 32 * 32;
    bound.detail.assign(index(std::int64_t{pattern.channels} * grid.covered_h() * bound.detail_stride), 0);
    CellSquares errors(bound.cell.size(), 0.0);
    for (int c = 0; c < pattern.channels; ++c)
        for (int k = 0; k < rows * columns; ++k) {
            const double mean = mean_of(c, k);
            double carry = 0;
            each_pixel(k, [&](int x, int y) {
                const double exact = pattern.pixel(c, x, y) - mean;
                const double rounded = std::nearbyint(exact * bound.detail_scale + carry);
                carry += exact * bound.detail_scale - rounded;
                const double lost = exact - rounded / bound.detail_scale;
                errors[index(cell_of(bound, k))] += lost * lost;
                const std::int64_t line = std::int64_t{c} * grid.covered_h() + y - grid.top;
                bound.detail[index(line * bound.detail_stride + x - grid.left)] = static_cast<std::int8_t>(rounded);
            });
        }
    bound.cell_error = cell_factors(bound, errors);
}

constexpr BlockShape shapes[] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {16, 4}, {8, 4},  {4, 8}, {4, 4}, {2, 4}, {4, 2},
                                 {2, 2},   {12, 6}, {6, 6},  {6, 4}, {12, 4}, {10, 5}, {5, 5}, {3, 3}, {6, 3}};

constexpr int most_blocks = 480;
// Of a pattern, at most so many times the pixels that the blocks can cover: of less than a quarter they tell little.
constexpr std::int64_t most_parts = 4;

// Too large for blocks over all of it.
bool takes_parts(const Pattern& pattern) {
    return (pattern.w / 16) * (pattern.h / 32) * 2 > most_blocks &&
           std::int64_t{pattern.w} * pattern.h <= most_parts * most_blocks * 256;
}

// As many of the largest blocks as are allowed: as wide as the pattern, of its shape, or as high.
std::span<BlockGrid> grids_of_parts(const Pattern& pattern, GridRoom& room) {
    constexpr int side = 16;
    const int across = pattern.w / side, down = pattern.h / (2 * side);
    const double shrinking = std::sqrt(most_blocks / (2.0 * across * down));
    std::size_t count = 0;
    for (const int columns : {across, static_cast<int>(shrinking * across), most_blocks / (2 * down)}) {
        BlockGrid grid;
        grid.block = {side, side};
        grid.columns = std::clamp(columns, 1, across);
        grid.pair_rows = std::min(down, most_blocks / (2 * grid.columns));
        if (grid.pair_rows >= 1) room[count++] = grid;
    }
    return {room.begin(), count};
}

}  // namespace

bool shape_fits(const Pattern& pattern, BlockShape shape) {
    return shape.w >= 1 && shape.h >= 1 && shape.w * shape.h <= 256 && shape.w <= pattern.w && 2 * shape.h <= pattern.h;
}

BlockGrid whole_grid(const Pattern& pattern, BlockShape shape) {
    BlockGrid grid;
    grid.block = shape;
    grid.columns = pattern.w / shape.w;
    grid.pair_rows = pattern.h / (2 * shape.h);
    grid.left = (pattern.w - grid.covered_w()) / 2;
    grid.top = (pattern.h - grid.covered_h()) / 2;
    return grid;
}

Bound make_bound(const Pattern& pattern, const BlockGrid& grid) {
    Bound bound;
    bound.grid = grid;
    const double inner_area = static_cast<double>(grid.covered_w()) * grid.covered_h();
    bound.outer_area = std::int64_t{pattern.w} * pattern.h - std::int64_t{grid.covered_w()} * grid.covered_h();
    bound.covered = bound.outer_area == 0;
    // The shift that BlockRow asks for, and 2 is enough for three channels of 256 pixels.
    const double block_area = grid.block.w * grid.block.h;
    if (pattern.channels * 2 * 127.5 * 127.5 * block_area * block_area >= 2147483000.0) bound.shift = 2;
    const Means means = measure(pattern, bound);
    quantise(pattern, bound, means);
    add_detail(pattern, bound, means);
    if (!bound.covered)
        for (int c = 0; c < pattern.channels; ++c)
            // Two products, two subtractions, all of at most 128 * inner area * |inner|, each rounded by 2^-24 at most.
            bound.slack += std::fabs(bound.inner[c]) * 128.0 * inner_area * 1e-6;
    return bound;
}

std::span<BlockGrid> candidate_grids(const Pattern& pattern, GridRoom& room) {
    static_assert(std::size(shapes) <= most_grids);
    if (takes_parts(pattern)) return grids_of_parts(pattern, room);
    std::size_t count = 0;
    double best_cover = 0;
    const auto cover = [&](const BlockGrid& grid) {
        return static_cast<double>(grid.covered_w()) * grid.covered_h() / (static_cast<double>(pattern.w) * pattern.h);
    };
    for (const BlockShape shape : shapes) {
        if (!shape_fits(pattern, shape)) continue;
        const BlockGrid grid = whole_grid(pattern, shape);
        // Not so many blocks that the bound costs as much as a direct search.
        if (grid.blocks() > most_blocks || grid.blocks() < 4) continue;
        room[count++] = grid;
        best_cover = std::max(best_cover, cover(grid));
    }
    // Shapes that leave more of the pattern uncovered than others do worse nearly always.
    const auto end = std::remove_if(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count),
                                    [&](const BlockGrid& grid) { return cover(grid) < best_cover - 0.08; });
    return {room.begin(), end};
}

void lay_over_contrast(const Pattern& pattern, std::span<BlockGrid> grids) {
    if (!takes_parts(pattern)) return;
    constexpr int step = 8;
    RectangleSums square, sum[max_channels];
    const auto shifted = [&](int c, int x, int y) { return static_cast<double>(pattern.pixel(c, x, y)) - 128; };
    square.set(pattern.w, pattern.h, [&](int x, int y) {
        double total = 0;
        for (int c = 0; c < pattern.channels; ++c) total += shifted(c, x, y) * shifted(c, x, y);
        return total;
    });
    for (int c = 0; c < pattern.channels; ++c)
        sum[c].set(pattern.w, pattern.h, [&](int x, int y) { return shifted(c, x, y); });
    for (BlockGrid& grid : grids) {
        // The squared norm of what lies outside, about its own mean.
        const auto outside = [&](int left, int top) {
            const auto rest = [&](const RectangleSums& sums) {
                return sums.of(0, 0, pattern.w, pattern.h) - sums.of(left, top, grid.covered_w(), grid.covered_h());
            };
            const double area =
                static_cast<double>(pattern.w) * pattern.h - static_cast<double>(grid.covered_w()) * grid.covered_h();
            double left_out = rest(square);
            for (int c = 0; c < pattern.channels; ++c) left_out -= rest(sum[c]) * rest(sum[c]) / area;
            return left_out;
        };
        double least = HUGE_VAL;
        for (int top = 0; top + grid.covered_h() <= pattern.h; top += step)
            for (int left = 0; left + grid.covered_w() <= pattern.w; left += step)
                if (const double here = outside(left, top); here < least) {
                    least = here;
                    grid.left = left;
                    grid.top = top;
                }
    }
}

}  // namespace vedette::cpu::find
