// The searched pixels as rows of bytes, one set for each channel, safe to read a little beyond their ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels.h"

namespace vedette::cpu::find {

// First byte of row y of the first plane.
inline const std::uint8_t* row_start(const vdt_image& image, std::uint32_t y) {
    return static_cast<const std::uint8_t*>(image.plane[0].base) + image.plane[0].offset +
           static_cast<std::int64_t>(y) * image.plane[0].row_stride;
}

// Bytes that kernels may read beyond the last pixel of a row.
constexpr std::int64_t over_read = 64;

// Interleaved BGR split into planes whose rows are padded by over_read bytes.
struct Planes {
    int width = 0, height = 0;
    std::int64_t stride = 0;
    std::vector<std::uint8_t> bytes;
    const std::uint8_t* row(int channel, int y) const {
        return bytes.data() + (static_cast<std::int64_t>(channel) * height + y) * stride;
    }
};

// A view of a region of an image. Reused from call to call: buffers only grow.
class Scene {
public:
    // `image` was checked; the region lies inside it. Gray rows are used in place; colour is split once for a resident
    // image and kept there, else for this call.
    void set(const Device& device, vdt_token* token, const vdt_image& image, const vdt_rect& region);

    int width() const { return width_; }
    int height() const { return height_; }
    int channels() const { return channels_; }
    // rows(c)[y] + x is the pixel (region.x + x, region.y + y).
    Rows rows(int channel) const { return rows_[channel].data(); }

private:
    int width_ = 0, height_ = 0, channels_ = 1;
    std::vector<const std::uint8_t*> rows_[max_channels];
    std::vector<std::uint8_t> tail_;  // copies of rows too near the end of their buffer
    Planes own_;
    std::shared_ptr<const Planes> kept_;
};

}  // namespace vedette::cpu::find
