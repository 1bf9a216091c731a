// A pattern on the host: exact sums, and its pixels as the kernels read them.
#pragma once

#include "kernels/template_score.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vedette::cuda {

// Pixels of a pattern: rows of width * channels bytes, and rows of width bytes that take a pixel where they are not 0.
// `mask` may be NULL: everything is taken. Strides may be negative.
struct PatternRows {
    const std::uint8_t* pixels = nullptr;
    std::ptrdiff_t stride = 0;
    const std::uint8_t* mask = nullptr;
    std::ptrdiff_t mask_stride = 0;
    int width = 0;
    int height = 0;
    int channels = 1;  // 1, or 3 interleaved
};

class Pattern {
public:
    explicit Pattern(const PatternRows& rows);

    // The same pixels and mask, so that nothing needs to be made again.
    bool same(const PatternRows& rows) const;

    int width() const { return width_; }
    int height() const { return height_; }
    int channels() const { return channels_; }
    bool masked() const { return masked_; }  // something is left out
    const TemplateSums& sums() const { return sums_; }
    std::uint8_t pixel(int x, int y, int c) const { return pixels_[place(x, y) * channel_count() + index(c)]; }
    bool taken(int x, int y) const { return mask_[place(x, y)] != 0; }

    // For the kernels of template_direct.h: height rows of `words_stride` words with the pixels (0 where nothing is
    // taken), then as many with 255 in the bytes that are taken.
    std::vector<std::uint32_t> words() const;
    int words_stride() const;

private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }
    std::size_t place(int x, int y) const { return index(y) * index(width_) + index(x); }
    std::size_t channel_count() const { return index(channels_); }

    int width_ = 0;
    int height_ = 0;
    int channels_ = 1;
    bool masked_ = false;
    std::vector<std::uint8_t> pixels_;  // rows without padding
    std::vector<std::uint8_t> mask_;    // 0 or 1
    TemplateSums sums_;
};

}  // namespace vedette::cuda
