// With P_j(k) = sum of I(i, j) over i < k, P_j(k) = 0 for k < 0 and = P_j(w) for k > w:
//   T(x, y) = sum over j < y of P_j(x + (y - 1 - j)) - P_j(x - 1 - (y - 1 - j)).
// The first terms lie on lines x + y = const, the second on lines x - y = const; one sum for each line grows with the
// rows: F[x + y] += P_(y-1)(x), R[x - y] += P_(y-1)(x - 1), T(x, y) = F[x + y] - R[x - y]. A line x + y = const enters
// at the right edge with the whole rows' sums that lie before; a line x - y = const enters at the left edge with 0.
//
// Rows are taken in blocks, and the columns of a block in tiles that know nothing of each other: a line that enters a
// tile from beside is added up from the block's first row by that tile too. So every line's sum grows in the order of
// its rows, however the columns are cut, and reals are rounded alike. While the tiles of a block are done, so are the
// sums P of the next one.
#include <algorithm>

#include "ops/integral_sums.h"
#include "parallel.h"

namespace vedette::cpu {

namespace {

// Of a block. More rows: fewer loops, but tiles repeat as many columns on each side.
constexpr std::uint32_t block_rows = 48;
constexpr std::uint32_t rows_of_a_piece = 8;       // of the sums P
constexpr std::uint32_t fewest_columns = 256;      // of a tile
constexpr std::uint64_t fewest_pixels = 1u << 16;  // below, threads take longer to wake than to help

// P(k) for k = 0 .. w goes to prefix[0 .. w]; prefix[-1] and prefix[0] are 0 already.
void sum_row(const IntegralKernels& kernels, const vdt_image& in, std::uint32_t y, const std::uint32_t* zeros,
             std::uint32_t* prefix) {
    kernels.sum_i32(row_of<const std::uint8_t>(in, 0, y), in.width, zeros, prefix + 1);
}

void sum_row(const IntegralKernels& kernels, const vdt_image& in, std::uint32_t y, const double* zeros,
             double* prefix) {
    if (in.format == VDT_FORMAT_GRAYF32)
        kernels.prefix_f32(row_of<const float>(in, 0, y), in.width, false, prefix + 1);
    else
        kernels.sum_f64(row_of<const std::uint8_t>(in, 0, y), in.width, zeros, prefix + 1);
}

struct TiltedKernels32 {
    const IntegralKernels& k;
    void step(const std::uint32_t* prefix, std::uint32_t* falling, std::uint32_t* rising, std::uint32_t* out,
              std::uint32_t count) const {
        k.tilted_i32(prefix, falling, rising, out, count);
    }
    void add(const std::uint32_t* by, std::uint32_t count, std::uint32_t* sums) const { k.add_i32(by, count, sums); }
};
struct TiltedKernels64 {
    const IntegralKernels& k;
    void step(const double* prefix, double* falling, double* rising, double* out, std::uint32_t count) const {
        k.tilted_f64(prefix, falling, rising, out, count);
    }
    void add(const double* by, std::uint32_t count, double* sums) const { k.add_f64(by, count, sums); }
};
TiltedKernels32 tilted_kernels(const IntegralKernels& k, const std::uint32_t*) {
    return {k};
}
TiltedKernels64 tilted_kernels(const IntegralKernels& k, const double*) {
    return {k};
}

}  // namespace

// How the columns are cut, and what lies where in the scratch, in elements.
struct TiltedSums::Layout {
    std::uint32_t tile_columns, tiles;
    std::uint64_t pitch;                                // of a row of P
    std::uint64_t zeros, prefix, lines, whole, worker;  // begins
    std::uint64_t worker_elements;                      // a tile's own lines
    std::uint64_t all;
};

TiltedSums::Layout TiltedSums::layout_of(const Device& device, std::uint32_t width, std::uint32_t height) {
    Layout l{};
    const std::uint32_t columns = width + 1;
    const bool shared = std::uint64_t{width} * height >= fewest_pixels;
    const std::uint32_t most = shared ? std::max(1u, std::min(device.workers, columns / fewest_columns)) : 1;
    l.tile_columns = (columns + most - 1) / most;
    l.tiles = (columns + l.tile_columns - 1) / l.tile_columns;
    l.pitch = std::uint64_t{width} + 2;
    l.prefix = l.zeros + width;
    l.lines = l.prefix + 2 * block_rows * l.pitch;   // of two blocks
    l.whole = l.lines + std::uint64_t{4} * columns;  // both kinds, of two rows
    l.worker = l.whole + block_rows;
    l.worker_elements = 2 * (std::uint64_t{l.tile_columns} + block_rows);
    l.all = l.worker + l.worker_elements * device.workers;
    return l;
}

TiltedSums::TiltedSums(const Device& device, std::uint32_t width, std::uint32_t height)
    : device_(device),
      kernels_(integral_kernels_of(device.isa)),
      scratch_(std::make_unique<std::byte[]>(scratch_bytes(device, width, height))) {}

std::uint64_t TiltedSums::scratch_bytes(const Device& device, std::uint32_t width, std::uint32_t height) {
    return sizeof(double) * layout_of(device, width, height).all;
}

std::uint32_t TiltedSums::tile_count(const Device& device, std::uint32_t width, std::uint32_t height) {
    return layout_of(device, width, height).tiles;
}

void TiltedSums::run(const vdt_image& in, const IntegralTarget& target, vdt_token* token) {
    if (target.is_real())
        run_as<double>(in, target, token);
    else
        run_as<std::uint32_t>(in, target, token);
}

template <class Sum>
void TiltedSums::run_as(const vdt_image& in, const IntegralTarget& target, vdt_token* token) {
    static_assert(sizeof(Sum) <= sizeof(double));
    const Layout l = layout_of(device_, in.width, in.height);
    Sum* const scratch = static_cast<Sum*>(static_cast<void*>(scratch_.get()));
    std::fill(scratch, scratch + l.worker, Sum{0});
    Sum* const whole = scratch + l.whole;
    const std::uint32_t columns = in.width + 1;
    // P of output row y; its element -1 is 0.
    const auto prefix_of = [&](std::uint32_t y) {
        const std::uint32_t row = (y - 1) % (2 * block_rows);
        return scratch + l.prefix + row * l.pitch + 1;
    };
    const auto sum_piece = [&](std::uint32_t first, std::uint32_t end, std::uint32_t piece) {
        const std::uint32_t from = first + piece * rows_of_a_piece;
        for (std::uint32_t y = from; y < std::min(end, from + rows_of_a_piece); ++y)
            sum_row(kernels_, in, y - 1, scratch + l.zeros, prefix_of(y));
    };
    const auto pieces_of = [](std::uint32_t rows) { return (rows + rows_of_a_piece - 1) / rows_of_a_piece; };
    const auto for_all = [&](std::uint32_t count, const auto& item) {
        const auto items = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
            for (std::uint32_t index = begin; index < end; ++index) item(index, worker);
        };
        if (l.tiles == 1) {
            throw_if_cancelled(device_, token);
            items(0, count, 0);
        } else {
            parallel_for(device_, token, 0, count, 1, items);
        }
    };
    target.clear_first_row();
    const std::uint32_t rows_end = in.height + 1;  // output rows 1 .. height
    const std::uint32_t first_end = 1 + std::min(block_rows, in.height);
    for_all(pieces_of(first_end - 1), [&](std::uint32_t piece, std::uint32_t) { sum_piece(1, first_end, piece); });
    Sum before = 0;  // whole rows above the one that a line enters at
    for (std::uint32_t begin = 1, block = 0; begin < rows_end; ++block) {
        const std::uint32_t end = begin + std::min(block_rows, rows_end - begin);
        const std::uint32_t next_end = end + std::min(block_rows, rows_end - end);
        for (std::uint32_t y = begin; y < end; ++y) {
            whole[y - begin] = before;
            before += prefix_of(y)[in.width];
        }
        // Both kinds of lines at the row above the block, and at its last row.
        const Sum* const above = scratch + l.lines + std::uint64_t{2} * columns * (block % 2);
        Sum* const below = scratch + l.lines + std::uint64_t{2} * columns * ((block + 1) % 2);
        for_all(l.tiles + pieces_of(next_end - end), [&](std::uint32_t index, std::uint32_t worker) {
            if (index >= l.tiles) return sum_piece(end, next_end, index - l.tiles);
            const std::uint32_t left = index * l.tile_columns;
            const Tile tile{begin, end, left, std::min(columns, left + l.tile_columns)};
            run_tile<Sum>(target, tile, columns, prefix_of, whole, above, below,
                          scratch + l.worker + l.worker_elements * worker);
        });
        begin = end;
    }
}

