// A thread owns four neighbouring pixels, so that every format moves them in words of 4, 8 or 16 bytes; a warp 128
// pixels of a row, a block eight rows of them. Every pixel is read and written once and takes about ten operations: the
// floor is bytes over bandwidth (4K BGR to gray: 33 MB).
#include "kernels/pixels.cuh"

#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int group = 4;  // pixels of a thread
constexpr int rows_of_block = 8;

template <class T>
struct Vector;
template <>
struct Vector<std::uint8_t> {
    using Type = uchar4;
};
template <>
struct Vector<std::uint16_t> {
    using Type = ushort4;
};
template <>
struct Vector<float> {
    using Type = float4;
};

struct Scale {
    double factor;
    double offset;
};

template <class Out, class In>
__device__ __forceinline__ Out set_depth(In value, const Scale& scale) {
    if constexpr (std::is_same_v<In, Out>) {
        return value;
    } else if constexpr (std::is_same_v<Out, float>) {
        return static_cast<float>(static_cast<double>(value) * scale.factor + scale.offset);
    } else if constexpr (std::is_same_v<In, float>) {
        const double most = static_cast<double>(static_cast<Out>(~Out{0}));
        const double scaled = static_cast<double>(value) * scale.factor + scale.offset;
        const double positive = scaled > 0 ? scaled : 0;  // NaN becomes 0
        return static_cast<Out>(__double2int_rn(positive < most ? positive : most));
    } else if constexpr (sizeof(Out) > sizeof(In)) {
        return static_cast<Out>(value * 257u);
    } else {
        return static_cast<Out>((value + 128u) / 257u);
    }
}

// Channel `c` of pixel `x` of row `y`; planar pictures have three.
template <class T>
__device__ __forceinline__ const T* element(const PixelPlanes& image, int x, int y, int c) {
    if (c < 3 && image.layout.planar) return reinterpret_cast<const T*>(image.plane[c].row(y)) + x;
    return reinterpret_cast<const T*>(image.plane[0].row(y)) + std::size_t{image.layout.channels} * x + c;
}

// Four pixels in the order of the format, pixel by pixel as pixels[p][c]. Loops go over all four channels whatever the
// format: with indices known only at run time the pixels would lie in local memory.
template <class T>
__device__ __forceinline__ void load(const PixelPlanes& image, int x, int y, T (&pixels)[group][4]) {
    using Word = typename Vector<T>::Type;
    const int channels = image.layout.channels;
    const bool whole = x + group <= image.plane[0].width;
    if (!whole) {
#pragma unroll
        for (int p = 0; p < group; ++p) {
#pragma unroll
            for (int c = 0; c < 4; ++c)
                if (x + p < image.plane[0].width && c < channels) pixels[p][c] = *element<T>(image, x + p, y, c);
        }
        return;
    }
    if (image.layout.planar || channels == 1) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            if (c < channels) {
                const Word word = *reinterpret_cast<const Word*>(element<T>(image, x, y, c));
                pixels[0][c] = word.x;
                pixels[1][c] = word.y;
                pixels[2][c] = word.z;
                pixels[3][c] = word.w;
            }
        }
        return;
    }
    const Word* const words = reinterpret_cast<const Word*>(element<T>(image, x, y, 0));
    if (channels == 4) {
#pragma unroll
        for (int p = 0; p < group; ++p) {
            const Word word = words[p];
            pixels[p][0] = word.x;
            pixels[p][1] = word.y;
            pixels[p][2] = word.z;
            pixels[p][3] = word.w;
        }
        return;
    }
    const Word a = words[0];
    const Word b = words[1];
    const Word c = words[2];
    pixels[0][0] = a.x, pixels[0][1] = a.y, pixels[0][2] = a.z;
    pixels[1][0] = a.w, pixels[1][1] = b.x, pixels[1][2] = b.y;
    pixels[2][0] = b.z, pixels[2][1] = b.w, pixels[2][2] = c.x;
    pixels[3][0] = c.y, pixels[3][1] = c.z, pixels[3][2] = c.w;
}

