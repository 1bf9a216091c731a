// A warp makes a strip of 112 pixels (120 for short lines) of some tens of rows, from the top down. A lane owns four
// neighbouring columns: it loads their pixels of a row at once, two rows ahead, sums across with what the lanes
// beside it hold, keeps these sums of the last rows in registers and sums them down. Two lanes (one for short lines) at
// either end only serve the others. There is no shared memory and no barrier.
//
// Bytes: every pixel is read and written once from memory, 66 MB for 4K floats, 16 us at 4.2 TB/s; neighbours in x and
// y read some of them again from the caches, 1.14 * (rows + taps - 1) / rows times in all. 11 taps: 44 operations and
// 10 shuffles across for four sums of a row, 44 operations down.
#include "kernels/filter_strip.cuh"
#include "runtime/asked_once.h"

#include <algorithm>

namespace vedette::cuda {

namespace {

constexpr int strip_threads = 32;
constexpr int rows_ahead = 2;
// Of a multiprocessor; bounds the registers of a thread to what its sums and rows ahead need. Measured on an H200 at 4K
// with 11 taps of floats: 27.8 us; three rows ahead or 16, 20 or 28 warps take 29 to 34 us.
template <class Out>
__host__ __device__ constexpr int strip_warps(int taps) {
    return taps <= (std::is_same_v<Out, float> ? 11 : 7) ? 24 : 16;
}

template <class In, class Out, int taps, bool inside>
__device__ __forceinline__ void make_strip(const FilterJob& job, const FilterGroup& group, int left, int top,
                                           int bottom) {
    using Sums = RealSums<Out>;
    constexpr int half = taps / 2, halo_lanes = strip_halo_lanes(taps);
    const int lane = static_cast<int>(threadIdx.x), x = left + lane * strip_pixels;
    const StripSource<In, inside> source(job, group, left, lane);
    const bool owns = lane >= halo_lanes && lane < 32 - halo_lanes;
    const bool whole = owns && (inside || x + strip_pixels <= job.width), some = owns && !whole && x < job.width;
    std::byte* const first_out = reinterpret_cast<std::byte*>(out_row<Out>(group, 0) + x);
    const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(group.out.stride);
    const float* const weight = Sums::known(job.down);

    const int last = bottom - 1 + half;
    StripPack<In> ahead[rows_ahead];
#pragma unroll
    for (int i = 0; i < rows_ahead; ++i) ahead[i] = source.load(min(top - half + i, last));
    float sums[taps][strip_pixels];  // across, of the last rows
    for (int begin = top - half; begin <= last; begin += taps) {
#pragma unroll
        for (int u = 0; u < taps; ++u) {
            const int y = begin + u;
            if (y > last) return;
            float own[strip_pixels];
            source.take(ahead[0], y, own);
#pragma unroll
            for (int i = 0; i + 1 < rows_ahead; ++i) ahead[i] = ahead[i + 1];
            ahead[rows_ahead - 1] = source.load(min(y + rows_ahead, last));
            strip_across<Sums, taps>(own, job.across, sums[u]);
            if (y < top + half) continue;
            StripPack<Out> results;
#pragma unroll
            for (int p = 0; p < strip_pixels; ++p) {
                const auto at = [&](int i) { return sums[(u + 1 + i) % taps][p]; };
                float sum = Sums::add(weight[half], at(half), Sums::begin());
#pragma unroll
                for (int i = 0; i < half; ++i) sum = Sums::add(weight[i], at(i) + at(taps - 1 - i), sum);
                results.value[p] = finished<Out>(sum, job.delta);
            }
            Out* const to = reinterpret_cast<Out*>(first_out + static_cast<std::ptrdiff_t>(y - half) * stride);
            if (whole) *reinterpret_cast<StripPack<Out>*>(to) = results;
            if constexpr (!inside) {
                if (some) {
#pragma unroll
                    for (int p = 0; p < strip_pixels; ++p)
                        if (x + p < job.width) to[p] = results.value[p];
                }
            }
        }
    }
}

template <class In, class Out, int taps>
__global__ void __launch_bounds__(strip_threads, strip_warps<Out>(taps))
    strip_kernel(FilterJob job, FilterGroups groups, int strip_rows) {
    const FilterGroup& group = groups.group[blockIdx.z];
    const int left = static_cast<int>(blockIdx.x) * strip_width(taps) - strip_halo_lanes(taps) * strip_pixels;
    const int top = static_cast<int>(blockIdx.y) * strip_rows, bottom = top + min(strip_rows, job.height - top);
    if (left >= 0 && left + 32 * strip_pixels <= job.width)
        make_strip<In, Out, taps, true>(job, group, left, top, bottom);
    else
        make_strip<In, Out, taps, false>(job, group, left, top, bottom);
}

// Calls use(kernel, width of a strip) with the kernel for `job`; does nothing where there is none.
template <class In, class Out, class Use>
void with_taps(const FilterJob& job, const Use& use) {
    switch (job.across.taps) {
        case 3:
            return use(strip_kernel<In, Out, 3>, strip_width(3));
        case 5:
            return use(strip_kernel<In, Out, 5>, strip_width(5));
        case 7:
            return use(strip_kernel<In, Out, 7>, strip_width(7));
        case 9:
            return use(strip_kernel<In, Out, 9>, strip_width(9));
        case 11:
            return use(strip_kernel<In, Out, 11>, strip_width(11));
        case 13:
            return use(strip_kernel<In, Out, 13>, strip_width(13));
        case 15:
            return use(strip_kernel<In, Out, 15>, strip_width(15));
        default:
            return;
    }
}
template <class Use>
void with_strip_kernel(const FilterJob& job, const Use& use) {
    if (job.in_depth != job.out_depth) return;
    switch (job.in_depth) {
        case Depth::bits8:
            return with_taps<std::uint8_t, std::uint8_t>(job, use);
        case Depth::bits16:
            return with_taps<std::uint16_t, std::uint16_t>(job, use);
        case Depth::real32:
            return with_taps<float, float>(job, use);
    }
}

}  // namespace

std::int32_t filter_strip_rows(const DeviceLimits& limits, const FilterJob& job) {
    static AskedOnce asked;
    const auto fits = [](const FilterLine& line) {
        return line.symmetric && line.taps % 2 != 0 && line.taps <= most_known_taps;
    };
    if (job.kind != FilterKind::lines || !fits(job.across) || !fits(job.down) || job.across.taps != job.down.taps)
        return 0;
    if (job.elements != 1 || job.apart || job.anchor_x != job.across.taps / 2 || job.anchor_y != job.down.taps / 2)
        return 0;
    std::int32_t rows = 0;
    with_strip_kernel(job, [&](auto* kernel, int width) {
        const unsigned warps = asked(limits.ordinal, kernel, [&] {
            int blocks = 0;
            check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, strip_threads, 0),
                  "asking how many blocks fit");
            return static_cast<unsigned>(blocks * limits.multiprocessors);
        });
        // One round of warps, as all take the same time; strips of few rows load and sum too much twice.
        constexpr std::int64_t least_rows = 8, most_strips_down = 65535;
        const std::int64_t across =
            std::int64_t{blocks_for(static_cast<std::size_t>(job.width), static_cast<std::size_t>(width))} * job.groups;
        const std::int64_t down = std::clamp<std::int64_t>(warps / across, 1, most_strips_down);
        rows = static_cast<std::int32_t>(std::max((job.height + down - 1) / down, least_rows));
    });
    return rows;
}

std::int32_t filter_strip_width(const FilterJob& job) noexcept {
    std::int32_t width = 0;
    with_strip_kernel(job, [&](auto*, int strip) { width = strip; });
    return width;
}

void filter_by_strips(const FilterJob& job, std::int32_t rows, const FilterGroups& groups, cudaStream_t stream) {
    with_strip_kernel(job, [&](auto* kernel, int width) {
        LaunchShape shape;
        shape.block = dim3(strip_threads);
        shape.grid = dim3(blocks_for(static_cast<std::size_t>(job.width), static_cast<std::size_t>(width)),
                          blocks_for(static_cast<std::size_t>(job.height), static_cast<std::size_t>(rows)),
                          static_cast<unsigned>(job.groups));
        launch(kernel, shape, stream, job, groups, rows);
    });
}

}  // namespace vedette::cuda
