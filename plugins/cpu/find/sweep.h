// One worker's pass over a rectangle of positions, row by row: running window sums, rings of paired block rows, and a
// callback for each row of positions. All scratch lies here and is reused from call to call.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.h"
#include "scene.h"

namespace vedette::cpu::find {

// Positions of a unit across: what is kept of its rows stays in a second-level cache of 512 KiB up to grids of about
// 100 rows of gray.
constexpr int strip_columns = 512;

// Positions [x, x + columns) x [y, y + rows) of the region.
struct Unit {
    int x = 0, y = 0, columns = 0, rows = 0;
};

// Which sums a sweep keeps for windows of w x h.
struct SweepShape {
    int w = 0, h = 0;
    int block_w = 1, block_h = 1;
    int blocks_x = 0, pair_rows = 0;  // in a window; pair_rows = 0: no blocks, only window sums
    int left = 0, top = 0;            // of the first block; top -1: the first pair begins a row above the window
    int shift = 0;                    // of the squares in norms
    bool window_sums = true;
    bool norms = false;         // of what is left of block pairs without their means
    bool pair_squares = false;  // with norms: sums of squares of block pairs
    bool inner_sums = false;    // of the rectangle of all blocks, beside those of the window
    int high_shift = 0;         // squares exceed 32 bits, and so many bits of a column's are left out of their highest
    bool squares = false;       // pairs of squared pixels: squares[channel * pair_rows + j]
};

// Pixels one by one: pairs of rows for direct correlation.
SweepShape dense_shape(int w, int h);

// What a callback sees of a row of positions; columns are counted from the unit's x. Row pointers: [channel * pair_rows
// + j].
struct SweepRow {
    int y = 0;  // in the region
    const std::int32_t* sum[max_channels] = {};
    const std::int32_t* square = nullptr;
    const std::int32_t* inner_sum[max_channels] = {};
    const std::int32_t* inner_square = nullptr;
    // Sums of a window's column sums shifted right by high_shift; NULL without it.
    const std::int32_t* square_high = nullptr;
    const std::int32_t* inner_square_high = nullptr;
    std::vector<const std::int32_t*> pair, squares;
    std::vector<const std::int32_t*> pair_square;  // [j]
    std::vector<const float*> norm;                // [j]
};

class Sweep {
public:
    // Calls row(const SweepRow&) for each row of the unit, downwards, until it returns false.
    template <class Row>
    void run(const Kernels& kernels, const Scene& scene, const SweepShape& shape, const Unit& unit, const Row& row) {
        begin(kernels, scene, shape, unit);
        for (int step = 0; step < steps_; ++step)
            if (advance(step) && !row(row_)) return;
    }

private:
    void begin(const Kernels& kernels, const Scene& scene, const SweepShape& shape, const Unit& unit);
    bool advance(int step);  // true when a row of positions is complete
    void window_columns(int step);
    void blocks(int step);  // the row that enters the lowest blocks
    void pair_rows(int step);
    void add_squares(int step);

    // Rows of values of equal length, addressed modulo their number.
    template <class T>
    struct Ring {
        std::vector<T> values;
        std::size_t stride = 0;
        int count = 1;
        void reset(int rows, std::size_t length) {
            stride = length;
            count = rows;
            if (values.size() < stride * static_cast<std::size_t>(rows))
                values.resize(stride * static_cast<std::size_t>(rows));
        }
        T* row(int i) { return values.data() + static_cast<std::size_t>(i % count) * stride; }
    };

    const std::uint8_t* pixels(int channel, int step) const;

    const Kernels* kernels_ = nullptr;
    const Scene* scene_ = nullptr;
    SweepShape shape_;
    Unit unit_;
    int channels_ = 1, steps_ = 0, lead_ = 0, columns_ = 0, positions_ = 0;
    // Steps: the blocks' first row, and how far the row that enters them lags behind the one that enters windows. Pairs
    // are made as late as they are needed, so that few of them are kept.
    int block_first_ = 0, block_lag_ = 0;
    SweepRow row_;
    std::vector<std::uint8_t> neutral_;  // pixels of value 128
    // Running sums over columns and windows.
    struct Running {
        std::vector<std::int32_t> column[max_channels], column_square, sum[max_channels], square, square_high;
    };
    void begin(Running& sums, std::size_t columns, std::size_t positions);
    void window_sums(Running& sums, int width);
    Running window_, inner_;
    std::vector<std::int32_t> column_pair_square_, scratch_;
    std::vector<std::int16_t> block_column_[max_channels];
    Ring<std::int16_t> block_[max_channels], square_block_[max_channels];
    Ring<std::int32_t> pair_[max_channels], pair_square_, squares_[max_channels];
    Ring<float> norm_;
};

}  // namespace vedette::cpu::find
