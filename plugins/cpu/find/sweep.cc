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
    const auto columns = static_cast<std::size_t>(std::max(columns_, positions_ + shape.w)) + 2 * pad;
    const auto positions = static_cast<std::size_t>(positions_) + pad;
    const bool blocks = shape.pair_rows > 0;
    const std::size_t pairs =
        positions + (blocks ? static_cast<std::size_t>((shape.blocks_x - 1) * shape.block_w) : 0) + pad;
    // From the newest pair row to the highest of a window: the rows between, and what lies below the blocks.
    const int below = shape.h - shape.top - 2 * shape.pair_rows * shape.block_h;
    const int ring = 2 * (shape.pair_rows - 1) * shape.block_h + 1 + below;
    clear(neutral_, columns, std::uint8_t{128});
    for (int c = 0; c < channels_; ++c) {
        if (blocks) {
            clear(block_column_[c], columns + front);
            block_[c].reset(shape.block_h + 1, columns + pad);
            pair_[c].reset(ring, pairs);
        }
        clear(column_sum_[c], columns + front);
        grow(window_sum_[c], positions);
        if (shape.totals) total_[c].reset(ring, positions);
        if (shape.squares) {
            square_block_[c].reset(2, columns + pad);
            squares_[c].reset(ring, pairs);
        }
    }
    clear(column_square_, columns + front);
    grow(window_square_, positions);
    grow(scratch_, 2 * pairs + 2 * columns);
    if (shape.norms) {
        clear(column_pair_square_, columns + front);
        pair_square_.reset(shape.pair_squares ? ring : 1, pairs);
        norm_.reset(ring, pairs);
    }
    if (shape.totals) square_total_.reset(ring, positions);
    const auto pointers = static_cast<std::size_t>(channels_ * shape.pair_rows);
    row_.pair.resize(pointers);
    row_.total.resize(shape.totals ? pointers : 0);
    row_.squares.resize(shape.squares ? pointers : 0);
    row_.norm.resize(shape.norms ? static_cast<std::size_t>(shape.pair_rows) : 0);
    row_.pair_square.resize(shape.pair_squares ? static_cast<std::size_t>(shape.pair_rows) : 0);
    row_.square_total.resize(shape.totals ? static_cast<std::size_t>(shape.pair_rows) : 0);
    for (int c = 0; c < channels_; ++c) row_.sum[c] = window_sum_[c].data();
    row_.square = window_square_.data();
}

void Sweep::pair_rows(int step) {
    BlockRow s{};
    s.count = positions_;
    s.channels = channels_;
    s.block_w = shape_.block_w;
    s.blocks_x = shape_.blocks_x;
    s.shift = shape_.shift;
    s.scratch = scratch_.data();
    const int first = shape_.block_h - 1;  // the first step that completes a row of blocks
    const bool paired = step - shape_.block_h >= first;
    const int pair = step - 2 * shape_.block_h + 1;  // its upper block's first row
    for (int c = 0; c < channels_; ++c) {
        s.column[c] = block_column_[c].data() + front + shape_.left;
        s.row[c] = block_[c].row(step);
        if (!paired) continue;
        s.upper[c] = block_[c].row(step - shape_.block_h);
        s.pair[c] = pair_[c].row(pair);
        if (shape_.totals) s.total[c] = total_[c].row(pair);
    }
    if (paired && shape_.norms) {
        const int wide = positions_ + (shape_.blocks_x - 1) * shape_.block_w;
        kernels_->window_sum(
            {wide, shape_.block_w, column_pair_square_.data() + front + shape_.left, pair_square_.row(pair)});
        s.square = pair_square_.row(pair);
        s.block_area = shape_.block_w * shape_.block_h;
        s.norm = norm_.row(pair);
        if (shape_.totals) s.square_total = square_total_.row(pair);
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

bool Sweep::advance(int step) {
    ColumnStep columns{};
    columns.count = columns_;
    columns.channels = channels_;
    columns.square = column_square_.data() + front;
    for (int c = 0; c < channels_; ++c) {
        columns.enter[c] = pixels(c, step);
        columns.ahead[c] = pixels(c, std::min(step + rows_ahead, steps_ - 1));
        columns.sum[c] = column_sum_[c].data() + front;
        columns.leave[c] = step - shape_.h < lead_ ? neutral_.data() : pixels(c, step - shape_.h);
        if (shape_.pair_rows == 0) continue;
        columns.block_leave[c] = step - shape_.block_h < 0 ? neutral_.data() : pixels(c, step - shape_.block_h);
        columns.block[c] = block_column_[c].data() + front;
        if (!shape_.norms) continue;
        const int gone = step - 2 * shape_.block_h;
        columns.pair_leave[c] = gone < 0 ? neutral_.data() : pixels(c, gone);
        columns.pair_square = column_pair_square_.data() + front;
    }
    kernels_->column_step(columns);
    if (shape_.pair_rows > 0 && step >= shape_.block_h - 1) pair_rows(step);
    if (shape_.squares) add_squares(step);
    const int top = step - shape_.h + 1;  // of the windows, in steps
    if (top < lead_) return false;
    if (shape_.window_sums) {
        for (int c = 0; c < channels_; ++c)
            kernels_->window_sum({positions_, shape_.w, column_sum_[c].data() + front, window_sum_[c].data()});
        kernels_->window_sum({positions_, shape_.w, column_square_.data() + front, window_square_.data()});
    }
    row_.y = unit_.y + top - lead_;
    for (int j = 0; j < shape_.pair_rows; ++j) {
        const int pair = top + shape_.top + 2 * j * shape_.block_h;
        const auto at = static_cast<std::size_t>(j);
        for (int c = 0; c < channels_; ++c) {
            const std::size_t k = static_cast<std::size_t>(c * shape_.pair_rows) + at;
            row_.pair[k] = pair_[c].row(pair);
            if (shape_.totals) row_.total[k] = total_[c].row(pair);
            if (shape_.squares) row_.squares[k] = squares_[c].row(pair);
        }
        if (shape_.norms) row_.norm[at] = norm_.row(pair);
        if (shape_.pair_squares) row_.pair_square[at] = pair_square_.row(pair);
        if (shape_.totals) row_.square_total[at] = square_total_.row(pair);
    }
    return true;
}

}  // namespace vedette::cpu::find
