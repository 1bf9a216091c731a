#include "kernels/template_pattern.h"

#include "kernels/template_direct.h"

#include <cstring>

namespace vedette::cuda {

namespace {

// n^2 * 255^2 * channels, the largest moment, stays below 2^63.
bool is_narrow(unsigned long long area, int channels) {
    return static_cast<double>(area) * static_cast<double>(area) * 65025.0 * channels < 9.2e18;
}

const std::uint8_t* row(const std::uint8_t* first, std::ptrdiff_t stride, int y) {
    return first + static_cast<std::ptrdiff_t>(y) * stride;
}

}  // namespace

Pattern::Pattern(const PatternRows& rows) : width_(rows.width), height_(rows.height), channels_(rows.channels) {
    const std::size_t row_bytes = index(width_) * channel_count();
    pixels_.resize(row_bytes * index(height_));
    mask_.resize(index(width_) * index(height_));
    sums_.given_mask = rows.mask != nullptr;
    for (int y = 0; y < height_; ++y) {
        std::memcpy(pixels_.data() + index(y) * row_bytes, row(rows.pixels, rows.stride, y), row_bytes);
        for (int x = 0; x < width_; ++x) {
            const bool take = rows.mask == nullptr || row(rows.mask, rows.mask_stride, y)[x] != 0;
            mask_[place(x, y)] = take ? 1 : 0;
            if (!take) {
                masked_ = true;
                continue;
            }
            ++sums_.area;
            for (int c = 0; c < channels_; ++c) {
                const unsigned long long value = pixel(x, y, c);
                sums_.sum[c] += value;
                sums_.square += value * value;
            }
        }
    }
    sums_.narrow = is_narrow(sums_.area, channels_);
    Wide variance = static_cast<Wide>(sums_.area) * static_cast<Wide>(sums_.square);
    for (int c = 0; c < channels_; ++c) variance -= static_cast<Wide>(sums_.sum[c]) * static_cast<Wide>(sums_.sum[c]);
    sums_.variance = to_double(variance);
}

bool Pattern::same(const PatternRows& rows) const {
    if (rows.width != width_ || rows.height != height_ || rows.channels != channels_ ||
        sums_.given_mask != (rows.mask != nullptr))
        return false;
    const std::size_t row_bytes = index(width_) * channel_count();
    for (int y = 0; y < height_; ++y) {
        if (std::memcmp(pixels_.data() + index(y) * row_bytes, row(rows.pixels, rows.stride, y), row_bytes) != 0)
            return false;
        if (rows.mask == nullptr) continue;
        const std::uint8_t* const mask = row(rows.mask, rows.mask_stride, y);
        for (int x = 0; x < width_; ++x)
            if ((mask[x] != 0) != taken(x, y)) return false;
    }
    return true;
}

int Pattern::words_stride() const {
    const int chunk = direct_chunk_words(channels_);
    const int words = (width_ * channels_ + 3) / 4;
    return (words + chunk - 1) / chunk * chunk;
}

std::vector<std::uint32_t> Pattern::words() const {
    const std::size_t plane = index(words_stride()) * index(height_);
    std::vector<std::uint32_t> result(2 * plane, 0);
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x) {
            if (!taken(x, y)) continue;
            for (int c = 0; c < channels_; ++c) {
                const int byte = x * channels_ + c;
                const std::size_t word = index(y) * index(words_stride()) + index(byte / 4);
                result[word] |= std::uint32_t{pixel(x, y, c)} << (8 * (byte % 4));
                result[plane + word] |= std::uint32_t{255} << (8 * (byte % 4));
            }
        }
    return result;
}

}  // namespace vedette::cuda
