#include "reach.h"

#include "lab.h"

#include <algorithm>

namespace vedette::host {

void ReachRows::begin(const PixelView& image, const Window& window) {
    image_ = image;
    window_ = window;
    channels_ = image.channels;
    y_ = window.y;
    // Kernels touch whole steps, from one pixel to the left of the window to one to the right.
    pitch_ = row_pitch(std::size_t{window.w} + 2) + kRowStep;
    const std::size_t plane = pitch_ * channels_;
    if (low_.size() < plane) {
        lab_.resize(3 * plane);
        low_.resize(plane);
        high_.resize(plane);
    }
    for (unsigned which = 0; which < 3; ++which) {
        row_[which] = lab_.data() + which * plane;
        load(which, std::int64_t{y_} + which - 1);
    }
}

void ReachRows::load(unsigned which, std::int64_t y) noexcept {
    const std::int64_t last = std::int64_t{image_.height} - 1;
    const std::uint8_t* pixels = image_.row(static_cast<std::uint32_t>(std::clamp<std::int64_t>(y, 0, last)));
    const bool left = window_.x > 0;
    const bool right = window_.x + window_.w < image_.width;
    const std::uint32_t first = left ? window_.x - 1 : window_.x;
    const std::uint32_t count = window_.w + (left ? 1U : 0U) + (right ? 1U : 0U);
    const std::size_t shift = left ? 0 : 1;
    pixels += std::size_t{first} * channels_;
    if (channels_ == 3)
        lab_of_bgr(pixels, count, lab(which, 0) + shift, lab(which, 1) + shift, lab(which, 2) + shift);
    else
        lightness_of_gray(pixels, count, lab(which, 0) + shift);
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
        float* row = lab(which, channel);
        if (!left) row[0] = row[1];
        if (!right) row[window_.w + 1] = row[window_.w];
    }
}

void ReachRows::compute() noexcept {
    for (std::uint32_t channel = 0; channel < channels_; ++channel)
        find_kernels().reach(lab(0, channel), lab(1, channel), lab(2, channel), window_.w, low(channel), high(channel));
}

void ReachRows::advance() noexcept {
    float* const above = row_[0];
    row_[0] = row_[1];
    row_[1] = row_[2];
    row_[2] = above;
    ++y_;
    load(2, std::int64_t{y_} + 1);
}

FindKernels::Side ReachRows::side() const noexcept {
    FindKernels::Side side{};
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
        side.value[channel] = lab(1, channel) + 1;
        side.low[channel] = low_.data() + std::size_t{channel} * pitch_;
        side.high[channel] = high_.data() + std::size_t{channel} * pitch_;
    }
    return side;
}

}  // namespace vedette::host
