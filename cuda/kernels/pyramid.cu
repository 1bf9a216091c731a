// Every level is read once by the next: the floor is bytes over bandwidth (4K BGR, one level: 31 MB).
//
// gauss5_kernel: a block makes a tile of 8 rows. Each thread has a column of the level before: it reads 19 rows of it
// once and keeps eight sums down the column in shared memory; across, a thread sums five of those. Per output 5.5
// loads, 2.4 sums down and one across: about 45 operations.
// area2_kernel: a thread makes four values below each other from 16 loads.
// small_levels_kernel: one block for each plane makes all levels of a few thousand values one after the other, since
// starting a kernel takes longer than such a level.
#include "kernels/pyramid.h"

#include "runtime/launch.h"

#include <type_traits>

namespace vedette::cuda {

namespace {

constexpr int gauss_threads = 256;  // columns of the level before, at most
constexpr int gauss_rows = 8;
constexpr int area_rows = 4;          // of a thread
constexpr int small_elements = 4096;  // of a level: estimate
constexpr int small_threads = 1024;

// What sums down a column are kept in: of bytes at most 16 * 255.
template <class T>
struct SumOf {
    using Type = unsigned;
};
template <>
struct SumOf<std::uint8_t> {
    using Type = unsigned short;
};
template <>
struct SumOf<float> {
    using Type = float;
};
template <class T>
using Sum = typename SumOf<T>::Type;
// Of both directions.
template <class T>
using Total = std::conditional_t<std::is_same_v<T, float>, float, unsigned>;

// Outer, inner, middle: the order matters for floats.
template <class S>
__device__ __forceinline__ S five(S a, S b, S c, S d, S e) {
    return (a + e) + S{4} * (b + d) + S{6} * c;
}

// total / 2^bits, integers rounded half up.
template <int bits, class T>
__device__ __forceinline__ T mean(Total<T> total) {
    if constexpr (std::is_same_v<T, float>)
        return total * (1.0f / static_cast<float>(1 << bits));
    else
        return static_cast<T>((total + (1u << (bits - 1))) >> bits);
}

// Position that stands for x, at most two pixels outside 0 .. size - 1: reflected without repeating the edge.
__device__ __forceinline__ int reflected(int x, int size) {
    if (size == 1) return 0;
    while (x < 0 || x >= size) x = x < 0 ? -x : 2 * (size - 1) - x;
    return x;
}

template <class T>
struct Level {
    View<const T> in[3];
    View<T> out[3];
    int elements;  // of a pixel in a plane
};

template <class T>
__device__ __forceinline__ Total<T> column_sum(const View<const T>& in, int element, int y) {
    const auto at = [&](int row) { return static_cast<Total<T>>(in.row(reflected(row, in.height))[element]); };
    return five<Total<T>>(at(2 * y - 2), at(2 * y - 1), at(2 * y), at(2 * y + 1), at(2 * y + 2));
}

template <class T>
__device__ __forceinline__ T gauss5_at(const View<const T>& in, int elements, int x, int c, int y) {
    const auto at = [&](int column) { return column_sum(in, reflected(column, in.width) * elements + c, y); };
    return mean<8, T>(five<Total<T>>(at(2 * x - 2), at(2 * x - 1), at(2 * x), at(2 * x + 1), at(2 * x + 2)));
}

template <class T>
__device__ __forceinline__ T area2_at(const View<const T>& in, int elements, int x, int c, int y) {
    const int left = 2 * x * elements + c, right = 2 * x + 1 < in.width ? left + elements : left;
    const T* const above = in.row(2 * y);
    const T* const below = in.row(min(2 * y + 1, in.height - 1));
    const Total<T> a = static_cast<Total<T>>(above[left]) + static_cast<Total<T>>(below[left]);
    const Total<T> b = static_cast<Total<T>>(above[right]) + static_cast<Total<T>>(below[right]);
    return mean<2, T>(a + b);
}

// `tile`: pixels of an output row that a block makes.
template <class T>
__global__ void __launch_bounds__(gauss_threads) gauss5_kernel(Level<T> level, int tile) {
    __shared__ Sum<T> sums[gauss_rows][gauss_threads];
    const View<const T> in = level.in[blockIdx.z];
    const View<T> out = level.out[blockIdx.z];
    const int elements = level.elements;
    const int left = static_cast<int>(blockIdx.x) * tile, top = static_cast<int>(blockIdx.y) * gauss_rows;
    const int column = static_cast<int>(threadIdx.x);
    const int pixel = 2 * left - 2 + column / elements;
    if (column < (2 * tile + 3) * elements && pixel < in.width + 2) {
        const int element = reflected(pixel, in.width) * elements + column % elements;
        const int first = 2 * top - 2;
        Total<T> value[2 * gauss_rows + 3];
        if (first >= 0 && first + 2 * gauss_rows + 3 <= in.height) {
#pragma unroll
            for (int row = 0; row < 2 * gauss_rows + 3; ++row)
                value[row] = static_cast<Total<T>>(in.row(first + row)[element]);
        } else {
#pragma unroll
            for (int row = 0; row < 2 * gauss_rows + 3; ++row)
                value[row] = static_cast<Total<T>>(in.row(reflected(first + row, in.height))[element]);
        }
#pragma unroll
        for (int row = 0; row < gauss_rows; ++row)
            sums[row][column] = static_cast<Sum<T>>(five<Total<T>>(
                value[2 * row], value[2 * row + 1], value[2 * row + 2], value[2 * row + 3], value[2 * row + 4]));
    }
    __syncthreads();
    const int wide = min(tile, out.width - left) * elements;
    for (int at = column; at < tile * elements; at += gauss_threads) {
        if (at >= wide) continue;
        const int from = at + at / elements * elements;
#pragma unroll
        for (int row = 0; row < gauss_rows; ++row) {
            if (top + row >= out.height) break;
            const Sum<T>* const sum = &sums[row][from];
            const auto tap = [&](int index) { return static_cast<Total<T>>(sum[index * elements]); };
            out.row(top + row)[left * elements + at] =
                mean<8, T>(five<Total<T>>(tap(0), tap(1), tap(2), tap(3), tap(4)));
        }
    }
}

template <class T>
__global__ void area2_kernel(Level<T> level) {
    const View<const T> in = level.in[blockIdx.z];
    const View<T> out = level.out[blockIdx.z];
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int x = at / level.elements, c = at % level.elements;
    if (x >= out.width) return;
    const int top = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * area_rows;
    T value[area_rows];
#pragma unroll
    for (int row = 0; row < area_rows; ++row)
        value[row] = area2_at(in, level.elements, x, c, min(top + row, out.height - 1));
#pragma unroll
    for (int row = 0; row < area_rows; ++row)
        if (top + row < out.height) out.row(top + row)[at] = value[row];
}

// Levels first ... images.count - 1.
template <class T>
__global__ void __launch_bounds__(small_threads) small_levels_kernel(PyramidImages images, int first, bool area) {
    const int elements = images.image[0].layout.planar ? 1 : images.image[0].layout.channels;
    for (int index = first; index < images.count; ++index) {
        const View<std::byte>& from = images.image[index - 1].plane[blockIdx.x];
        const View<std::byte>& to = images.image[index].plane[blockIdx.x];
        const View<const T> in{reinterpret_cast<const T*>(from.data), from.stride, from.width, from.height};
        const View<T> out{reinterpret_cast<T*>(to.data), to.stride, to.width, to.height};
        for (int item = static_cast<int>(threadIdx.x); item < out.width * out.height * elements;
             item += small_threads) {
            const int y = item / (out.width * elements), at = item % (out.width * elements);
            const int x = at / elements, c = at % elements;
            out.row(y)[at] = area ? area2_at(in, elements, x, c, y) : gauss5_at(in, elements, x, c, y);
        }
        __syncthreads();
    }
}

template <class T>
void start_level(const PixelPlanes& from, const PixelPlanes& to, PyramidMethod method, cudaStream_t stream) {
    Level<T> level{};
    const unsigned planes = from.layout.planar ? 3 : 1;
    level.elements = from.layout.planar ? 1 : from.layout.channels;
    for (unsigned plane = 0; plane < planes; ++plane) {
        level.in[plane] = from.plane[plane].as<const T>(from.plane[plane].width);
        level.out[plane] = to.plane[plane].as<T>(to.plane[plane].width);
    }
    const auto width = static_cast<std::size_t>(to.plane[0].width),
               height = static_cast<std::size_t>(to.plane[0].height);
    LaunchShape shape;
    if (method == PyramidMethod::gauss5) {
        // 2 tile + 3 pixels are at most the columns of a block; the tiles of a row begin at a multiple of 8 elements.
        const int tile = level.elements == 1 ? 120 : (level.elements == 3 ? 40 : 30);
        shape.block = dim3(gauss_threads);
        shape.grid = dim3(blocks_for(width, static_cast<std::size_t>(tile)), blocks_for(height, gauss_rows), planes);
        launch(gauss5_kernel<T>, shape, stream, level, tile);
        return;
    }
    shape.block = dim3(64, 4);
    shape.grid = dim3(blocks_for(width * static_cast<std::size_t>(level.elements), 64),
                      blocks_for(height, 4 * area_rows), planes);
    launch(area2_kernel<T>, shape, stream, level);
}

template <class T>
void start(const PyramidImages& images, PyramidMethod method, cudaStream_t stream) {
    std::int32_t widths[most_pyramid_levels], heights[most_pyramid_levels];
    for (std::int32_t index = 1; index < images.count; ++index) {
        widths[index - 1] = images.image[index].plane[0].width;
        heights[index - 1] = images.image[index].plane[0].height;
    }
    const std::int32_t large = large_pyramid_levels(widths, heights, images.count - 1, images.image[0].layout.channels);
    for (std::int32_t index = 1; index <= large; ++index)
        start_level<T>(images.image[index - 1], images.image[index], method, stream);
    if (large + 1 == images.count) return;
    LaunchShape shape;
    shape.block = dim3(small_threads);
    shape.grid = dim3(images.image[0].layout.planar ? 3 : 1);
    launch(small_levels_kernel<T>, shape, stream, images, large + 1, method == PyramidMethod::area2);
}

}  // namespace

std::int32_t large_pyramid_levels(const std::int32_t* widths, const std::int32_t* heights, std::int32_t levels,
                                  std::int32_t elements) noexcept {
    std::int32_t large = 0;
    while (large < levels && std::int64_t{widths[large]} * heights[large] * elements > small_elements) ++large;
    return large;
}

void build_pyramid(const PyramidImages& images, PyramidMethod method, cudaStream_t stream) {
    switch (images.image[0].layout.depth) {
        case Depth::bits8:
            return start<std::uint8_t>(images, method, stream);
        case Depth::bits16:
            return start<std::uint16_t>(images, method, stream);
        case Depth::real32:
            return start<float>(images, method, stream);
    }
}

}  // namespace vedette::cuda
