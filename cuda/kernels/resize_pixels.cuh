// Pixels of resize: reading them with the channels that are resampled, and writing them with those of the output.
#pragma once

#include "kernels/pixels.cuh"
#include "kernels/resize.h"

#include "runtime/launch.h"

namespace vedette::cuda {

inline constexpr int resize_warps = 8;  // of a block: eight rows of 32 pixels

// Channels are resampled in the input's order: 1 where either side is gray (a pixel in colour becomes gray first), 3
// without and 4 with an alpha on both sides.
inline int resampled_channels(const PixelLayout& in, const PixelLayout& out) {
    return in.channels < out.channels ? in.channels : out.channels;
}

template <class T>
__device__ __forceinline__ const T* pixel_row(const PixelPlanes& image, int plane, int y) {
    return reinterpret_cast<const T*>(image.plane[plane].row(y));
}

// The first `channels` of what was read, or its gray.
template <class T, int channels>
__device__ __forceinline__ void wanted(const PixelLayout& layout, const T (&raw)[4], T (&pixel)[channels]) {
    if constexpr (channels == 1) {
        const T low = raw[0], high = raw[2];
        pixel[0] = layout.channels == 1 ? low : gray_of<T>(layout.rgb ? high : low, raw[1], layout.rgb ? low : high);
    } else {
#pragma unroll
        for (int c = 0; c < channels; ++c) pixel[c] = raw[c];
    }
}

template <class T, int channels>
__device__ __forceinline__ void load_pixel(const PixelPlanes& image, int x, int y, T (&pixel)[channels]) {
    const PixelLayout& layout = image.layout;
    T raw[4] = {};
    if (layout.channels == 1) {
        raw[0] = pixel_row<T>(image, 0, y)[x];
    } else if (layout.planar) {
#pragma unroll
        for (int c = 0; c < 3; ++c) raw[c] = pixel_row<T>(image, c, y)[x];
    } else if (sizeof(T) == 1 && layout.channels == 4) {
        const unsigned word = pixel_row<unsigned>(image, 0, y)[x];
#pragma unroll
        for (int c = 0; c < 4; ++c) raw[c] = static_cast<T>(word >> (8 * c));
    } else {
        const T* const at = pixel_row<T>(image, 0, y) + std::size_t{layout.channels} * x;
#pragma unroll
        for (int c = 0; c < 3; ++c) raw[c] = at[c];
        if (channels == 4) raw[3] = at[3];
    }
    wanted(layout, raw, pixel);
}

// The two pixels of row y that a place lies between; with fraction 0 the second one may be anything but a NaN.
// `packed`: three eight-bit channels; both pixels come in three words.
template <bool packed, class T, int channels>
__device__ __forceinline__ void load_pair(const PixelPlanes& image, const PairPlace& place, int y, T (&first)[channels],
                                          T (&second)[channels]) {
    if constexpr (packed) {
        // Words that lie in the row; what is cut off belongs to a second pixel that is not wanted.
        const auto* const words = pixel_row<unsigned>(image, 0, y);
        const int last = (image.plane[0].width * 3 - 1) / 4;
        const int begin = 3 * place.left, word = begin / 4;
        const unsigned a = words[word], b = words[min(word + 1, last)], c = words[min((begin + 5) / 4, last)];
        const unsigned shift = 8 * (static_cast<unsigned>(begin) % 4);
        const unsigned low = __funnelshift_r(a, b, shift), high = __funnelshift_r(b, c, shift);
        const T left[4] = {static_cast<T>(low), static_cast<T>(low >> 8), static_cast<T>(low >> 16)};
        const T right[4] = {static_cast<T>(low >> 24), static_cast<T>(high), static_cast<T>(high >> 8)};
        wanted(image.layout, left, first);
        wanted(image.layout, right, second);
    } else {
        load_pixel(image, place.left, y, first);
        load_pixel(image, place.left + (place.fraction != 0 ? 1 : 0), y, second);
    }
}

// Results of 32 neighbouring pixels on their way to a row of three interleaved channels.
template <class Out>
struct ResizeStage {
    __align__(16) Out value[resize_warps][96];
};

// Writes pixel x of row y; x is 32 i + lane, and the whole warp takes part. `value` are the results in the order of the
// input's channels, `inside` whether the picture is there.
template <class Out, int channels>
__device__ __forceinline__ void store_pixel(const PixelPlanes& out, bool swap, int x, int y, bool inside,
                                            const Out (&value)[channels], Out fill, ResizeStage<Out>& stage) {
    Out pixel[4];
    if constexpr (channels == 1) {
        pixel[0] = pixel[1] = pixel[2] = value[0];
    } else {
        const Out low = value[0], high = value[2];
        pixel[0] = swap ? high : low;
        pixel[1] = value[1];
        pixel[2] = swap ? low : high;
    }
    pixel[3] = channels == 4 ? value[channels - 1] : opaque<Out>();
#pragma unroll
    for (int c = 0; c < 4; ++c)
        if (!inside) pixel[c] = fill;
    const int width = out.plane[0].width;
    if (out.layout.planar) {
#pragma unroll
        for (int c = 0; c < 3; ++c)
            if (x < width) reinterpret_cast<Out*>(out.plane[c].row(y))[x] = pixel[c];
        return;
    }
    Out* const row = reinterpret_cast<Out*>(out.plane[0].row(y));
    if (out.layout.channels == 1) {
        if (x < width) row[x] = pixel[0];
        return;
    }
    if (out.layout.channels == 4) {
        struct __align__(4 * sizeof(Out)) Four {
            Out c[4];
        };
        if (x < width) reinterpret_cast<Four*>(row)[x] = {pixel[0], pixel[1], pixel[2], pixel[3]};
        return;
    }
    Out* const own = stage.value[threadIdx.y];
    const int lane = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int c = 0; c < 3; ++c) own[3 * lane + c] = pixel[c];
    __syncwarp();
    const int first = x - lane, count = 3 * min(32, width - first);
    constexpr int of_word = 4 / static_cast<int>(sizeof(Out));
    auto* const words = reinterpret_cast<unsigned*>(row + 3 * static_cast<std::size_t>(first));
#pragma unroll
    for (int word = lane; word < 96 / of_word; word += 32)
        if ((word + 1) * of_word <= count) words[word] = reinterpret_cast<const unsigned*>(own)[word];
    const int rest = count / of_word * of_word + lane;
    if (rest < count) row[3 * static_cast<std::size_t>(first) + rest] = own[rest];
    __syncwarp();  // the next pixels go to the same place
}

// Starts body.template operator()<In, Out, channels>() for the types of these images.
template <class Body>
void with_resized_types(const PixelPlanes& in, const PixelPlanes& out, const Body& body) {
    const auto with_channels = [&]<class In, class Out>() {
        switch (resampled_channels(in.layout, out.layout)) {
            case 1:
                return body.template operator()<In, Out, 1>();
            case 3:
                return body.template operator()<In, Out, 3>();
            default:
                // There are no real pixels with an alpha.
                if constexpr (!std::is_same_v<Out, float>) return body.template operator()<In, Out, 4>();
        }
    };
    const bool real = out.layout.depth == Depth::real32;
    switch (in.layout.depth) {
        case Depth::bits8:
            return real ? with_channels.template operator()<std::uint8_t, float>()
                        : with_channels.template operator()<std::uint8_t, std::uint8_t>();
        case Depth::bits16:
            return real ? with_channels.template operator()<std::uint16_t, float>()
                        : with_channels.template operator()<std::uint16_t, std::uint16_t>();
        case Depth::real32:
            return with_channels.template operator()<float, float>();
    }
}

}  // namespace vedette::cuda
