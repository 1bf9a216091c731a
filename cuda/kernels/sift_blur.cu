// Layers of SIFT's scale space, each a Gaussian blur of the one before.
//
// blur_kernel, for radii up to 16: a block of 512 threads makes a tile of 64 rows; its columns and those that the
// sideways pass needs beside them are 128. Downwards a thread sums 16 rows of a column from values in its registers,
// read once each; the sums go to shared memory, and sideways a thread sums four neighbouring pixels. Every layer is
// read (1.2 to 2.4 times, from the last cache) and written once: 266 MB for a layer of a screen of 3840 x 2160
// enlarged, 66 us at 4 TB/s; 2 * (2 radius + 1) operations a pixel. The first layer reads the image itself and enlarges
// it on the way; the layer that the next octave begins with writes every second pixel there, too.
#include "kernels/sift.h"

#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int columns = 128;
constexpr int tile_rows = 64;
constexpr int rows_of_thread = 16;
constexpr int threads = columns * (tile_rows / rows_of_thread);
constexpr int widest = 16;

// Position that stands for x outside 0 .. size - 1: reflected without repeating the edge.
__device__ __forceinline__ int reflected(int x, int size) {
    if (size == 1) return 0;
    while (x < 0 || x >= size) x = x < 0 ? -x : 2 * (size - 1) - x;
    return x;
}

// A layer.
struct Plane {
    const float* first;
    std::size_t stride;
    int width, height;

    struct Column {
        const float* top;
        std::size_t stride;
        __device__ __forceinline__ float at(int y) const { return top[static_cast<std::size_t>(y) * stride]; }
    };
    __device__ __forceinline__ Column column(int x) const { return {first + x, stride}; }
};

// An image enlarged twice, bilinear, samples at (x + 0.5) / 2 - 0.5, edges replicated; every value is exact.
struct Enlarged {
    View<const std::uint8_t> image;
    int width, height;

    struct Column {
        View<const std::uint8_t> image;
        int near, far;
        __device__ __forceinline__ int across(int y) const {
            const std::uint8_t* const row = image.row(y);
            return 3 * int{row[near]} + int{row[far]};
        }
        __device__ __forceinline__ float at(int y) const {
            const int here = y / 2, other = min(max(y % 2 == 0 ? here - 1 : here + 1, 0), image.height - 1);
            return static_cast<float>(3 * across(here) + across(other)) * 0.0625f;
        }
    };
    __device__ __forceinline__ Column column(int x) const {
        const int here = x / 2;
        return {image, here, min(max(x % 2 == 0 ? here - 1 : here + 1, 0), image.width - 1)};
    }
};

struct Weights {
    float value[widest + 1];  // from the centre outwards
};

struct Target {
    float* first;
    std::size_t stride;
    float* half;  // the next octave's first layer, or NULL
    std::size_t half_stride;
    int half_width, half_height;
};

// Columns beside the tile, a multiple of four.
constexpr int margin_of(int radius) {
    return (radius + 3) / 4 * 4;
}

template <class Source, int radius>
__global__ void __launch_bounds__(threads, 2) blur_kernel(Source source, Target target, Weights weights) {
    constexpr int margin = margin_of(radius), width = columns - 2 * margin, groups = width / 4;
    __shared__ __align__(16) float middle[tile_rows][columns];
    const int left = static_cast<int>(blockIdx.x) * width, top = static_cast<int>(blockIdx.y) * tile_rows;
    {
        const int column = static_cast<int>(threadIdx.x) % columns;
        const int first = static_cast<int>(threadIdx.x) / columns * rows_of_thread;
        const int begin = top + first - radius;
        if (top + first < source.height) {
            const auto from = source.column(reflected(left - margin + column, source.width));
            float value[rows_of_thread + 2 * radius];
            if (begin >= 0 && begin + rows_of_thread + 2 * radius <= source.height) {
#pragma unroll
                for (int row = 0; row < rows_of_thread + 2 * radius; ++row) value[row] = from.at(begin + row);
            } else {
#pragma unroll
                for (int row = 0; row < rows_of_thread + 2 * radius; ++row)
                    value[row] = from.at(reflected(begin + row, source.height));
            }
#pragma unroll
            for (int row = 0; row < rows_of_thread; ++row) {
                float sum = value[row + radius] * weights.value[0];
#pragma unroll
                for (int k = 1; k <= radius; ++k)
                    sum = __fmaf_rn(value[row + radius - k] + value[row + radius + k], weights.value[k], sum);
                middle[first + row][column] = sum;
            }
        }
    }
    __syncthreads();
    for (int item = static_cast<int>(threadIdx.x); item < tile_rows * groups; item += threads) {
        const int row = item / groups, column = item % groups * 4, x = left + column, y = top + row;
        if (x >= source.width || y >= source.height) continue;
        float value[4 + 2 * margin];
#pragma unroll
        for (int part = 0; part < 4 + 2 * margin; part += 4) {
            const float4 four = *reinterpret_cast<const float4*>(&middle[row][column + part]);
            value[part] = four.x, value[part + 1] = four.y, value[part + 2] = four.z, value[part + 3] = four.w;
        }
        float sum[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sum[i] = value[margin + i] * weights.value[0];
#pragma unroll
            for (int k = 1; k <= radius; ++k)
                sum[i] = __fmaf_rn(value[margin + i - k] + value[margin + i + k], weights.value[k], sum[i]);
        }
        // Rows have room for whole groups.
        *reinterpret_cast<float4*>(target.first + static_cast<std::size_t>(y) * target.stride + x) =
            float4{sum[0], sum[1], sum[2], sum[3]};
        if (target.half != nullptr && y % 2 == 0 && y / 2 < target.half_height && x / 2 < target.half_width)
            *reinterpret_cast<float2*>(target.half + static_cast<std::size_t>(y / 2) * target.half_stride + x / 2) =
                float2{sum[0], sum[2]};
    }
}

