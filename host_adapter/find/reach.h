// The range of values a pixel can take when the image moves by at most half a pixel.
#pragma once

#include "kernels/kernels.h"
#include "view.h"

#include <vector>

namespace vedette::host {

// CIELAB rows of a window of an image, three at a time, with one pixel more at either side, and from them the range of
// every pixel of the middle row: the pixel, the means with its four neighbours and the means of the four quads it
// belongs to (Birchfield and Tomasi's half-sample interval in two dimensions). Pixels outside the image repeat its
// border, which adds nothing to a range. Scratch of one thread; memory is kept from one window to the next.
class ReachRows {
public:
    // Begins at row `window.y` of `image`; the window lies inside the image.
    void begin(const PixelView& image, const Window& window);
    // Computes low and high of the current row.
    void compute() noexcept;
    // Moves down by one row.
    void advance() noexcept;

    std::uint32_t channels() const noexcept { return channels_; }
    // Rows of row_pitch(window.w) values.
    FindKernels::Side side() const noexcept;
    float* low(std::uint32_t channel) noexcept { return low_.data() + std::size_t{channel} * pitch_; }
    float* high(std::uint32_t channel) noexcept { return high_.data() + std::size_t{channel} * pitch_; }

private:
    float* lab(unsigned which, std::uint32_t channel) const noexcept {
        return row_[which] + std::size_t{channel} * pitch_;
    }
    void load(unsigned which, std::int64_t y) noexcept;

    PixelView image_{};
    Window window_{};
    std::uint32_t channels_ = 0;
    std::uint32_t y_ = 0;
    std::size_t pitch_ = 0;
    float* row_[3] = {};  // above, current, below: into lab_
    std::vector<float> lab_, low_, high_;
};

}  // namespace vedette::host
