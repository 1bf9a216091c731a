// Images as bytes, viewed where they are or converted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "score_map.h"

namespace vedette::compat {

// An 8-bit raster that may own its pixels.
class ByteImage {
public:
    ByteImage() = default;
    // A view: `raster` is 8-bit and outlives this.
    explicit ByteImage(const Raster& raster) : raster_(raster) {}
    ByteImage(int width, int height, int channels);
    ByteImage(ByteImage&&) = default;
    ByteImage& operator=(ByteImage&&) = default;

    const Raster& raster() const noexcept { return raster_; }
    const unsigned char* row(int y) const noexcept { return raster_.data + y * raster_.step; }
    unsigned char* own_row(int y) noexcept { return pixels_.data() + y * raster_.step; }
    bool empty() const noexcept { return raster_.data == nullptr; }

private:
    std::vector<unsigned char> pixels_;
    Raster raster_;
};

// The same values as bytes; nothing when a float is none of 0, 1 .. 255.
std::optional<ByteImage> as_bytes(const Raster& raster);

// One channel of 0 and 255 from a mask: 8-bit ones take what is not 0, float ones must hold 0 and 1. Nothing when its
// channels differ or a float is another value.
std::optional<ByteImage> as_binary_mask(const Raster& mask);

// Channels [first, first + count) as an image of their own.
ByteImage channels_of(const Raster& raster, int first, int count);

// The value that all pixels of a one-channel image have; -1 when they differ.
int constant_value(const Raster& raster);

// What a pattern is under its mask (`mask` empty: all of it).
struct PatternFacts {
    std::int64_t pixels = 0;
    bool flat = true;  // no channel varies
    bool zero = true;  // nothing but zeros
};
PatternFacts facts_of(const Raster& pattern, const ByteImage& mask);

}  // namespace vedette::compat
