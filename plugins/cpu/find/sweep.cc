#include "sweep.h"

#include <algorithm>

namespace vedette::cpu::find {
namespace {

// Sums begin one element late, so that element -1 may be read.
constexpr std::size_t front = 64;

// Rows fetched ahead of the one that enters: measured on a 2-core Zen 3 VM, 2 to 8 are alike.
constexpr int rows_ahead = 4;

template <class T>
void clear(std::vector<T>& values, std::size_t count, T value = T{}) {
    if (values.size() < count) values.resize(count);
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), value);
}

template <class T>
void grow(std::vector<T>& values, std::size_t count) {
    if (values.size() < count) values.resize(count);
}

}  // namespace

SweepShape dense_shape(int w, int h) {
    SweepShape shape;
    shape.w = shape.blocks_x = w;
    shape.h = h;
    shape.pair_rows = (h + 1) / 2;
    // An odd height: the first pair takes a row above the window, with coefficients of 0.
    shape.top = h % 2 == 0 ? 0 : -1;
    return shape;
}

// Image rows are counted in steps: step `lead_` is the unit's first row; what lies before it is neutral.
const std::uint8_t* Sweep::pixels(int channel, int step) const {
    if (step < lead_) return neutral_.data();
    return scene_->rows(channel)[unit_.y + step - lead_] + unit_.x;
}

void Sweep::begin(Running& sums, std::size_t columns, std::size_t positions) {
    for (int c = 0; c < channels_; ++c) {
        clear(sums.column[c], columns + front);
        grow(sums.sum[c], positions);
    }
    clear(sums.column_square, columns + front);
    grow(sums.square, positions);
    if (shape_.high_shift > 0) grow(sums.square_high, positions);
}

void Sweep::begin(const Kernels& kernels, const Scene& scene, const SweepShape& shape, const Unit& unit) {
    kernels_ = &kernels;
    scene_ = &scene;
    shape_ = shape;
    unit_ = unit;
    channels_ = scene.channels();
    lead_ = std::max(0, -shape.top);
    steps_ = lead_ + unit.rows + shape.h - 1;
    columns_ = unit.columns + shape.w - 1;
    positions_ = (unit.columns + kernels.group - 1) / kernels.group * kernels.group;
    block_first_ = lead_ + shape.top;
    block_lag_ = shape.h - shape.top - 2 * shape.pair_rows * shape.block_h;
    const auto columns = static_cast<std::size_t>(std::max(columns_, positions_ + shape.w)) + 2 * pad;
    const auto positions = static_cast<std::size_t>(positions_) + pad;
    const bool blocks = shape.pair_rows > 0;
    const std::size_t pairs =
        positions + (blocks ? static_cast<std::size_t>((shape.blocks_x - 1) * shape.block_w) : 0) + pad;
    const int ring = 2 * (shape.pair_rows - 1) * shape.block_h + 1;
    clear(neutral_, columns, std::uint8_t{128});
    begin(window_, columns, positions);
    if (shape.inner_sums) begin(inner_, columns, positions);
    for (int c = 0; c < channels_; ++c) {
        if (blocks) {
            clear(block_column_[c], columns + front);
            block_[c].reset(shape.block_h + 1, columns + pad);
            pair_[c].reset(ring, pairs);
        }
        if (shape.squares) {
            square_block_[c].reset(2, columns + pad);
            squares_[c].reset(ring, pairs);
        }
    }
    grow(scratch_, 2 * pairs + 2 * columns);
    if (shape.norms) {
        clear(column_pair_square_, columns + front);
        pair_square_.reset(shape.pair_squares ? ring : 1, pairs);
        norm_.reset(ring, pairs);
    }
    row_.pair.resize(static_cast<std::size_t>(channels_ * shape.pair_rows));
    row_.squares.resize(shape.squares ? static_cast<std::size_t>(channels_ * shape.pair_rows) : 0);
    row_.norm.resize(shape.norms ? static_cast<std::size_t>(shape.pair_rows) : 0);
    row_.pair_square.resize(shape.pair_squares ? static_cast<std::size_t>(shape.pair_rows) : 0);
    for (int c = 0; c < channels_; ++c) {
        row_.sum[c] = window_.sum[c].data();
        row_.inner_sum[c] = shape.inner_sums ? inner_.sum[c].data() : nullptr;
    }
    row_.square = window_.square.data();
    row_.inner_square = shape.inner_sums ? inner_.square.data() : nullptr;
    const bool high = shape.high_shift > 0;
    row_.square_high = high ? window_.square_high.data() : nullptr;
    row_.inner_square_high = high && shape.inner_sums ? inner_.square_high.data() : nullptr;
}

void Sweep::pair_rows(int step) {
    BlockRow s{};
    s.count = positions_;
    s.channels = channels_;
    s.block_w = shape_.block_w;
    s.blocks_x = shape_.blocks_x;
    s.shift = shape_.shift;
    s.scratch = scratch_.data();
    const bool paired = step - block_first_ >= 2 * shape_.block_h - 1;
    const int pair = step - 2 * shape_.block_h + 1;  // its upper block's first row
    for (int c = 0; c < channels_; ++c) {
        s.column[c] = block_column_[c].data() + front;
        s.row[c] = block_[c].row(step);
        if (!paired) continue;
        s.upper[c] = block_[c].row(step - shape_.block_h);
        s.pair[c] = pair_[c].row(pair);
    }
    if (paired && shape_.norms) {
        const int wide = positions_ + (shape_.blocks_x - 1) * shape_.block_w;
        kernels_->window_sum({wide, shape_.block_w, column_pair_square_.data() + front, pair_square_.row(pair)});
        s.square = pair_square_.row(pair);
        s.block_area = shape_.block_w * shape_.block_h;
        s.norm = norm_.row(pair);
    }
    kernels_->block_row(s);
}

