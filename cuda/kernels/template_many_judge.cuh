// From a warp's sums of products with many patterns to hits: a test of all sums in single precision, which may let
// through too much but never too little, and the exact scores of what is left, a lane a position.
#pragma once

#include "kernels/template_many.h"
#include "kernels/template_offer.cuh"

#include <cmath>

namespace vedette::cuda::many {

constexpr int warp_rows = 4;
constexpr int most_waiting = 128;  // positions of a warp that wait to be judged

// Sums of a warp: output row, part of a row of positions (16 of them), octet of patterns, registers of the fragment. A
// lane has sums of 2 * octets patterns.
template <int parts, int octets>
struct Accumulators {
    std::int32_t at[warp_rows][parts][octets][4];
};

// What all patterns share of a warp's positions in a lane's column.
struct Windows {
    unsigned sum[warp_rows] = {};
    unsigned square[warp_rows] = {};
    float norm[warp_rows];  // sqrt(V_I); infinite where no score can be over 0, and beyond the last position

    // `row_sums`: of the warp's first row and the lane's column of a tile of `columns`. With `follows` the windows are
    // those below the ones that were made last.
    template <int columns>
    __device__ __forceinline__ void make(const unsigned* row_sums, int width, int height, bool column_inside,
                                         int rows_inside, bool follows) {
        constexpr int row = 2 * columns;
        unsigned all = sum[warp_rows - 1];
        unsigned squares = square[warp_rows - 1];
        if (!follows) {
            all = 0;
            squares = 0;
#pragma unroll 8
            for (int j = 0; j < height; ++j) {
                all += row_sums[j * row];
                squares += row_sums[j * row + columns];
            }
        }
        const auto area = static_cast<unsigned long long>(width) * static_cast<unsigned long long>(height);
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
            if (r > 0 || follows) {
                const unsigned* const enters = row_sums + (r + height - 1) * row;
                const unsigned* const leaves = row_sums + (r - 1) * row;
                all += enters[0] - leaves[0];
                squares += enters[columns] - leaves[columns];
            }
            sum[r] = all;
            square[r] = squares;
            const unsigned long long variance = area * squares - static_cast<unsigned long long>(all) * all;
            norm[r] =
                variance != 0 && column_inside && r < rows_inside ? sqrtf(static_cast<float>(variance)) : INFINITY;
        }
    }

    // Whether one of the lane's can score over 0.
    __device__ __forceinline__ bool any() const {
        bool some = false;
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) some = some || norm[r] != INFINITY;
        return some;
    }
};

// Limits of a lane's patterns, two of each octet.
class Limits {
public:
    // `means`: in shared memory, of the first pattern of the warp's; shares lie `patterns` further.
    __device__ __forceinline__ Limits(const float* means, int patterns, float slack)
        : means_(reinterpret_cast<const float2*>(means) + lane_index() % 4),
          shares_(means_ + patterns / 2),
          slack_(slack) {}

    struct Two {
        float2 mean, share;
        float slack;
        __device__ __forceinline__ bool reached(int k, int product, float sum, float norm) const {
            return fmaf(-(k == 0 ? mean.x : mean.y), sum, static_cast<float>(product)) >=
                   fmaf(k == 0 ? share.x : share.y, norm, -slack);
        }
    };
    __device__ __forceinline__ Two of(int octet) const { return {means_[4 * octet], shares_[4 * octet], slack_}; }

private:
    const float2* means_;
    const float2* shares_;
    float slack_;
};

// A warp's positions that wait to be judged, in shared memory: product, row << 11 | column << 6 | pattern, sum,
// squares; of a hit: both halves of its score, place, pattern.
struct Waiting {
    uint4* entries;
    unsigned count = 0;

    // Judges all of them; the tile's first position is (x, y).
    __device__ __noinline__ void judge(const PlaceTest* tests, int x, int y) {
        const unsigned lane = lane_index();
        unsigned hits = 0;
        __syncwarp();
        for (unsigned first = 0; first < count; first += 32) {
            const bool has = first + lane < count;
            const uint4 entry = has ? entries[first + lane] : uint4{0, 0, 0, 0};
            const PlaceTest& test = tests[entry.y & 63];
            const int column = x + static_cast<int>(entry.y >> 6 & 31);
            const int row = y + static_cast<int>(entry.y >> 11);
            WindowSums window;
            window.product = static_cast<unsigned long long>(static_cast<long long>(static_cast<int>(entry.x)) +
                                                             128 * static_cast<long long>(entry.z));
            window.square = entry.w;
            window.sum[0] = entry.z;
            const double score = has ? score_of(test.sums, window) : no_score;
            bool take = has && score >= test.test.threshold && !is_excluded(test.exclusions, column, row);
            if (take && test.test.best_only) {
                const unsigned long long key = ordered_bits(score);
                take = key >= atomicMax(&test.test.progress->best, key);
            }
            const unsigned takers = __ballot_sync(all_lanes, take);
            __syncwarp();  // all have read their entries
            const auto bits = static_cast<unsigned long long>(__double_as_longlong(score));
            if (take)
                entries[hits + static_cast<unsigned>(__popc(takers & ((1u << lane) - 1u)))] =
                    uint4{static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32),
                          static_cast<unsigned>(row) << 16 | static_cast<unsigned>(column), test.test.pattern};
            hits += static_cast<unsigned>(__popc(takers));
            __syncwarp();
        }
        count = 0;
        if (hits == 0) return;
        const HitTest& to = tests[0].test;  // all have one list
        unsigned number = lane == 0 ? atomicAdd(to.count, hits) : 0;
        number = __shfl_sync(all_lanes, number, 0);
        for (unsigned i = lane; i < hits; i += 32) {
            const uint4 hit = entries[i];
            const auto bits = static_cast<unsigned long long>(hit.y) << 32 | hit.x;
            put_hit(to, number + i, {__longlong_as_double(static_cast<long long>(bits)), hit.z, hit.w});
        }
        __syncwarp();
    }
};

