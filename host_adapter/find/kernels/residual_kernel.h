// What residuals and colour distances are made of; part of kernels.cc.
#pragma once

#include "kernels.h"
#include "vector.h"

namespace {

void reach(const float* above, const float* middle, const float* below, std::size_t count, float* low, float* high) {
    for (std::size_t x = 0; x < count; x += lanes) {
        const Vector centre = load(middle + x + 1);
        const Vector half_left = 0.5F * (load(middle + x) + centre);
        const Vector half_right = 0.5F * (centre + load(middle + x + 2));
        const Vector above_left = 0.5F * (load(above + x) + load(above + x + 1));
        const Vector above_right = 0.5F * (load(above + x + 1) + load(above + x + 2));
        const Vector below_left = 0.5F * (load(below + x) + load(below + x + 1));
        const Vector below_right = 0.5F * (load(below + x + 1) + load(below + x + 2));
        const Vector up = 0.5F * (centre + load(above + x + 1));
        const Vector down = 0.5F * (centre + load(below + x + 1));
        const Vector up_left = 0.5F * (half_left + above_left);
        const Vector up_right = 0.5F * (half_right + above_right);
        const Vector down_left = 0.5F * (half_left + below_left);
        const Vector down_right = 0.5F * (half_right + below_right);
        store(low + x, smaller(smaller(smaller(smaller(up_left, up_right), smaller(down_left, down_right)),
                                       smaller(smaller(up, down), smaller(half_left, half_right))),
                               centre));
        store(high + x, greater(greater(greater(greater(up_left, up_right), greater(down_left, down_right)),
                                        greater(greater(up, down), greater(half_left, half_right))),
                                centre));
    }
}

using Side = vedette::host::FindKernels::Side;

void differences(const Side& screen, const Side& pattern, std::uint32_t channels, const float* weight,
                 std::size_t count, float* out) {
    for (std::size_t x = 0; x < count; x += lanes) {
        Vector squares{};
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            const Vector s = load(screen.value[channel] + x);
            const Vector t = load(pattern.value[channel] + x);
            const Vector outside_pattern =
                greater(load(pattern.low[channel] + x) - s, s - load(pattern.high[channel] + x));
            const Vector outside_screen =
                greater(load(screen.low[channel] + x) - t, t - load(screen.high[channel] + x));
            const Vector d = greater(greater(outside_pattern, outside_screen), Vector{});
            squares += d * d;
        }
        const Vector d = root(squares);
        store(out + x, weight != nullptr ? d * load(weight + x) : d);
    }
}

float block_sums(const float* const rows[5], std::size_t count, std::size_t block, float* columns, float* sums) {
    for (std::size_t x = 0; x < count; x += lanes)
        store(columns + x,
              load(rows[0] + x) + load(rows[1] + x) + load(rows[2] + x) + load(rows[3] + x) + load(rows[4] + x));
    const std::size_t blocks = count - block + 1;
    Vector most{};
    std::size_t x = 0;
    for (; x + lanes <= blocks; x += lanes) {
        Vector sum = load(columns + x);
        for (std::size_t shift = 1; shift < block; ++shift) sum += load(columns + x + shift);
        store(sums + x, sum);
        most = greater(most, sum);
    }
    float largest = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) largest = most[lane] > largest ? most[lane] : largest;
    for (; x < blocks; ++x) {
        float sum = columns[x];
        for (std::size_t shift = 1; shift < block; ++shift) sum += columns[x + shift];
        sums[x] = sum;
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

void distances(const float* const value[3], const float mean[3], std::uint32_t channels, std::size_t count,
               std::uint16_t* out) {
    for (std::size_t x = 0; x < count; x += lanes) {
        Vector squares{};
        for (std::uint32_t channel = 0; channel < channels; ++channel) {
            const Vector d = load(value[channel] + x) - all(mean[channel]);
            squares += d * d;
        }
        const Vector units = smaller(256.0F * root(squares) + all(0.5F), all(65535));
        const Integers whole = __builtin_convertvector(units, Integers);
        const std::size_t now = count - x < lanes ? count - x : lanes;
        for (std::size_t lane = 0; lane < now; ++lane) out[x + lane] = static_cast<std::uint16_t>(whole[lane]);
    }
}

}  // namespace
