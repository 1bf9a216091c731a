#include "bound.h"

#include <algorithm>
#include <cmath>

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
    return block / bound.blocks_x / 2 * bound.blocks_x + block % bound.blocks_x;
}

// Factors of the norms of BlockRow, rounded up.
std::vector<float> cell_factors(const Bound& bound, const CellSquares& squares) {
    const double unit = std::sqrt(std::ldexp(1.0, bound.shift) / (bound.shape.w * bound.shape.h));
    std::vector<float> factors;
    for (const double square : squares)
        factors.push_back(static_cast<float>(std::sqrt(std::max(0.0, square)) * unit * (1 + 1e-6)));
    return factors;
}

Means measure(const Pattern& pattern, Bound& bound) {
    const int rows = 2 * bound.pair_rows, columns = bound.blocks_x;
    const int w = bound.shape.w, h = bound.shape.h;
    const std::int64_t inner_area = std::int64_t{rows} * h * columns * w;
    Means means;
    means.block.assign(index(std::int64_t{pattern.channels} * rows * columns), 0);
    CellSquares cells(index(std::int64_t{bound.pair_rows} * columns), 0.0);
    double residual = 0, outer_residual = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double total = 0, inside = 0;
        for (int y = 0; y < pattern.h; ++y)
            for (int x = 0; x < pattern.w; ++x) total += pattern.pixel(c, x, y);
        const double mean = total / static_cast<double>(pattern.area);
        means.pattern[c] = mean;
        double* const block = means.block.data() + index(std::int64_t{c} * rows * columns);
        const auto block_at = [&](int x, int y) {
            const int bx = x - bound.left, by = y - bound.top;
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
    const int rows = 2 * bound.pair_rows, columns = bound.blocks_x;
    const double block_area = bound.shape.w * bound.shape.h;
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
    bound.coefficients.assign(index(std::int64_t{pattern.channels} * bound.pair_rows * columns), 0);
    double error = 0;
    for (int c = 0; c < pattern.channels; ++c) {
        double carry = 0;
        for (int k = 0; k < rows * columns; ++k) {
            const double exact = value(c, k) / bound.scale;
            const double rounded = std::nearbyint(exact + carry);
            carry += exact - rounded;
            error += (exact - rounded) * (exact - rounded);
            const int row = k / columns, column = k % columns;
            auto& pair = bound.coefficients[index((std::int64_t{c} * bound.pair_rows + row / 2) * columns + column)];
            const auto half =
                static_cast<std::uint32_t>(static_cast<std::uint16_t>(static_cast<std::int16_t>(rounded)));
            pair = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) | (row % 2 == 0 ? half : half << 16));
        }
    }
    bound.rounding = std::sqrt(error * block_area) * bound.scale;
}

void add_detail(const Pattern& pattern, Bound& bound, const Means& means) {
    const int rows = 2 * bound.pair_rows, columns = bound.blocks_x;
    const int w = bound.shape.w, h = bound.shape.h;
    double largest = 1e-3;
    const auto mean_of = [&](int c, int k) {
        return means.block[index(std::int64_t{c} * rows * columns + k)] + means.pattern[c];
    };
    const auto each_pixel = [&](int k, const auto& visit) {
        for (int j = 0; j < h; ++j)
            for (int i = 0; i < w; ++i) visit(bound.left + k % columns * w + i, bound.top + k / columns * h + j);
    };
    for (int c = 0; c < pattern.channels; ++c)
        for (int k = 0; k < rows * columns; ++k)
            each_pixel(k, [&](int x, int y) {
                largest = std::max(largest, std::fabs(pattern.pixel(c, x, y) - mean_of(c, k)));
            });
    // Error diffusion moves a value by less than one.
    bound.detail_scale = 62 / largest;
    bound.detail.assign(pattern.coefficients.size(), 0);
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
                bound.detail[index((std::int64_t{c} * pattern.h + y) * pattern.stride + x)] =
                    static_cast<std::int8_t>(rounded);
            });
        }
    bound.cell_error = cell_factors(bound, errors);
}

}  // namespace

bool shape_fits(const Pattern& pattern, BlockShape shape) {
    return shape.w >= 1 && shape.h >= 1 && shape.w * shape.h <= 256 && shape.w <= pattern.w && 2 * shape.h <= pattern.h;
}

Bound make_bound(const Pattern& pattern, BlockShape shape) {
    Bound bound;
    bound.shape = shape;
    bound.blocks_x = pattern.w / shape.w;
    bound.pair_rows = pattern.h / (2 * shape.h);
    const int covered_w = bound.blocks_x * shape.w, covered_h = 2 * bound.pair_rows * shape.h;
    bound.left = (pattern.w - covered_w) / 2;
    bound.top = (pattern.h - covered_h) / 2;
    bound.outer_area = std::int64_t{pattern.w} * pattern.h - std::int64_t{covered_w} * covered_h;
    bound.covered = bound.outer_area == 0;
    // The shift that BlockRow asks for, and 2 is enough for three channels of 256 pixels.
    const double block_area = shape.w * shape.h;
    if (pattern.channels * 2 * 127.5 * 127.5 * block_area * block_area >= 2147483000.0) bound.shift = 2;
    const Means means = measure(pattern, bound);
    quantise(pattern, bound, means);
    add_detail(pattern, bound, means);
    if (!bound.covered)
        for (int c = 0; c < pattern.channels; ++c)
            // Two products, two subtractions, all of at most 128 * inner area * |inner|, each rounded by 2^-24 at most.
            bound.slack += std::fabs(bound.inner[c]) * 128.0 * covered_w * covered_h * 1e-6;
    return bound;
}

std::vector<BlockShape> candidate_shapes(const Pattern& pattern) {
    std::vector<BlockShape> shapes;
    double best_cover = 0;
    const auto cover = [&](BlockShape s) {
        return static_cast<double>(pattern.w / s.w * s.w) * (pattern.h / (2 * s.h) * 2 * s.h) /
               (static_cast<double>(pattern.w) * pattern.h);
    };
    for (const BlockShape shape : {BlockShape{16, 16},
                                   {16, 8},
                                   {8, 16},
                                   {8, 8},
                                   {16, 4},
                                   {8, 4},
                                   {4, 8},
                                   {4, 4},
                                   {2, 4},
                                   {4, 2},
                                   {2, 2},
                                   {12, 6},
                                   {6, 6},
                                   {6, 4},
                                   {12, 4},
                                   {10, 5},
                                   {5, 5},
                                   {3, 3},
                                   {6, 3}}) {
        if (!shape_fits(pattern, shape)) continue;
        const int blocks_x = pattern.w / shape.w, pair_rows = pattern.h / (2 * shape.h),
                  blocks = blocks_x * pair_rows * 2;
        // Not so many blocks that the bound costs as much as a direct search.
        if (blocks > 288 || blocks < 4) continue;
        shapes.push_back(shape);
        best_cover = std::max(best_cover, cover(shape));
    }
    // Shapes that leave more of the window uncovered than others do worse nearly always.
    std::erase_if(shapes, [&](BlockShape shape) { return cover(shape) < best_cover - 0.08; });
    return shapes;
}

}  // namespace vedette::cpu::find