// Judges the warp's sums with patterns from `first_pattern` on; the tile's first position is (x, y), the warp's first
// row in it `warp_row`.
template <int parts, int octets>
__device__ __forceinline__ void judge(const Accumulators<parts, octets>& sums, const Windows& windows,
                                      const Limits& limits, Waiting waiting, const PlaceTest* tests, int x, int y,
                                      int warp_row, int first_pattern) {
    const int lane = static_cast<int>(lane_index());
    unsigned some = 0;  // a bit for each row and half of a part
#pragma unroll
    for (int r = 0; r < warp_rows; ++r) {
        float sum[2 * parts];
        float norm[2 * parts];
        bool here[2 * parts];
#pragma unroll
        for (int i = 0; i < 2 * parts; ++i) {
            const int from = lane / 4 + 8 * i;
            sum[i] = __shfl_sync(all_lanes, static_cast<float>(windows.sum[r]), from);
            norm[i] = __shfl_sync(all_lanes, windows.norm[r], from);
            here[i] = false;
        }
#pragma unroll
        for (int o = 0; o < octets; ++o) {
            const Limits::Two two = limits.of(o);
#pragma unroll
            for (int i = 0; i < 2 * parts; ++i)
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    here[i] = here[i] || two.reached(k, sums.at[r][i / 2][o][i % 2 * 2 + k], sum[i], norm[i]);
        }
#pragma unroll
        for (int i = 0; i < 2 * parts; ++i)
            if (here[i]) some |= 1u << (2 * parts * r + i);
    }
    if (__ballot_sync(all_lanes, some != 0) == 0) return;  // as most
#pragma unroll
    for (int r = 0; r < warp_rows; ++r)
#pragma unroll
        for (int i = 0; i < 2 * parts; ++i) {
            if (__ballot_sync(all_lanes, (some >> (2 * parts * r + i) & 1) != 0) == 0) continue;
            const int from = lane / 4 + 8 * i;
            const unsigned sum = __shfl_sync(all_lanes, windows.sum[r], from);
            const unsigned square = __shfl_sync(all_lanes, windows.square[r], from);
            const float norm = __shfl_sync(all_lanes, windows.norm[r], from);
            constexpr int together = most_waiting / 64;  // octets, of each of which a lane has two patterns
#pragma unroll
            for (int begin = 0; begin < octets; begin += together) {
                unsigned reached = 0;
#pragma unroll
                for (int n = 0; n < 2 * together; ++n) {
                    const int o = begin + n / 2;
                    if (limits.of(o).reached(n % 2, sums.at[r][i / 2][o][i % 2 * 2 + n % 2], static_cast<float>(sum),
                                             norm))
                        reached |= 1u << n;
                }
                if (__ballot_sync(all_lanes, reached != 0) == 0) continue;
                const auto own = static_cast<unsigned>(__popc(reached));
                const unsigned through = warp_scan(own);
                const unsigned total = __shfl_sync(all_lanes, through, 31);
                if (waiting.count + total > most_waiting) waiting.judge(tests, x, y);
                unsigned at = waiting.count + through - own;
#pragma unroll
                for (int n = 0; n < 2 * together; ++n) {
                    const int o = begin + n / 2;
                    const int pattern = first_pattern + 8 * o + 2 * (lane % 4) + n % 2;
                    if ((reached >> n & 1) != 0)
                        waiting.entries[at++] =
                            uint4{static_cast<unsigned>(sums.at[r][i / 2][o][i % 2 * 2 + n % 2]),
                                  static_cast<unsigned>((warp_row + r) << 11 | from << 6 | pattern), sum, square};
                }
                waiting.count += total;
            }
        }
    if (waiting.count > 0) waiting.judge(tests, x, y);
}

}  // namespace vedette::cuda::many
