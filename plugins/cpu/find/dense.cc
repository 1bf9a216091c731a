#include "dense.h"

#include <algorithm>
#include <array>

namespace vedette::cpu::find {
namespace {

// Rows of positions that one packed row serves; dense_kernels.h has as many sums in registers.
constexpr int outputs_together = 4;
// Two rows may be added to what a kernel writes, and differences of differences fit 16 bits.
constexpr int most_levels = 2;
constexpr int most_outputs = outputs_together << most_levels;

// A sequence of groups of rows: of each the coefficients of all channels.
using Groups = std::vector<std::vector<std::int32_t>>;

void grow(std::vector<std::int32_t>& values, std::size_t count) {
    if (values.size() < count) values.resize(count);
}

// Of the 16-bit halves of both.
std::int32_t halves(std::int32_t a, std::int32_t b, int sign) {
    const auto half = [&](int shift) {
        const auto low = static_cast<std::int16_t>(a >> shift), high = static_cast<std::int16_t>(b >> shift);
        return static_cast<std::uint32_t>(static_cast<std::uint16_t>(low + sign * high)) << shift;
    };
    return static_cast<std::int32_t>(half(0) | half(16));
}

std::int32_t packed_coefficient(const Pattern& pattern, int rows, int c, int group, int x) {
    const int bits = 32 / rows;
    std::uint32_t value = 0;
    for (int k = 0; k < rows; ++k) {
        const int y = group * rows + k;
        if (y >= pattern.h) break;
        const auto coefficient = static_cast<std::uint32_t>(pattern.pixel(c, x, y) - 128);
        value |= (coefficient & ((1U << bits) - 1)) << (k * bits);
    }
    return static_cast<std::int32_t>(value);
}

// Adds the correlations of a sequence that is divided `levels` times.
void add_correlations(const Groups& groups, int levels, int channels, std::vector<std::int32_t>& values) {
    if (levels == 0) {
        for (int c = 0; c < channels; ++c)
            for (const std::vector<std::int32_t>& group : groups) {
                const auto w = static_cast<std::ptrdiff_t>(group.size()) / channels;
                values.insert(values.end(), group.begin() + c * w, group.begin() + (c + 1) * w);
            }
        return;
    }
    Groups sum, even, odd;
    for (std::size_t g = 0; g < groups.size(); g += 2) {
        std::vector<std::int32_t> both(groups[g]), negated(groups[g].size());
        for (std::size_t i = 0; i < both.size(); ++i) {
            both[i] = halves(both[i], groups[g + 1][i], 1);
            negated[i] = halves(0, groups[g + 1][i], -1);
        }
        sum.push_back(std::move(both));
        even.push_back(groups[g]);
        odd.push_back(std::move(negated));
    }
    for (const Groups* const part : {&sum, &even, &odd}) add_correlations(*part, levels - 1, channels, values);
}

}  // namespace

int dense_levels(int pattern_rows, int rows) {
    if (rows != 2) return 0;
    // On two cores of a Zen 4, AVX2, nanoseconds a position undivided, divided once and twice: 16 x 16 3.4, 3.2, 3.6;
    // 32 x 24 9.2, 7.8, 7.3; 32 x 32 11.9, 9.8, 8.9; 64 x 64 46, 36, 29.
    return pattern_rows >= 24 ? 2 : pattern_rows >= 16 ? 1 : 0;
}

PackedCoefficients pack_coefficients(const Pattern& pattern, int rows) {
    PackedCoefficients packed;
    packed.rows = rows;
    packed.levels = dense_levels(pattern.h, rows);
    const int together = rows << packed.levels;
    packed.groups = (pattern.h + together - 1) / together;
    Groups groups;
    for (int j = 0; j < packed.groups << packed.levels; ++j) {
        std::vector<std::int32_t>& group = groups.emplace_back();
        for (int c = 0; c < pattern.channels; ++c)
            for (int x = 0; x < pattern.w; ++x) group.push_back(packed_coefficient(pattern, rows, c, j, x));
    }
    add_correlations(groups, packed.levels, pattern.channels, packed.values);
    return packed;
}

void DenseCorrelator::begin(const Kernels& kernels, const Scene& scene, const Pattern& pattern,
                            const PackedCoefficients& coefficients, const Unit& unit) {
    kernels_ = &kernels;
    scene_ = &scene;
    pattern_ = &pattern;
    coefficients_ = &coefficients;
    unit_ = unit;
    const int outputs = outputs_together << coefficients.levels;
    block_ = outputs * coefficients.rows;
    until_ = 0;
    ring_rows_ = block_ + ((coefficients.groups << coefficients.levels) - 1) * coefficients.rows;
    width_ = static_cast<std::size_t>(unit.columns + pattern.w - 1);
    stride_ = width_ + 2 * pad;
    const auto channels = static_cast<std::size_t>(pattern.channels), rows = static_cast<std::size_t>(ring_rows_);
    grow(ring_, (channels * rows * stride_) << coefficients.levels);
    grow(out_, static_cast<std::size_t>(block_) * stride_);
    grow(shared_, static_cast<std::size_t>(outputs) * stride_);
    packed_.resize(channels * static_cast<std::size_t>(coefficients.groups + outputs_together - 1));
    std::int64_t sum = 0;
    for (int c = 0; c < pattern.channels; ++c) sum += pattern.moments.sum[c];
    offset_ = static_cast<std::int32_t>(128 * sum);
}

std::int32_t* DenseCorrelator::ring_row(int plane, int channel, int row) {
    const auto rows = static_cast<std::size_t>(ring_rows_);
    const auto at = static_cast<std::size_t>(plane) * static_cast<std::size_t>(pattern_->channels) +
                    static_cast<std::size_t>(channel);
    return ring_.data() + (at * rows + static_cast<std::size_t>(row % ring_rows_)) * stride_;
}

// Packs a row, and makes the differences that it completes.
void DenseCorrelator::pack(int row) {
    const int rows = coefficients_->rows;
    for (int c = 0; c < pattern_->channels; ++c) {
        PackRows pack{};
        pack.count = static_cast<int>(width_);
        for (int k = 0; k < rows; ++k) {
            // Rows below the scene meet coefficients of 0.
            const int y = std::min(unit_.y + row + k, scene_->height() - 1);
            pack.row[k] = scene_->rows(c)[y] + unit_.x;
        }
        pack.packed = ring_row(0, c, row);
        kernels_->pack_rows(pack);
        int reach[1 << most_levels] = {};  // of each plane: how far below its row the last one lies that it takes
        for (int plane = 1; plane < 1 << coefficients_->levels; ++plane) {
            const int level = plane >= 2 ? 1 : 0, from = plane & ~(1 << level);
            reach[plane] = reach[from] + (rows << level);
            const int first = row - reach[plane];
            if (first < 0) continue;
            kernels_->packed_difference({pack.count, ring_row(from, c, first),
                                         ring_row(from, c, first + (rows << level)), ring_row(plane, c, first)});
        }
    }
}

void DenseCorrelator::compute(int y) {
    const int rows = std::min(block_, unit_.rows - y);
    const int packed_rows = coefficients_->rows, levels = coefficients_->levels;
    // Divisions take outputs in pairs; those below the unit are not asked for.
    const int together = packed_rows << levels;
    const int outputs = (rows + together - 1) / together << levels;
    const int needed = packed_rows * (outputs + (coefficients_->groups << levels) - 1);
    for (until_ = std::max(until_, y); until_ < y + needed; ++until_) pack(until_);
    for (int phase = 0; phase < packed_rows; ++phase) {
        std::array<std::int32_t*, most_outputs> out{};
        for (int o = 0; o < outputs; ++o)
            out[static_cast<std::size_t>(o)] =
                out_.data() + static_cast<std::size_t>(phase + o * packed_rows) * stride_;
        correlate(levels, 0, {0, y + phase, packed_rows}, {outputs, offset_, out.data(), {}});
    }
}

void DenseCorrelator::correlate(int level, int correlation, const Sequence& rows, const Outputs& outputs) {
    if (level > 0) return divide(level, correlation, rows, outputs);
    const int channels = pattern_->channels, needed = coefficients_->groups + outputs.count - 1;
    for (int c = 0; c < channels; ++c)
        for (int j = 0; j < needed; ++j)
            packed_[static_cast<std::size_t>(c * needed + j)] = ring_row(rows.plane, c, rows.first + j * rows.step);
    CorrelateRows part{};
    part.count = unit_.columns;
    part.outputs = outputs.count;
    part.channels = channels;
    part.w = pattern_->w;
    part.groups = coefficients_->groups;
    part.packed = packed_.data();
    part.coefficient = coefficients_->values.data() + std::ptrdiff_t{correlation} * channels * part.groups * part.w;
    part.offset = outputs.offset;
    std::copy(std::begin(outputs.add), std::end(outputs.add), std::begin(part.add));
    part.out = outputs.out;
    kernels_->correlate_rows(part);
}

// See the head of dense.h.
void DenseCorrelator::divide(int level, int correlation, const Sequence& rows, const Outputs& outputs) {
    const int half = outputs.count / 2, difference = rows.step / coefficients_->rows;
    std::array<std::int32_t*, most_outputs / 2> shared{}, out{};
    std::array<const std::int32_t*, most_outputs / 2> kept{}, begun{};
    // The rows of a lower level lie behind those of the upper one.
    const int before = level == coefficients_->levels ? 0 : most_outputs / 2;
    for (int m = 0; m < half; ++m)
        kept[static_cast<std::size_t>(m)] = shared[static_cast<std::size_t>(m)] =
            shared_.data() + static_cast<std::size_t>(before + m) * stride_;
    const Sequence odd{rows.plane, rows.first + rows.step, 2 * rows.step};
    correlate(level - 1, 3 * correlation, odd, {half, outputs.offset, shared.data(), {}});
    for (int part = 0; part < 2; ++part) {
        for (int m = 0; m < half; ++m) {
            out[static_cast<std::size_t>(m)] = outputs.out[2 * m + part];
            if (outputs.add[0] != nullptr) begun[static_cast<std::size_t>(m)] = outputs.add[0][2 * m + part];
        }
        const Sequence differences{rows.plane | difference, rows.first + part * rows.step, 2 * rows.step};
        correlate(level - 1, 3 * correlation + 1 + part, differences,
                  {half, 0, out.data(), {kept.data(), outputs.add[0] != nullptr ? begun.data() : nullptr}});
    }
}

const std::int32_t* DenseCorrelator::row(int y) {
    if (y % block_ == 0) compute(y);
    return out_.data() + static_cast<std::size_t>(y % block_) * stride_;
}

}  // namespace vedette::cpu::find