void Sweep::add_squares(int step) {
    BlockRow s{};
    s.count = positions_;
    s.channels = channels_;
    s.block_w = 1;
    s.blocks_x = shape_.blocks_x;
    s.scratch = scratch_.data();
    auto* const squared = reinterpret_cast<std::int16_t*>(scratch_.data());
    for (int c = 0; c < channels_; ++c) {
        const std::uint8_t* in = pixels(c, step);
        for (int x = 0; x < columns_; ++x) squared[x] = static_cast<std::int16_t>((in[x] - 128) * (in[x] - 128));
        BlockRow one = s;
        one.channels = 1;
        one.column[0] = squared;
        one.row[0] = square_block_[c].row(step);
        if (step > 0) {
            one.upper[0] = square_block_[c].row(step - 1);
            one.pair[0] = squares_[c].row(step - 1);
        }
        kernels_->block_row(one);
    }
}

void Sweep::window_columns(int step) {
    ColumnStep columns{};
    columns.count = columns_;
    columns.channels = channels_;
    columns.square = window_.column_square.data() + front;
    for (int c = 0; c < channels_; ++c) {
        columns.enter[c] = pixels(c, step);
        columns.ahead[c] = pixels(c, std::min(step + rows_ahead, steps_ - 1));
        columns.sum[c] = window_.column[c].data() + front;
        columns.leave[c] = step - shape_.h < lead_ ? neutral_.data() : pixels(c, step - shape_.h);
    }
    kernels_->column_step(columns);
}

void Sweep::blocks(int step) {
    const int wide = std::min(positions_ + shape_.blocks_x * shape_.block_w - 1, columns_ - shape_.left);
    // A row that entered `rows` rows ago.
    const auto gone = [&](int c, int rows) -> const std::uint8_t* {
        return step - rows < block_first_ ? neutral_.data() : pixels(c, step - rows) + shape_.left;
    };
    BlockStep columns{};
    columns.count = wide;
    columns.channels = channels_;
    if (shape_.norms) columns.pair_square = column_pair_square_.data() + front;
    for (int c = 0; c < channels_; ++c) {
        columns.enter[c] = gone(c, 0);
        columns.leave[c] = gone(c, shape_.block_h);
        columns.pair_leave[c] = gone(c, 2 * shape_.block_h);
        columns.sum[c] = block_column_[c].data() + front;
    }
    kernels_->block_step(columns);
    if (shape_.inner_sums) {
        ColumnStep inner{};
        inner.count = wide;
        inner.channels = channels_;
        inner.square = inner_.column_square.data() + front;
        for (int c = 0; c < channels_; ++c) {
            inner.enter[c] = inner.ahead[c] = columns.enter[c];
            inner.leave[c] = gone(c, 2 * shape_.pair_rows * shape_.block_h);
            inner.sum[c] = inner_.column[c].data() + front;
        }
        kernels_->column_step(inner);
    }
    if (step - block_first_ >= shape_.block_h - 1) pair_rows(step);
}

void Sweep::window_sums(Running& sums, int width) {
    for (int c = 0; c < channels_; ++c)
        kernels_->window_sum({positions_, width, sums.column[c].data() + front, sums.sum[c].data()});
    kernels_->window_sum({positions_, width, sums.column_square.data() + front, sums.square.data()});
    if (shape_.high_shift > 0)
        kernels_->window_sum(
            {positions_, width, sums.column_square.data() + front, sums.square_high.data(), shape_.high_shift});
}

bool Sweep::advance(int step) {
    if (shape_.window_sums) window_columns(step);
    if (shape_.pair_rows > 0 && step - block_lag_ >= block_first_) blocks(step - block_lag_);
    if (shape_.squares) add_squares(step);
    const int top = step - shape_.h + 1;  // of the windows, in steps
    if (top < lead_) return false;
    if (shape_.window_sums) window_sums(window_, shape_.w);
    if (shape_.inner_sums) window_sums(inner_, shape_.blocks_x * shape_.block_w);
    row_.y = unit_.y + top - lead_;
    for (int j = 0; j < shape_.pair_rows; ++j) {
        const int pair = top + shape_.top + 2 * j * shape_.block_h;
        const auto at = static_cast<std::size_t>(j);
        for (int c = 0; c < channels_; ++c) {
            const std::size_t k = static_cast<std::size_t>(c * shape_.pair_rows) + at;
            row_.pair[k] = pair_[c].row(pair);
            if (shape_.squares) row_.squares[k] = squares_[c].row(pair);
        }
        if (shape_.norms) row_.norm[at] = norm_.row(pair);
        if (shape_.pair_squares) row_.pair_square[at] = pair_square_.row(pair);
    }
    return true;
}

}  // namespace vedette::cpu::find