// For larger radii: one direction at a time, a thread a pixel, all values through the first cache.
template <class Source, bool down>
__global__ void wide_blur_kernel(Source source, Target target, const float* weights, int radius) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= source.width || y >= source.height) return;
    const auto at = [&](int offset) {
        return down ? source.column(x).at(reflected(y + offset, source.height))
                    : source.column(reflected(x + offset, source.width)).at(y);
    };
    float sum = at(0) * weights[0];
    for (int k = 1; k <= radius; ++k) sum = __fmaf_rn(at(-k) + at(k), weights[k], sum);
    target.first[static_cast<std::size_t>(y) * target.stride + static_cast<std::size_t>(x)] = sum;
    if (!down && target.half != nullptr && x % 2 == 0 && y % 2 == 0 && y / 2 < target.half_height &&
        x / 2 < target.half_width)
        target.half[static_cast<std::size_t>(y / 2) * target.half_stride + static_cast<std::size_t>(x / 2)] = sum;
}

template <class Source, int radius>
void start_blur(const Source& source, const Target& target, const Weights& weights, cudaStream_t stream) {
    LaunchShape shape;
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(source.width), columns - 2 * margin_of(radius)),
                      blocks_for(static_cast<std::size_t>(source.height), tile_rows));
    shape.block = dim3(threads);
    launch(blur_kernel<Source, radius>, shape, stream, source, target, weights);
}

// `given`: the weights on the device, too. `scratch`: a layer.
template <class Source>
void blur(const Source& source, const Target& target, const std::vector<float>& weights, const float* given,
          float* scratch, cudaStream_t stream) {
    const std::size_t radius = weights.size() - 1;
    if (radius > widest) {
        LaunchShape shape;
        shape.block = dim3(32, 8);
        shape.grid = dim3(blocks_for(static_cast<std::size_t>(source.width), 32),
                          blocks_for(static_cast<std::size_t>(source.height), 8));
        const Target between{scratch, target.stride, nullptr, 0, 0, 0};
        launch(wide_blur_kernel<Source, true>, shape, stream, source, between, given, static_cast<int>(radius));
        const Plane half_done{scratch, target.stride, source.width, source.height};
        launch(wide_blur_kernel<Plane, false>, shape, stream, half_done, target, given, static_cast<int>(radius));
        return;
    }
    // Weights beyond the radius are 0: a few radii serve all, among them those of sigma 1.6 and three layers.
    Weights padded{};
    for (std::size_t k = 0; k <= radius; ++k) padded.value[k] = weights[k];
    if (radius <= 5) return start_blur<Source, 5>(source, target, padded, stream);
    if (radius <= 6) return start_blur<Source, 6>(source, target, padded, stream);
    if (radius <= 8) return start_blur<Source, 8>(source, target, padded, stream);
    if (radius <= 10) return start_blur<Source, 10>(source, target, padded, stream);
    if (radius <= 13) return start_blur<Source, 13>(source, target, padded, stream);
    return start_blur<Source, 16>(source, target, padded, stream);
}

}  // namespace

void build_sift_space(const View<const std::uint8_t>& image, const SiftShape& shape, const SiftSpace& space,
                      float* scratch, const float* weights, cudaStream_t stream) {
    for (std::int32_t index = 0; index < space.octaves; ++index) {
        const SiftOctave& octave = space.octave[index];
        const float* given = weights;
        for (std::int32_t layer = 0; layer < space.octave_layers + 3; ++layer) {
            const std::vector<float>& blur_weights = shape.blurs[static_cast<std::size_t>(layer)];
            Target target{octave.layer(layer), octave.stride, nullptr, 0, 0, 0};
            if (layer == space.octave_layers && index + 1 < space.octaves) {
                const SiftOctave& next = space.octave[index + 1];
                target.half = next.first;
                target.half_stride = next.stride;
                target.half_width = next.width;
                target.half_height = next.height;
            }
            if (layer != 0)
                blur(Plane{octave.layer(layer - 1), octave.stride, octave.width, octave.height}, target, blur_weights,
                     given, scratch, stream);
            else if (index == 0)
                blur(Enlarged{image, octave.width, octave.height}, target, blur_weights, given, scratch, stream);
            given += blur_weights.size();
        }
    }
}

}  // namespace vedette::cuda