template <class T>
__device__ __forceinline__ void store(const PixelPlanes& image, int x, int y, const T (&pixels)[group][4]) {
    using Word = typename Vector<T>::Type;
    const int channels = image.layout.channels;
    const bool whole = x + group <= image.plane[0].width;
    if (!whole) {
#pragma unroll
        for (int p = 0; p < group; ++p) {
#pragma unroll
            for (int c = 0; c < 4; ++c)
                if (x + p < image.plane[0].width && c < channels)
                    *const_cast<T*>(element<T>(image, x + p, y, c)) = pixels[p][c];
        }
        return;
    }
    if (image.layout.planar || channels == 1) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            if (c < channels)
                *reinterpret_cast<Word*>(const_cast<T*>(element<T>(image, x, y, c))) =
                    Word{pixels[0][c], pixels[1][c], pixels[2][c], pixels[3][c]};
        }
        return;
    }
    Word* const words = reinterpret_cast<Word*>(const_cast<T*>(element<T>(image, x, y, 0)));
    if (channels == 4) {
#pragma unroll
        for (int p = 0; p < group; ++p) words[p] = Word{pixels[p][0], pixels[p][1], pixels[p][2], pixels[p][3]};
        return;
    }
    words[0] = Word{pixels[0][0], pixels[0][1], pixels[0][2], pixels[1][0]};
    words[1] = Word{pixels[1][1], pixels[1][2], pixels[2][0], pixels[2][1]};
    words[2] = Word{pixels[2][2], pixels[3][0], pixels[3][1], pixels[3][2]};
}

template <class In, class Out>
__global__ void __launch_bounds__(32 * rows_of_block, 4) convert_kernel(PixelPlanes in, PixelPlanes out, Scale scale) {
    const int x = group * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (x >= in.plane[0].width) return;
    const bool to_gray = out.layout.channels == 1 && in.layout.channels != 1;
    const bool from_gray = in.layout.channels == 1;
    const bool swap = in.layout.rgb != out.layout.rgb;
    for (int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); y < in.plane[0].height;
         y += static_cast<int>(gridDim.y * blockDim.y)) {
        In source[group][4] = {};
        Out target[group][4];
        load(in, x, y, source);
#pragma unroll
        for (int p = 0; p < group; ++p) {
            const In first = source[p][0];
            if (to_gray) {
                const In third = source[p][2];
                target[p][0] = set_depth<Out>(
                    gray_of<In>(in.layout.rgb ? third : first, source[p][1], in.layout.rgb ? first : third), scale);
                continue;
            }
            const In second = from_gray ? first : source[p][1];
            const In third = from_gray ? first : source[p][2];
            target[p][0] = set_depth<Out>(swap && !from_gray ? third : first, scale);
            target[p][1] = set_depth<Out>(second, scale);
            target[p][2] = set_depth<Out>(swap && !from_gray ? first : third, scale);
            target[p][3] = in.layout.channels == 4 ? set_depth<Out>(source[p][3], scale) : opaque<Out>();
        }
        store(out, x, y, target);
    }
}

template <class In, class Out>
void start(const PixelPlanes& in, const PixelPlanes& out, const Scale& scale, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(32, rows_of_block);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(in.plane[0].width), 32 * group),
                      blocks_for(static_cast<std::size_t>(in.plane[0].height), rows_of_block));
    launch(convert_kernel<In, Out>, shape, stream, in, out, scale);
}

template <class In>
void start(const PixelPlanes& in, const PixelPlanes& out, const Scale& scale, cudaStream_t stream) {
    switch (out.layout.depth) {
        case Depth::bits8:
            return start<In, std::uint8_t>(in, out, scale, stream);
        case Depth::bits16:
            return start<In, std::uint16_t>(in, out, scale, stream);
        case Depth::real32:
            return start<In, float>(in, out, scale, stream);
    }
}

}  // namespace

void convert(const PixelPlanes& in, const PixelPlanes& out, double scale, double offset, cudaStream_t stream) {
    const Scale scaling{scale, offset};
    switch (in.layout.depth) {
        case Depth::bits8:
            return start<std::uint8_t>(in, out, scaling, stream);
        case Depth::bits16:
            return start<std::uint16_t>(in, out, scaling, stream);
        case Depth::real32:
            return start<float>(in, out, scaling, stream);
    }
}

}  // namespace vedette::cuda
