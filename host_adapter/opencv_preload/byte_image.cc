#include "byte_image.h"

#include <algorithm>
#include <cstring>

namespace vedette::compat {
namespace {

std::size_t values_of(const Raster& raster) {
    return static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.channels);
}

// OpenCV's rows of floats are aligned as floats are.
const float* float_row(const Raster& raster, int y) {
    return reinterpret_cast<const float*>(raster.data + y * raster.step);
}

// False when a value is no byte; the rest of the row is converted all the same, which costs less than a branch a value.
bool convert_row(const float* from, unsigned char* to, std::size_t count) {
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        // The comparison fails for what is not a number, and keeps the conversion defined.
        const float value = from[i] >= 0 && from[i] <= 255 ? from[i] : 0.5F;
        const auto byte = static_cast<std::int32_t>(value);
        wrong |= static_cast<float>(byte) != value;
        to[i] = static_cast<unsigned char>(byte);
    }
    return wrong == 0;
}

bool channels_are_equal(const Raster& raster) {
    const std::size_t size = raster.real ? sizeof(float) : 1;
    const auto channels = static_cast<std::size_t>(raster.channels);
    for (int y = 0; y < raster.height; ++y) {
        const unsigned char* const row = raster.data + y * raster.step;
        for (std::size_t x = 0; x < static_cast<std::size_t>(raster.width); ++x)
            for (std::size_t c = 1; c < channels; ++c)
                if (std::memcmp(row + x * channels * size, row + (x * channels + c) * size, size) != 0) return false;
    }
    return true;
}

}  // namespace

ByteImage::ByteImage(int width, int height, int channels)
    : pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(channels)),
      raster_{pixels_.data(), std::ptrdiff_t{width} * channels, width, height, channels, false} {}

std::optional<ByteImage> as_bytes(const Raster& raster) {
    if (!raster.real) return ByteImage(raster);
    ByteImage bytes(raster.width, raster.height, raster.channels);
    for (int y = 0; y < raster.height; ++y)
        if (!convert_row(float_row(raster, y), bytes.own_row(y), values_of(raster))) return std::nullopt;
    return bytes;
}

std::optional<ByteImage> as_binary_mask(const Raster& mask) {
    if (!channels_are_equal(mask)) return std::nullopt;
    ByteImage binary(mask.width, mask.height, 1);
    for (int y = 0; y < mask.height; ++y) {
        unsigned char* const to = binary.own_row(y);
        for (int x = 0; x < mask.width; ++x) {
            const std::ptrdiff_t at = std::ptrdiff_t{x} * mask.channels;
            if (!mask.real) {
                to[x] = mask.data[y * mask.step + at] != 0 ? 255 : 0;
                continue;
            }
            const float value = float_row(mask, y)[at];
            if (value != 0 && value != 1) return std::nullopt;
            to[x] = value != 0 ? 255 : 0;
        }
    }
    return binary;
}

ByteImage channels_of(const Raster& raster, int first, int count) {
    ByteImage part(raster.width, raster.height, count);
    for (int y = 0; y < raster.height; ++y) {
        const unsigned char* from = raster.data + y * raster.step + first;
        unsigned char* to = part.own_row(y);
        for (int x = 0; x < raster.width; ++x, from += raster.channels)
            for (int c = 0; c < count; ++c) *to++ = from[c];
    }
    return part;
}

int constant_value(const Raster& raster) {
    const unsigned char first = raster.data[0];
    for (int y = 0; y < raster.height; ++y) {
        const unsigned char* const row = raster.data + y * raster.step;
        if (std::any_of(row, row + raster.width, [&](unsigned char value) { return value != first; })) return -1;
    }
    return first;
}

PatternFacts facts_of(const Raster& pattern, const ByteImage& mask) {
    PatternFacts facts;
    const unsigned char* first = nullptr;
    for (int y = 0; y < pattern.height; ++y) {
        if (mask.empty() && !facts.flat && !facts.zero) break;
        for (int x = 0; x < pattern.width; ++x) {
            if (!mask.empty() && mask.row(y)[x] == 0) continue;
            const unsigned char* const pixel = pattern.data + y * pattern.step + std::ptrdiff_t{x} * pattern.channels;
            if (first == nullptr) first = pixel;
            ++facts.pixels;
            for (int c = 0; c < pattern.channels; ++c) {
                facts.flat = facts.flat && pixel[c] == first[c];
                facts.zero = facts.zero && pixel[c] == 0;
            }
        }
    }
    if (mask.empty()) facts.pixels = std::int64_t{pattern.width} * pattern.height;
    return facts;
}

}  // namespace vedette::compat