template <class Sum, class PrefixOf>
void TiltedSums::run_tile(const IntegralTarget& target, const Tile& tile, std::uint32_t columns,
                          const PrefixOf& prefix_of, const Sum* whole, const Sum* above, Sum* below, Sum* lines) const {
    const auto kernels = tilted_kernels(kernels_, lines);
    const std::uint32_t rows = tile.end - tile.begin, width = tile.right - tile.left;
    // The line through column x of the block's row r: falling[x - left + r] and rising[x - left + (rows - 1) - r].
    Sum* const falling = lines;
    Sum* const rising = lines + width + block_rows;
    const std::uint32_t falling_end = std::min(columns - 1, tile.right + rows - 1);  // with a line above on its right
    for (std::uint32_t x = tile.left; x < falling_end; ++x) falling[x - tile.left] = above[x + 1];
    const std::uint32_t reach = rows - 1, outside = reach - std::min(reach, tile.left);
    std::fill(rising, rising + outside, Sum{0});  // lines that enter at the left edge
    for (std::uint32_t i = outside; i < width + reach; ++i) {
        const std::uint32_t x = tile.left + i - reach;
        rising[i] = x == 0 ? Sum{0} : above[columns + x - 1];
    }
    for (std::uint32_t r = 0; r < rows; ++r) {
        const std::uint32_t left_over =
            reach - r;  // rows of the block below this one: so far do lines come from beside
        const Sum* const prefix = prefix_of(tile.begin + r);
        const std::uint32_t right = std::min(columns, tile.right + left_over);
        if (right == columns) falling[columns - 1 - tile.left + r] = whole[r];
        kernels.add(prefix + tile.right, right - tile.right, falling + width + r);
        const std::uint32_t beside = std::min(left_over, tile.left);
        kernels.add(prefix + (tile.left - beside) - 1, beside, rising + left_over - beside);
        kernels.step(prefix + tile.left, falling + r, rising + left_over, target.row<Sum>(tile.begin + r) + tile.left,
                     width);
    }
    std::copy_n(falling + reach, width, below + tile.left);
    std::copy_n(rising, width, below + columns + tile.left);
}

}  // namespace vedette::cpu
