// Every pixel of the input is read about once: the floor is bytes over bandwidth.
//
// area_kernel: a thread sums one output pixel, for pictures that are shrunk little; a warp has 32 of a row, a block
// eight rows. team_kernel: 32 or 256 threads sum one output pixel, side by side along its rows, for pictures that are
// shrunk much. Two operations for each covered value, about 40 for each result.
#include "kernels/resize_pixels.cuh"

#include "device/warp.cuh"

namespace vedette::cuda {

namespace {

constexpr int most_of_thread = 128;     // covered pixels that one thread sums: estimate
constexpr int fewest_for_warps = 1024;  // output pixels that fill the device with a warp each: estimate
constexpr int most_of_warp = 4096;      // covered pixels, where there are fewer: estimate

// All weights together.
struct AreaTotal {
    unsigned long long weight;
    float inverse_of_double;  // 1 / (2 weight)
};

// Of the values along a row, and of all rows. Integers: along a row the weights add up to 65535 at most.
template <class In>
struct AreaSums {
    using Row = unsigned;
    using All = unsigned long long;
};
template <>
struct AreaSums<float> {
    using Row = double;
    using All = double;
};

__device__ __forceinline__ unsigned cover_weight(const AreaCover& cover, int index, unsigned full) {
    if (index == cover.first) return cover.first_weight;
    return index == cover.last ? cover.last_weight : full;
}

template <class Out, class All>
__device__ __forceinline__ Out finished(All sum, const AreaTotal& total, const ResizeFrame& frame) {
    if constexpr (std::is_same_v<Out, float>) {
        return static_cast<float>(static_cast<double>(sum) / static_cast<double>(total.weight) * frame.scale +
                                  frame.offset);
    } else {
        // floor((2 sum + total) / (2 total)): the estimate is off by one at most.
        const unsigned long long dividend = 2 * sum + total.weight, divisor = 2 * total.weight;
        const auto estimate = static_cast<unsigned>(static_cast<float>(dividend) * total.inverse_of_double);
        const auto rest = static_cast<long long>(dividend) - static_cast<long long>(estimate * divisor);
        if (rest < 0) return static_cast<Out>(estimate - 1);
        return static_cast<Out>(rest >= static_cast<long long>(divisor) ? estimate + 1 : estimate);
    }
}

// Every step-th column from `begin` on of one output pixel.
template <class In, int channels>
__device__ __forceinline__ void add_covered(const PixelPlanes& in, const AreaCover& across, const AreaCover& down,
                                            const ResizeFrame& frame, int begin, int step,
                                            typename AreaSums<In>::All (&sums)[channels]) {
    using Row = typename AreaSums<In>::Row;
    for (int y = down.first; y <= down.last; ++y) {
        Row row[channels] = {};
        for (int x = across.first + begin; x <= across.last; x += step) {
            In pixel[channels];
            load_pixel(in, x, y, pixel);
            const auto weight = static_cast<Row>(cover_weight(across, x, static_cast<unsigned>(frame.width)));
#pragma unroll
            for (int c = 0; c < channels; ++c) row[c] += static_cast<Row>(pixel[c]) * weight;
        }
        const unsigned weight = cover_weight(down, y, static_cast<unsigned>(frame.full_height));
#pragma unroll
        for (int c = 0; c < channels; ++c) sums[c] += static_cast<typename AreaSums<In>::All>(row[c]) * weight;
    }
}

template <class In, class Out, int channels>
__global__ void __launch_bounds__(32 * resize_warps)
    area_kernel(PixelPlanes in, PixelPlanes out, const AreaCover* across, const AreaCover* down, ResizeFrame frame,
                AreaTotal total) {
    __shared__ ResizeStage<Out> stage;
    const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * resize_warps + threadIdx.y);
    if (y >= out.plane[0].height) return;
    const int column = x - frame.left, row = y - frame.top;
    const bool inside = column >= 0 && column < frame.width && row >= 0 && row < frame.height;
    typename AreaSums<In>::All sums[channels] = {};
    if (inside) add_covered<In, channels>(in, across[column], down[row], frame, 0, 1, sums);
    Out value[channels];
#pragma unroll
    for (int c = 0; c < channels; ++c) value[c] = finished<Out>(sums[c], total, frame);
    store_pixel<Out, channels>(out, in.layout.rgb != out.layout.rgb, x, y, inside, value, static_cast<Out>(frame.fill),
                               stage);
}

template <class In, class Out, int channels, int team>
__global__ void __launch_bounds__(32 * resize_warps)
    team_kernel(PixelPlanes in, PixelPlanes out, const AreaCover* across, const AreaCover* down, ResizeFrame frame,
                AreaTotal total) {
    using All = typename AreaSums<In>::All;
    constexpr int team_warps = team / 32;
    __shared__ All part[resize_warps][channels];
    const int warp = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * (resize_warps / team_warps) + warp / team_warps;
    const int y = static_cast<int>(blockIdx.y);
    const int column = x - frame.left, row = y - frame.top;
    const bool inside = column >= 0 && column < frame.width && row >= 0 && row < frame.height;
    All sums[channels] = {};
    if (inside)
        add_covered<In, channels>(in, across[column], down[row], frame,
                                  warp % team_warps * 32 + static_cast<int>(threadIdx.x), team, sums);
#pragma unroll
    for (int c = 0; c < channels; ++c) {
        sums[c] = warp_sum(sums[c]);
        if (threadIdx.x == 0) part[warp][c] = sums[c];
    }
    __syncthreads();
    if (threadIdx.x != 0 || warp % team_warps != 0 || x >= out.plane[0].width) return;
    const bool swap = in.layout.rgb != out.layout.rgb;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
        if (c >= out.layout.channels) break;
        const int from = channels == 1 ? 0 : (swap && c < 3 ? 2 - c : (c < channels ? c : 0));
        Out value = opaque<Out>();
        if (!inside) {
            value = static_cast<Out>(frame.fill);
        } else if (c < 3 || channels == 4) {
            All sum = 0;
            for (int other = 0; other < team_warps; ++other) sum += part[warp + other][from];
            value = finished<Out>(sum, total, frame);
        }
        if (out.layout.planar)
            reinterpret_cast<Out*>(out.plane[c < 3 ? c : 0].row(y))[x] = value;
        else
            reinterpret_cast<Out*>(out.plane[0].row(y))[out.layout.channels * x + c] = value;
    }
}

}  // namespace

