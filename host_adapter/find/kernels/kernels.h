// The loops over pixels that screens and verification spend their time in, once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vedette::host {

// Rows of floats may be read and written up to the next multiple of this many.
constexpr std::size_t kRowStep = 8;
constexpr std::size_t row_pitch(std::size_t count) noexcept {
    return (count + kRowStep - 1) / kRowStep * kRowStep;
}

// Sequences transformed side by side by `fft`.
constexpr std::size_t kFftLanes = 8;

// Every instruction set computes the same values bit for bit: the same operations in the same order, none fused.
struct FindKernels {
    const char* name;  // "baseline", "avx2"

    // CIELAB of `count` B, G, R triples; `linear`: linear light of each 8-bit value.
    void (*lab)(const float* linear, const std::uint8_t* pixels, std::size_t count, float* l, float* a, float* b);

    // Range of `count` values under shifts of at most half a pixel. The rows begin one pixel to the left of the first
    // value.
    void (*reach)(const float* above, const float* middle, const float* below, std::size_t count, float* low,
                  float* high);

    // What a residual compares: for each channel the value and its range.
    struct Side {
        const float* value[3];
        const float* low[3];
        const float* high[3];
    };
    // out = weight * |max(distance(p, range of q), distance(q, range of p))| over the channels; `weight` NULL: 1.
    void (*differences)(const Side& screen, const Side& pattern, std::uint32_t channels, const float* weight,
                        std::size_t count, float* out);

    // Sums over blocks five rows high and `block` pixels wide, for each left edge; returns the largest. `columns` is
    // scratch.
    float (*block_sums)(const float* const rows[5], std::size_t count, std::size_t block, float* columns, float* sums);

    // out = min(65535, round half up of |value - mean| * 256).
    void (*distances)(const float* const value[3], const float mean[3], std::uint32_t channels, std::size_t count,
                      std::uint16_t* out);

    // row += weight * pixels, or, when `first`, row = weight * pixels. Any alignment; nothing beyond `count`.
    void (*add_row)(const std::uint8_t* pixels, float weight, bool first, std::size_t count, float* row);

    // Adds the sums of p, p * p and p * q over `count` bytes, those of p taken through `mask` (0 or 255 each; NULL: all
    // of them). Any alignment; nothing beyond `count`.
    void (*add_products)(const std::uint8_t* p, const std::uint8_t* q, const std::uint8_t* mask, std::size_t count,
                         std::uint64_t* p_sum, std::uint64_t* pp_sum, std::uint64_t* pq_sum);

    // Forward complex transform, Stockham's; see fft.h. True when the result lies in the scratch arrays.
    bool (*fft)(std::size_t n, const float* cosine, const float* sine, float* re, float* im, float* re_scratch,
                float* im_scratch);

    // `count` pixels of three or four 8-bit channels to B, G, R: channel order[c] of each goes to place c.
    void (*pick)(const std::uint8_t* in, unsigned channels, const std::uint8_t order[3], std::size_t count,
                 std::uint8_t* out);

    // `count` B, G, R triples to (3735 B + 19235 G + 9798 R + 2^14) >> 15.
    void (*gray)(const std::uint8_t* bgr, std::size_t count, std::uint8_t* out);
};

// Those of the best instruction set that the processor and the system support. Any thread.
const FindKernels& find_kernels() noexcept;
// All that this machine can run, worst first, for tests that compare them.
struct FindKernelList {
    const FindKernels* const* begin_;
    const FindKernels* const* end_;
    const FindKernels* const* begin() const noexcept { return begin_; }
    const FindKernels* const* end() const noexcept { return end_; }
};
FindKernelList all_find_kernels() noexcept;

}  // namespace vedette::host
