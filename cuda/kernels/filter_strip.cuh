// A warp's strip of an image, row by row.
#pragma once

#include "kernels/filter_sums.cuh"

namespace vedette::cuda {

// Neighbouring pixels that a lane owns, loaded and stored together.
inline constexpr int strip_pixels = 4;

template <class T>
struct alignas(strip_pixels * sizeof(T)) StripPack {
    T value[strip_pixels];
};

// Lanes at either end of a warp whose pixels only others stand on.
__host__ __device__ constexpr int strip_halo_lanes(int taps) {
    return (taps / 2 + strip_pixels - 1) / strip_pixels;
}
// Results of a row of a strip.
__host__ __device__ constexpr int strip_width(int taps) {
    return (32 - 2 * strip_halo_lanes(taps)) * strip_pixels;
}

// The pixels of a warp's lanes, one row after the other. `inside`: all of them lie in the image, by their columns.
//
// What stands in the border is put in its place when it is needed: a choice at the time of a load would wait for it.
template <class In, bool inside>
class StripSource {
public:
    // `left`: of the first lane's pixels, in or beyond the image.
    __device__ __forceinline__ StripSource(const FilterJob& job, const FilterGroup& group, int left, int lane)
        : height_(job.height),
          rows_(job.rows + job.anchor_y),
          border_(static_cast<float>(static_cast<In>(job.border_value))),
          constant_border_(job.rows[0] < 0),
          first_(reinterpret_cast<const std::byte*>(in_row<In>(group, 0)) +
                 (inside ? (left + lane * strip_pixels) * static_cast<int>(sizeof(In)) : 0)),
          stride_(static_cast<std::ptrdiff_t>(group.in.stride)) {
        if constexpr (!inside) {
#pragma unroll
            for (int p = 0; p < strip_pixels; ++p) {
                const int place = left + lane * strip_pixels + p + job.anchor_x;
                column_[p] = place >= 0 && place < job.width + job.kernel_width - 1 ? job.columns[place] : -1;
            }
        }
    }

    // Of row y, in the image or its border.
    __device__ __forceinline__ StripPack<In> load(int y) const {
        if (y < 0 || y >= height_) y = max(rows_[y], 0);
        const In* const row = reinterpret_cast<const In*>(first_ + static_cast<std::ptrdiff_t>(y) * stride_);
        StripPack<In> pack;
        if constexpr (inside) {
            pack = *reinterpret_cast<const StripPack<In>*>(row);
        } else {
#pragma unroll
            for (int p = 0; p < strip_pixels; ++p) pack.value[p] = row[max(column_[p], 0)];
        }
        return pack;
    }

    // The pixels of what `load` gave for row y.
    __device__ __forceinline__ void take(const StripPack<In>& pack, int y, float (&own)[strip_pixels]) const {
#pragma unroll
        for (int p = 0; p < strip_pixels; ++p) {
            own[p] = static_cast<float>(pack.value[p]);
            if constexpr (!inside) own[p] = column_[p] < 0 ? border_ : own[p];
        }
        if (constant_border_ && (y < 0 || y >= height_)) {
#pragma unroll
            for (int p = 0; p < strip_pixels; ++p) own[p] = border_;
        }
    }

private:
    const int height_;
    const std::int32_t* const rows_;
    const float border_;
    const bool constant_border_;
    const std::byte* const first_;
    const std::ptrdiff_t stride_;
    int column_[strip_pixels];  // -1: border
};

// Sums across of the lane's pixels, what is beyond them from the lanes beside it. All lanes; in the strip_halo_lanes at
// either end the sums are of no use.
template <class Sums, int taps>
__device__ __forceinline__ void strip_across(const float (&own)[strip_pixels], const FilterLine& line,
                                             float (&sum)[strip_pixels]) {
    constexpr int half = taps / 2;
    const float* const weight = Sums::known(line);
    float value[strip_pixels + taps - 1];  // from half pixels before the lane's first
#pragma unroll
    for (int k = 0; k < strip_pixels + taps - 1; ++k) {
        const int from = k - half + 2 * strip_pixels;  // not negative
        const int pixel = from % strip_pixels, lanes = from / strip_pixels - 2;
        if (lanes == 0)
            value[k] = own[pixel];
        else if (lanes < 0)
            value[k] = __shfl_up_sync(0xffffffffu, own[pixel], static_cast<unsigned>(-lanes));
        else
            value[k] = __shfl_down_sync(0xffffffffu, own[pixel], static_cast<unsigned>(lanes));
    }
#pragma unroll
    for (int p = 0; p < strip_pixels; ++p) {
        sum[p] = Sums::add(weight[half], value[p + half], Sums::begin());
#pragma unroll
        for (int i = 0; i < half; ++i) sum[p] = Sums::add(weight[i], value[p + i] + value[p + taps - 1 - i], sum[p]);
    }
}

}  // namespace vedette::cuda