int area_team(std::int32_t in_width, std::int32_t in_height, std::int32_t width, std::int32_t height) noexcept {
    const std::int64_t covered = std::int64_t{in_width} * in_height / (std::int64_t{width} * height);
    if (covered <= most_of_thread) return 1;
    return covered <= most_of_warp || std::int64_t{width} * height >= fewest_for_warps ? 32 : 32 * resize_warps;
}

void resize_area(const PixelPlanes& in, const PixelPlanes& out, const AreaCover* across, const AreaCover* down,
                 const ResizeFrame& frame, cudaStream_t stream) {
    const std::int32_t in_width = in.plane[0].width, in_height = frame.in_height;
    const auto width = static_cast<std::size_t>(out.plane[0].width),
               height = static_cast<std::size_t>(out.plane[0].height);
    AreaTotal total{};
    total.weight = static_cast<unsigned long long>(in_width) * static_cast<unsigned long long>(in_height);
    total.inverse_of_double = static_cast<float>(0.5 / static_cast<double>(total.weight));
    const int team = area_team(in_width, in_height, frame.width, frame.full_height);
    LaunchShape shape;
    shape.block = dim3(32, resize_warps);
    with_resized_types(in, out, [&]<class In, class Out, int channels>() {
        if (team == 1) {
            shape.grid = dim3(blocks_for(width, 32), blocks_for(height, resize_warps));
            launch(area_kernel<In, Out, channels>, shape, stream, in, out, across, down, frame, total);
        } else if (team == 32) {
            shape.grid = dim3(blocks_for(width, resize_warps), static_cast<unsigned>(height));
            launch(team_kernel<In, Out, channels, 32>, shape, stream, in, out, across, down, frame, total);
        } else {
            shape.grid = dim3(static_cast<unsigned>(width), static_cast<unsigned>(height));
            launch(team_kernel<In, Out, channels, 32 * resize_warps>, shape, stream, in, out, across, down, frame,
                   total);
        }
    });
}

}  // namespace vedette::cuda
