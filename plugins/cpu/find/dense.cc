#include "dense.h"

#include <algorithm>

namespace vedette::cpu::find {
namespace {

// Rows of positions that one packed row serves; dense_kernels.h has as many sums in registers.
constexpr int outputs = 4;

void grow(std::vector<std::int32_t>& values, std::size_t count) {
    if (values.size() < count) values.resize(count);
}

}  // namespace

PackedCoefficients pack_coefficients(const Pattern& pattern, int rows) {
    PackedCoefficients packed;
    packed.rows = rows;
    packed.groups = (pattern.h + rows - 1) / rows;
    packed.values.reserve(static_cast<std::size_t>(pattern.channels) * static_cast<std::size_t>(packed.groups) *
                          static_cast<std::size_t>(pattern.w));
    const int bits = 32 / rows;
    for (int c = 0; c < pattern.channels; ++c)
        for (int j = 0; j < packed.groups; ++j)
            for (int x = 0; x < pattern.w; ++x) {
                std::uint32_t value = 0;
                for (int k = 0; k < rows; ++k) {
                    const int y = j * rows + k;
                    if (y >= pattern.h) break;
                    const auto coefficient = static_cast<std::uint32_t>(pattern.pixel(c, x, y) - 128);
                    value |= (coefficient & ((1U << bits) - 1)) << (k * bits);
                }
                packed.values.push_back(static_cast<std::int32_t>(value));
            }
    return packed;
}

void DenseCorrelator::begin(const Kernels& kernels, const Scene& scene, const Pattern& pattern,
                            const PackedCoefficients& coefficients, const Unit& unit) {
    kernels_ = &kernels;
    scene_ = &scene;
    pattern_ = &pattern;
    coefficients_ = &coefficients;
    unit_ = unit;
    block_ = outputs * coefficients.rows;
    until_ = 0;
    ring_rows_ = block_ + (coefficients.groups - 1) * coefficients.rows;
    width_ = static_cast<std::size_t>(unit.columns + pattern.w - 1);
    stride_ = width_ + 2 * pad;
    const auto channels = static_cast<std::size_t>(pattern.channels), rows = static_cast<std::size_t>(ring_rows_);
    grow(ring_, channels * rows * stride_);
    grow(out_, static_cast<std::size_t>(block_) * stride_);
    packed_.resize(channels * rows);
}

void DenseCorrelator::compute(int y) {
    const int rows = std::min(block_, unit_.rows - y);
    const int needed = rows + (coefficients_->groups - 1) * coefficients_->rows;
    const auto ring_row = [&](int channel, int r) {
        return ring_.data() + (static_cast<std::size_t>(channel) * static_cast<std::size_t>(ring_rows_) +
                               static_cast<std::size_t>(r % ring_rows_)) *
                                  stride_;
    };
    PackRows pack{};
    pack.count = static_cast<int>(width_);
    for (until_ = std::max(until_, y); until_ < y + needed; ++until_)
        for (int c = 0; c < pattern_->channels; ++c) {
            for (int k = 0; k < coefficients_->rows; ++k) {
                // Rows below the scene meet coefficients of 0.
                const int row = std::min(unit_.y + until_ + k, scene_->height() - 1);
                pack.row[k] = scene_->rows(c)[row] + unit_.x;
            }
            pack.packed = ring_row(c, until_);
            kernels_->pack_rows(pack);
        }
    for (int c = 0; c < pattern_->channels; ++c)
        for (int r = 0; r < needed; ++r) packed_[static_cast<std::size_t>(c * needed + r)] = ring_row(c, y + r);
    CorrelateBlock block{};
    block.count = unit_.columns;
    block.rows = rows;
    block.channels = pattern_->channels;
    block.w = pattern_->w;
    block.groups = coefficients_->groups;
    block.packed = packed_.data();
    block.packed_count = needed;
    block.coefficient = coefficients_->values.data();
    std::int64_t sum = 0;
    for (int c = 0; c < pattern_->channels; ++c) sum += pattern_->moments.sum[c];
    block.offset = static_cast<std::int32_t>(128 * sum);
    block.out = out_.data();
    block.out_stride = static_cast<std::ptrdiff_t>(stride_);
    kernels_->correlate_block(block);
}

const std::int32_t* DenseCorrelator::row(int y) {
    if (y % block_ == 0) compute(y);
    return out_.data() + static_cast<std::size_t>(y % block_) * stride_;
}

}  // namespace vedette::cpu::find
