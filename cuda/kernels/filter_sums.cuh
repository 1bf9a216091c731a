// Sums of filters. Results that are integers are made by the same operations in the same order as the CPU backend's, so
// that they are equal; real ones fuse products and sums.
#pragma once

#include "kernels/filter.h"

#include "runtime/launch.h"

#include <type_traits>

namespace vedette::cuda {

// How sums are made: add(w, v, sum) = sum + w * v.
struct FusedSums {
    using Value = float;
    static __device__ __forceinline__ float begin() { return 0; }
    static __device__ __forceinline__ float add(float w, float v, float sum) { return __fmaf_rn(w, v, sum); }
    static __device__ __forceinline__ float end(float sum) { return sum; }
    static __host__ __device__ __forceinline__ const float* known(const FilterLine& line) { return line.known.real; }
};
struct PlainSums : FusedSums {
    static __device__ __forceinline__ float add(float w, float v, float sum) { return sum + w * v; }
};
// Rounded half up.
template <int shift>
struct FixedSums {
    using Value = int;
    static __device__ __forceinline__ int begin() { return 1 << (shift - 1); }
    static __device__ __forceinline__ int add(int w, int v, int sum) { return sum + w * v; }
    static __device__ __forceinline__ int end(int sum) { return sum >> shift; }
    static __host__ __device__ __forceinline__ const std::int32_t* known(const FilterLine& line) {
        return line.known.fixed;
    }
};
using FixedDown = FixedSums<filter_weight_bits - filter_word_bits>;
using FixedAcross = FixedSums<filter_weight_bits + filter_word_bits>;

template <class Out>
using RealSums = std::conditional_t<std::is_same_v<Out, float>, FusedSums, PlainSums>;

// The sum of a line whose tap i stands on at(i): of a symmetric one the middle first, then pairs from outside in.
template <class Sums, class Weight, class At>
__device__ __forceinline__ typename Sums::Value line_sum(const Weight& weight, int taps, bool symmetric, const At& at) {
    typename Sums::Value sum = Sums::begin();
    if (symmetric) {
        const int half = taps / 2;
        if (taps % 2 != 0) sum = Sums::add(weight(half), at(half), sum);
        for (int i = 0; i < half; ++i) sum = Sums::add(weight(i), at(i) + at(taps - 1 - i), sum);
    } else {
        for (int i = 0; i < taps; ++i) sum = Sums::add(weight(i), at(i), sum);
    }
    return Sums::end(sum);
}

template <class Out>
__device__ __forceinline__ Out finished(float sum, float delta) {
    const float value = sum + delta;
    if constexpr (std::is_same_v<Out, float>) {
        return value;
    } else {
        const float most = static_cast<float>(static_cast<Out>(~Out{0}));
        const float positive = value > 0 ? value : 0;  // NaN becomes 0
        return static_cast<Out>(__float2int_rn(positive < most ? positive : most));
    }
}

template <class T>
__device__ __forceinline__ const T* in_row(const FilterGroup& group, int y) {
    return reinterpret_cast<const T*>(group.in.row(y)) + group.in_first;
}
template <class T>
__device__ __forceinline__ T* out_row(const FilterGroup& group, int y) {
    return reinterpret_cast<T*>(group.out.row(y)) + group.out_first;
}

// Calls body.template operator()<In, Out>() for the types of `job`.
template <class Body>
void with_filtered_types(const FilterJob& job, const Body& body) {
    const bool real = job.out_depth == Depth::real32;
    switch (job.in_depth) {
        case Depth::bits8:
            return real ? body.template operator()<std::uint8_t, float>()
                        : body.template operator()<std::uint8_t, std::uint8_t>();
        case Depth::bits16:
            return real ? body.template operator()<std::uint16_t, float>()
                        : body.template operator()<std::uint16_t, std::uint16_t>();
        case Depth::real32:
            return body.template operator()<float, float>();
    }
}

}  // namespace vedette::cuda
